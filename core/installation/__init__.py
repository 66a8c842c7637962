"""What is installed here: the packages of others, and this one itself."""
