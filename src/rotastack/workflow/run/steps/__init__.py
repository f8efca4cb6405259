"""A module for each step, whose function ``run`` reads files, calls the library, and writes files and a record."""
