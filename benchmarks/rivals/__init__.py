"""What users have today for each subject: libraries and other compilers, each at its best."""
