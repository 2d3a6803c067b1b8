"""Appraisers: text -> affect, one a file."""
