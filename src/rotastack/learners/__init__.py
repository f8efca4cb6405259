"""Learners by name: what trains on a view (level 0) or on a pool's outputs (level 1).

Each file holds ``make(**parameters)``, which returns an unfitted scikit-learn classifier; its
keyword arguments are what a study may set. A new file is a new learner.
"""
