"""Nodes as a ranking puts them."""

import math
from collections.abc import Sequence

from llama_index.core.schema import NodeWithScore

from emomem.ranking import Ranking


def ranked(nodes: Sequence[NodeWithScore], ranking: Ranking) -> list[NodeWithScore]:
    """The best of some nodes, best first, with the ranking's own scores.

    Much of what LlamaIndex puts behind a retriever sorts by score, so scores have to fall with the
    order. Where a policy, or an affect that is not known, gives a node a place in front of one of a
    higher score, the latter gets a score just below.

    Args:
        nodes: The nodes of the pool, in its order.
        ranking: What the strategy made of them.
    """
    best: list[NodeWithScore] = []
    least = math.inf
    for row in ranking.order.tolist():
        least = min(float(ranking.score[row]), math.nextafter(least, -math.inf))
        best.append(NodeWithScore(node=nodes[row].node, score=least))
    return best
