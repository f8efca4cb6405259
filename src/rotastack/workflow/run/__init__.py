"""Runs of studies: the user's own table, the plan, its jobs and their resources, the steps, and the trainings of both protocols."""
