"""What came out: comparisons, verdicts, leaderboards, tables and pages."""
