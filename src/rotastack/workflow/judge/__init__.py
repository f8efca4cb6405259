"""Results of studies: means, boards, tests, verdicts, printed tables and pages."""
