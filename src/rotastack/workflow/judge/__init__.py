"""Results of studies: comparisons, verdicts, leaderboards, tables and pages."""
