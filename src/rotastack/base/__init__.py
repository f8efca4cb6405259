"""What estimators and combiners share: fitting, checks, weights of rows, kinds of columns."""
