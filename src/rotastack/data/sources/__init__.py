"""Sources of data sets, one class per file; a new file is a new source."""
