"""Units with no more than a text, and a detector asked in both ways."""

import pytest

from emomem.memory.unit import MemoryUnit


@pytest.fixture(scope="session")
def unit():
    """`unit(text, **values)`: a fact of ann's."""

    def make(text, **values):
        given = {"user_id": "ann", "speaker": "ann", "created_at": 0.0}
        return MemoryUnit(text=text, **{**given, **values})

    return make


@pytest.fixture(params=["sync", "async"])
def detect(request):
    """Both ways to detect."""

    async def run(detector, new, candidates):
        if request.param == "async":
            return await detector.adetect(new, candidates)
        return detector.detect(new, candidates)

    return run
