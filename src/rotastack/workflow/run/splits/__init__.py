"""Random splits, and the folds of plain cross-validation: each is a division into training and test rows."""
