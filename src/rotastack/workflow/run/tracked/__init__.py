"""The content of a study's runs in MLflow: cards, notes, numbers and views."""
