"""A process that has imported what steps need, and runs each in a fork of itself."""
