"""The text form of modules: lexer, parser, printer, files."""
