"""The suites of `emomem eval`."""
