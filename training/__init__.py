"""Rebuilds and measures the embedded affect model from public data; not part of the package."""
