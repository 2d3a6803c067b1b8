"""The four pillars of emotion in memory, one a module: what each measures and how.

The questions are those that MemEmo asks of memory systems (Liu et al. 2026, arXiv:2602.23944); the
texts, measures and controls are our own, so that figures are not to be compared with its tables.
"""
