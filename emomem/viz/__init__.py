"""Pictures of memories, recalls and measurements. matplotlib is loaded when one is drawn.

Each function takes what is at hand, draws on `ax` or on a figure of its own, and returns the
figure: `figure.savefig("picture.png")` keeps it, and a notebook in which `%matplotlib inline` was
run shows it where it ends a cell. Nothing touches pyplot's state. Colours are Okabe and Ito's
(2008), which the colour-blind can tell apart; marks, hatches and lightness say the same in grey.
"""

import lazy_loader

# The names stand in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
