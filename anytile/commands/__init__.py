"""One module per group of commands. They parse, call the rooms below and print; they decide nothing."""
