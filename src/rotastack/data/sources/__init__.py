"""Sources of data sets, one class per file. Each new file is a new kind of source."""
