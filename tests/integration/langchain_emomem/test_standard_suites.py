"""LangChain's own tests of a retriever, one class a strategy, over embedded Chroma."""

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from langchain_emomem import AffectModulatedRetriever


class Suite(RetrieversIntegrationTests):
    strategy: str

    @pytest.fixture(autouse=True)
    def _diary_in_chroma(self, chroma, diary, diary_encoder):
        self.store = chroma(diary_encoder, diary)

    @property
    def retriever_constructor(self):
        return AffectModulatedRetriever

    @property
    def retriever_constructor_params(self):
        return {
            "vectorstore": self.store,
            "strategy": self.strategy,
            "policy": "congruent",
            "affect": "sadness",
        }

    @property
    def retriever_query_example(self):
        return "that evening"


class TestSemantic(Suite):
    strategy = "semantic"


class TestCombination(Suite):
    strategy = "combination"


class TestSequence(Suite):
    strategy = "sequence"


class TestSalience(Suite):
    strategy = "salience"


class TestModulated(Suite):
    strategy = "modulated"
