import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore

from emomem import Combination
from langchain_emomem import AffectModulatedRetriever
from langchain_emomem.fetch import Filter, RetrieverSource, StoreSource

QUERY = "that evening"
ANN = {"user_id": "ann"}
SAD_ONES = {"affect_label": "sadness"}


def anns(document: Document) -> bool:
    return document.metadata["user_id"] == "ann"


@pytest.fixture
def crowd(diary, diary_encoder):
    """The diary in a store: a function of the store's class and its options."""

    def build(kind, **options):
        store = kind(diary_encoder, **options)
        store.add_documents(diary)
        return store

    return build


def find(store, k, where, *, scored=False):
    return StoreSource(store, None, {}).find(QUERY, k, where, scored=scored, callbacks=None)


class TestFilter:
    def test_the_in_memory_store_gets_a_callable_and_no_check_is_left(self, store):
        where = Filter(store, {**ANN, "day": {"$gte": 2}}, None)

        assert where.check is None
        assert [d.metadata["day"] for d in store.similarity_search("q", 9, **where.native)] == [
            2,
            5,
            6,
            8,
        ]

    def test_a_callable_goes_to_the_in_memory_store_as_it_is(self, store):
        assert Filter(store, anns, None).native == {"filter": anns}

    def test_a_dictionary_is_handed_to_a_foreign_store_and_checked_too(self, crowd, foreign):
        where = Filter(crowd(foreign), {"user_id": {"$eq": "ann"}}, None)

        assert where.native == {"filter": {"user_id": {"$eq": "ann"}}}
        assert where.check is not None
        assert where.check(Document("x", metadata=ANN))
        assert not where.check(Document("x", metadata={"user_id": "bob"}))
        assert not where.check(Document("x"))

    def test_conditions_on_affect_alone_leave_a_foreign_search_as_it_is(self, crowd, foreign):
        where = Filter(crowd(foreign), None, SAD_ONES)

        assert where.native == {}
        assert where.check is not None

    def test_a_store_without_filters_gets_none(self, crowd, filterless):
        for own in (ANN, anns):
            where = Filter(crowd(filterless), own, None)
            assert where.native == {}
            assert where.check is not None
            assert not where.check(Document("x", metadata={"user_id": "bob"}))

    def test_a_filter_object_goes_to_its_engine_and_affect_is_checked(self, crowd, opaque):
        own = opaque.Equals("user_id", "ann")
        where = Filter(crowd(opaque), own, SAD_ONES)

        assert where.native == {"filter": own}
        assert where.check is not None
        assert where.check(Document("x", metadata=SAD_ONES))
        assert not where.check(Document("x", metadata={"affect_label": "joy"}))

    def test_a_callable_that_a_foreign_store_may_ignore_is_checked_too(self, crowd, foreign):
        where = Filter(crowd(foreign), anns, None)

        assert where.native == {"filter": anns}
        assert where.check is not None
        assert not where.check(Document("x", metadata={"user_id": "bob"}))

    def test_an_empty_filter_asks_for_nothing(self, store, crowd, foreign):
        for held in (store, crowd(foreign), None):
            where = Filter(held, {}, None)
            assert where.native == {}
            assert where.check is None

    def test_what_nothing_can_apply_is_refused(self, crowd, filterless, opaque):
        own = opaque.Equals("user_id", "ann")
        with pytest.raises(ValueError, match="FilterlessStore takes no filter"):
            Filter(crowd(filterless), own, None)
        with pytest.raises(ValueError, match="a base_retriever takes no filter"):
            Filter(None, own, None)

    @pytest.mark.parametrize("engine_only", [{"name": {"$like": "a%"}}, {"name": {"$ilike": "a"}}])
    def test_an_operator_of_an_engine_is_refused_where_there_is_none(
        self, store, crowd, filterless, foreign, engine_only
    ):
        with pytest.raises(ValueError, match="only inside an engine"):
            Filter(store, engine_only, None)
        with pytest.raises(ValueError, match="cannot be applied outside an engine"):
            Filter(crowd(filterless), {**ANN, **engine_only}, None)
        with pytest.raises(ValueError, match="only inside an engine"):
            Filter(crowd(foreign), None, engine_only)


class TestWidening:
    @pytest.mark.parametrize("kind", ["foreign", "filterless"])
    async def test_the_fetch_widens_until_k_are_found(self, crowd, request, kind, texts):
        store = crowd(request.getfixturevalue(kind))
        where = Filter(store, ANN, None)

        found = find(store, 3, where)

        assert texts(found.documents) == [
            "a picnic by the river",
            "goodbye at the station",
            "dancing in the kitchen",
        ]
        assert store.sizes == [3, 12]
        again = await StoreSource(store, None, {}).afind(
            QUERY, 3, where, scored=False, callbacks=None
        )
        assert again.documents == found.documents

    def test_or_until_the_store_is_exhausted(self, crowd, filterless, texts):
        store = crowd(filterless)

        found = find(store, 2, Filter(store, {"user_id": "bob", "day": {"$gt": 6}}, None))

        assert texts(found.documents) == ["the funeral in March", "the prize"]
        assert find(store, 2, Filter(store, {"user_id": "cid"}, None)).documents == []
        assert store.sizes == [2, 8, 32, 2, 8, 32]

    def test_without_a_check_one_search_is_made(self, crowd, filterless):
        store = crowd(filterless)
        assert len(find(store, 3, Filter(store, None, None)).documents) == 3
        assert store.sizes == [3]

    def test_the_affect_condition_of_a_retriever_widens_too(self, crowd, opaque, texts):
        store = crowd(opaque)
        retriever = AffectModulatedRetriever(
            vectorstore=store,
            affect="sadness",
            k=2,
            fetch_k=2,
            filter=opaque.Equals("user_id", "bob"),
            affect_filter={"valence": {"$lt": -0.3}},
        )

        assert sorted(texts(retriever.invoke(QUERY))) == ["the empty house", "the funeral in March"]


