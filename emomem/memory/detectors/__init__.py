"""Detectors of conflicts between memories, one a file."""
