"""What MLflow is told of a study: cards, notes, numbers and views."""
