"""What a run does: its plan, and a file for each step."""
