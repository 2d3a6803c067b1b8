"""Measures recall on public data and any agent or memory; `emomem eval` is its command."""

import lazy_loader

# The names stand in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