class TestScores:
    @pytest.mark.parametrize(
        "score",
        [None, lambda _: None, lambda _: 0.5, lambda cosine: -27 * cosine, lambda cosine: cosine],
        ids=["no scored search", "None", "all equal", "-27", "similarity"],
    )
    def test_without_a_known_metric_the_order_counts(self, crowd, foreign, texts, diary, score):
        store = crowd(foreign, score=score)

        found = find(store, 10, Filter(store, None, None), scored=True)

        assert texts(found.documents) == texts(diary)
        assert found.cosine is None
        for weight, first in ((0.0, "a picnic by the river"), (1.0, "goodbye at the station")):
            retriever = AffectModulatedRetriever(
                vectorstore=store,
                affect="sadness",
                policy="congruent",
                strategy=Combination(weight=weight),
            )
            assert texts(retriever.invoke(QUERY))[0] == first
            assert all(
                0 <= one.signals["rank"] <= 1 and 0 <= (one.score or 0) <= 1
                for one in retriever.explain(QUERY)
            )

    def test_a_metric_that_is_given_gives_cosines(self, crowd, foreign):
        store = crowd(foreign, score=lambda cosine: 1 - cosine)
        source = StoreSource(store, "cosine_distance", {})

        found = source.find(QUERY, 3, Filter(store, None, None), scored=True, callbacks=None)

        assert found.cosine == pytest.approx([0.9, 0.85, 0.8])

    def test_scores_that_are_no_cosines_give_way_to_the_order(self, crowd, foreign):
        store = crowd(foreign, score=lambda cosine: 30 * cosine)
        source = StoreSource(store, "cosine_similarity", {})

        found = source.find(QUERY, 3, Filter(store, None, None), scored=True, callbacks=None)

        assert found.cosine is None

    @pytest.mark.parametrize("scale", [1.0, 5.0])
    async def test_an_inner_product_needs_vectors_of_length_one(self, placed, foreign, scale):
        encoder = placed({"near": 0.9, "far": 0.1}, scale=scale)
        store = foreign(encoder, score=lambda cosine: cosine)
        store.add_documents([Document("near"), Document("far")])
        where = Filter(store, None, None)

        for found in (
            StoreSource(store, "inner_product", {}).find(
                QUERY, 2, where, scored=True, callbacks=None
            ),
            await StoreSource(store, "inner_product", {}).afind(
                QUERY, 2, where, scored=True, callbacks=None
            ),
        ):
            assert (found.cosine is not None) == (scale == 1.0)

    def test_the_in_memory_store_gives_cosines(self, store):
        found = find(store, 3, Filter(store, None, None), scored=True)
        assert found.cosine == pytest.approx([0.9, 0.85, 0.8])


class ListRetriever(BaseRetriever):
    documents: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        return self.documents


class TestRetrieverSource:
    async def test_all_are_candidates_and_k_for_the_plain_call(self, diary):
        source = RetrieverSource(ListRetriever(documents=diary))
        where = Filter(None, None, None)

        candidates = source.find(QUERY, 2, where, scored=True, callbacks=None)
        plain = await source.afind(QUERY, 2, where, scored=False, callbacks=None)

        assert candidates.documents == diary
        assert candidates.cosine is None
        assert plain.documents == diary[:2]

    @pytest.mark.parametrize("own", [ANN, anns])
    async def test_a_filter_is_applied_to_what_comes_back(self, diary, own):
        base = ListRetriever(documents=diary)
        for policy in ("off", "congruent"):
            retriever = AffectModulatedRetriever(
                base_retriever=base, affect="sadness", policy=policy, filter=own, k=3
            )
            found = retriever.invoke(QUERY)
            assert len(found) == 3
            assert all(anns(document) for document in found)
            assert await retriever.ainvoke(QUERY) == found
        assert base.documents == diary

    def test_the_order_of_the_retriever_stands_for_meaning(self, diary, texts):
        retriever = AffectModulatedRetriever(
            base_retriever=ListRetriever(documents=diary[::-1]), affect="anger", policy="off"
        )
        assert retriever.invoke(QUERY) == diary[::-1][:4]
        found = retriever.invoke(QUERY, policy="congruent", k=2)
        assert texts(found) == ["the row about money", "the prize"]


def test_a_store_that_filters_by_itself_is_searched_once(diary, diary_encoder, searches):
    store = InMemoryVectorStore(diary_encoder)
    store.add_documents(diary)
    calls = searches(store)

    find(store, 3, Filter(store, ANN, SAD_ONES))

    assert [name for name, _, _ in calls if name == "similarity_search"] == ["similarity_search"]
