"""Measures recall on public data; `emomem eval` is its command."""
