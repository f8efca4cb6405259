"""One module per workflow rule: read artifacts, call the library, write artifacts and a record."""
