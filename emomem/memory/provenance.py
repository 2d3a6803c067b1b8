"""Where memories come from: a graph of what was made from what, and what replaced what."""

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from emomem.memory.unit import MemoryUnit

if TYPE_CHECKING:
    import networkx as nx


def provenance(
    units: Iterable[MemoryUnit], clock: Callable[[], float] = time.time
) -> "nx.MultiDiGraph[str]":
    """A graph of units by their ids; it holds no text.

    An edge runs from a unit to each of its sources (`relation="made_from"`), to what it
    contradicts (`"contradicts"`, with the kind) and from what is no longer so to what is so
    instead (`"superseded_by"`). Of a unit that is not among `units` only the id is known.
    `networkx.node_link_data` gives it as JSON's own types.

    Args:
        units: The units.
        clock: The time now, in seconds since 1970, by which their statuses go.

    Raises:
        ImportError: networkx is not installed.
    """
    try:
        import networkx as nx  # noqa: PLC0415 - only for those who ask
    except ImportError as error:
        msg = "provenance needs networkx: pip install 'emomem[viz]'"
        raise ImportError(msg) from error
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    now = clock()
    for unit in units:
        status = unit.status_at(now)
        graph.add_node(unit.unit_id, kind=unit.kind, status=status, created_at=unit.created_at)
        graph.add_edges_from(
            (unit.unit_id, source, {"relation": "made_from"}) for source in unit.sources
        )
        graph.add_edges_from(
            (unit.unit_id, one.against, {"relation": "contradicts", "kind": one.kind})
            for one in unit.conflicts
        )
        if unit.superseded_by:
            graph.add_edge(unit.unit_id, unit.superseded_by, relation="superseded_by")
    return graph
