"""The public data that recall is measured on, one set a module."""

from emomem.evaluation.datasets.base import Dataset, Query, Store, in_half
from emomem.evaluation.datasets.empathetic import load_empathetic
from emomem.evaluation.datasets.locomo import load_locomo
from emomem.evaluation.datasets.lufy import Session, load_lufy
from emomem.evaluation.datasets.madial import load_madial

__all__ = [
    "Dataset",
    "Query",
    "Session",
    "Store",
    "in_half",
    "load_empathetic",
    "load_locomo",
    "load_lufy",
    "load_madial",
]
