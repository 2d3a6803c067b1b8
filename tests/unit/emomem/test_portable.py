"""What holds a lock is copied and pickled without it."""

import copy
import pickle
import threading

import pytest

from emomem import (
    ConfidentAppraiser,
    EnsembleAppraiser,
    LexiconAppraiser,
    LocalAppraiser,
    LocalEncoder,
    ReviewQueue,
    Rule,
    RuleAppraiser,
)
from emomem.appraisal.chat import ChatAppraiser
from emomem.encoder import default_encoder
from emomem.portable import Portable


class Counter(Portable):
    def __init__(self, name):
        self.name = name
        self._renew()

    def _renew(self):
        self.lock = threading.Lock()
        self.seen = []


def carried(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


each_way = pytest.mark.parametrize("other", [copy.copy, copy.deepcopy, carried])


@each_way
def test_a_copy_has_what_is_carried_and_the_rest_anew(other):
    counter = Counter("a")
    counter.seen.append(1)
    found = other(counter)
    assert (found.name, found.seen, counter.seen) == ("a", [], [1])
    assert found.lock is not counter.lock


@each_way
def test_every_appraiser_can_be_sent_away(other):
    local, lexicon = LocalAppraiser(), LexiconAppraiser()
    lexicon.load()
    parts = [
        *(local, lexicon, EnsembleAppraiser([local, lexicon]), ChatAppraiser(len)),
        RuleAppraiser([Rule("failed", "anger")], lexicon),
        ConfidentAppraiser(lexicon, 0.3, queue=ReviewQueue()),
    ]
    for part in parts:
        assert type(other(part)) is type(part)
    assert other(parts[4]).appraise(["It failed.", "good"]) == parts[4].appraise(
        ["It failed.", "good"]
    )
    assert other(parts[5])._queue.pending() == []


@each_way
def test_the_shared_encoder_stays_the_shared_one(other):
    shared = default_encoder()
    assert other(LocalAppraiser()).encoder is shared
    own = LocalEncoder(cache_size=7)
    own.embeds = True
    found = other(own)
    assert found not in {own, shared}
    assert (found._cache_size, found.embeds, len(found._cache)) == (7, True, 0)
