"""Builders that the core's tests share, and hypothesis strategies for affects and pools.

They are session fixtures, so that a test under `given` may use them.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from emomem import Affect, AffectArray, CandidatePool
from emomem.emotions import known_labels

# No deadline: the machine is shared. Derandomized: the same commit gives the same result.
settings.register_profile("emomem", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("emomem")

PoolBuilder = Callable[..., CandidatePool]


def _or_none(low: float, high: float) -> st.SearchStrategy[float | None]:
    # Few distinct values, so that ties are common; the ends are among them.
    return st.none() | st.sampled_from(np.linspace(low, high, 9).tolist()) | st.floats(low, high)


@st.composite
def _numbers(draw: st.DrawFn) -> Affect:
    return Affect(
        valence=draw(_or_none(-1, 1)),
        arousal=draw(_or_none(0, 1)),
        dominance=draw(_or_none(-1, 1)),
        conflict=draw(_or_none(0, 1)),
        confidence=draw(_or_none(0, 1)),
    )


@st.composite
def _mixtures(draw: st.DrawFn) -> Affect:
    shares = draw(st.dictionaries(st.integers(0, 27), st.integers(1, 5), min_size=1, max_size=4))
    affect = Affect.from_emotions([shares.get(index, 0) for index in range(28)])
    dropped = draw(st.sampled_from([(), ("valence",), ("arousal", "dominance")]))
    update = {**dict.fromkeys(dropped), "conflict": draw(_or_none(0, 1))}
    return affect.model_copy(update=update)


_AFFECTS = st.one_of(
    st.just(Affect.unknown()),
    st.sampled_from(known_labels()).map(Affect.from_label),
    _numbers(),
    _mixtures(),
)


def _pool(affects: Sequence[Affect], cosine: Sequence[float] | None = None) -> CandidatePool:
    return CandidatePool(
        affects=AffectArray.from_affects(affects),
        cosine=None if cosine is None else np.array(cosine, dtype=float),
    )


@st.composite
def _pools(draw: st.DrawFn) -> CandidatePool:
    affects = draw(st.lists(_AFFECTS, max_size=8))
    near = st.floats(-1, 1) | st.sampled_from([-1.0, 0.0, 0.5, 1.0])
    cosines = draw(st.lists(near, min_size=len(affects), max_size=len(affects)))
    return _pool(affects, draw(st.sampled_from([None, sorted(cosines, reverse=True)])))


@pytest.fixture(scope="session")
def affects() -> st.SearchStrategy[Affect]:
    """Affects of every kind: unknown, labels, numbers alone, mixtures with numbers missing."""
    return _AFFECTS


@pytest.fixture(scope="session")
def pools() -> st.SearchStrategy[CandidatePool]:
    """Pools of 0 to 8 such affects, with and without cosines, ties among them."""
    return _pools()


@pytest.fixture(scope="session")
def make_pool() -> PoolBuilder:
    """`make_pool(affects, cosine=None)`."""
    return _pool
