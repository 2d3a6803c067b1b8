"""Two users in one store: no strategy, policy or form of a filter shows one the other's."""

import pytest
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_emomem import AffectModulatedRetriever

QUERY = "that evening"
STRATEGIES = ["semantic", "combination", "sequence", "salience", "modulated"]
POLICIES = ["congruent", "comfort", "lesson", "off", "auto"]
FORMS = {
    "value": {"user_id": "ann"},
    "operator": {"user_id": {"$eq": "ann"}},
    "one-item and": {"$and": [{"user_id": "ann"}]},
    "several keys": {"user_id": "ann", "day": {"$gte": 0}},
    "two operators": {"day": {"$gte": 0, "$lt": 99}, "user_id": "ann"},
    "list": {"user_id": {"$in": ["ann"]}},
    "callable": lambda document: document.metadata.get("user_id") == "ann",
}
STORES = ["in-memory", "foreign", "filterless", "opaque"]


@pytest.fixture(params=STORES)
def shared(request, diary, diary_encoder):
    kind = InMemoryVectorStore
    if request.param != "in-memory":
        kind = request.getfixturevalue(request.param)
    store = kind(diary_encoder)
    store.add_documents(diary)
    return store


@pytest.mark.parametrize("form", FORMS)
def test_no_user_sees_anothers_memory(shared, opaque, form):
    where = FORMS[form]
    if isinstance(shared, opaque):
        where = opaque.Equals("user_id", "ann")
    for strategy in STRATEGIES:
        for policy in POLICIES:
            options = {"strategy": strategy, "policy": policy, "affect": "sadness", "k": 5}
            fixed = AffectModulatedRetriever(vectorstore=shared, filter=where, **options)
            found = fixed.invoke(QUERY)
            by_call = AffectModulatedRetriever(vectorstore=shared, **options)

            assert by_call.invoke(QUERY, filter=where) == found, (strategy, policy)
            assert {one.document.id for one in fixed.explain(QUERY)} == {one.id for one in found}
            assert [one.metadata["user_id"] for one in found] == ["ann"] * 5, (strategy, policy)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("policy", POLICIES)
async def test_nor_does_async(shared, opaque, strategy, policy):
    where = opaque.Equals("user_id", "ann") if isinstance(shared, opaque) else {"user_id": "ann"}
    retriever = AffectModulatedRetriever(
        vectorstore=shared, strategy=strategy, policy=policy, affect="sadness", k=5, filter=where
    )

    found = await retriever.ainvoke(QUERY)

    assert found == retriever.invoke(QUERY)
    assert [one.metadata["user_id"] for one in found] == ["ann"] * 5


def test_an_affect_filter_does_not_lift_the_users(shared, opaque, texts):
    where = opaque.Equals("user_id", "ann") if isinstance(shared, opaque) else {"user_id": "ann"}
    retriever = AffectModulatedRetriever(
        vectorstore=shared, filter=where, affect_filter={"label": "sadness"}, affect="sadness", k=5
    )

    for policy in POLICIES:
        found = retriever.invoke(QUERY, policy=policy)
        assert texts(found) == ["goodbye at the station", "nobody called"], policy


def test_an_affect_filter_holds_when_a_call_brings_another_filter(shared, opaque, texts):
    where = opaque.Equals("user_id", "bob") if isinstance(shared, opaque) else {"user_id": "bob"}
    retriever = AffectModulatedRetriever(
        vectorstore=shared, affect_filter={"label": "sadness"}, affect="sadness", k=5
    )

    assert texts(retriever.invoke(QUERY, filter=where)) == ["the empty house"]
