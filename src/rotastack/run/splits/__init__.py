"""Random splits, and the folds of plain cross-validation: each is one division into training and test rows."""
