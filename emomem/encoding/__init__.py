"""Deep encoding: what stirs is stored with what it was about, and standard memories as said."""
