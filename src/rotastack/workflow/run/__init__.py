"""Runs of studies: a user's own table, the plan, what each job needs and knows, the steps, and both protocols."""
