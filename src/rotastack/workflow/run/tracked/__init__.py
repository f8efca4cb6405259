"""The content of a study's runs in MLflow: numbers, params, tables, figures, and the cards of models."""
