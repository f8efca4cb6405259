"""The run of a study: its plan, and a module for each step."""
