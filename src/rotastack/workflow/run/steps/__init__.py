"""A module for each step: read files, call the library, write files and a record."""
