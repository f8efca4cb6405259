"""Learners by name: what trains on a view (level 0) or on a pool's outputs (level 1).

Each file holds ``make(**parameters)``, which returns an unfitted scikit-learn classifier, and
``PARAMETERS``, a literal with the JSON schema of each parameter, which is what a study may set.
A new file is a new learner.
"""
