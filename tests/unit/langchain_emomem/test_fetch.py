import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from emomem import Combination
from langchain_emomem import AffectModulatedRetriever
from langchain_emomem.fetch import Filter, Request, RetrieverSource, StoreSource, plan_filter

QUERY = "that evening"
ANN = {"user_id": "ann"}
SAD_ONES = {"affect_label": "sadness"}
EVERYTHING = Filter({})
LIKE_ANN = {"user_id": {"$like": "ann%"}}


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


def request_for(k, where=EVERYTHING, *, size=None, scored=False):
    return Request(QUERY, k, size or k, where, scored)


def find(store, k, where=EVERYTHING, *, scored=False, metric=None):
    return StoreSource(store, metric, {}).find(request_for(k, where, scored=scored))


class TestFilter:
    def test_the_in_memory_store_gets_a_callable_and_no_check_is_left(self, store):
        where = plan_filter(store, {**ANN, "day": {"$gte": 2}}, SAD_ONES)

        assert where.check is None
        found = store.similarity_search("q", 9, **where.native)
        assert [document.metadata["day"] for document in found] == [2, 8]

    def test_a_callable_goes_to_the_in_memory_store_and_affect_is_checked(self, store):
        assert plan_filter(store, anns, None) == Filter({"filter": anns})

        where = plan_filter(store, anns, SAD_ONES)
        assert where.native == {"filter": anns}
        assert where.check is not None
        assert where.check(Document("x", metadata=SAD_ONES))
        assert not where.check(Document("x", metadata={"affect_label": "joy"}))

    def test_a_dictionary_is_handed_to_a_store_that_may_ignore_it_and_checked_too(
        self, crowd, foreign
    ):
        where = plan_filter(crowd(foreign), {"user_id": {"$eq": "ann"}}, None)

        assert where.native == {"filter": {"user_id": {"$eq": "ann"}}}
        assert where.check is not None
        assert where.check(Document("x", metadata=ANN))
        assert not where.check(Document("x", metadata={"user_id": "bob"}))
        assert not where.check(Document("x"))

    async def test_a_dictionary_means_what_the_store_says_that_names_its_filter(
        self, crowd, opaque
    ):
        class OneOf(opaque):
            """A list is one of its values, as in FAISS."""

            def similarity_search(self, query, k=4, filter=None):  # noqa: A002
                return self._search(
                    query, k, filter=lambda one: one.metadata["user_id"] in filter["user_id"]
                )

        retriever = AffectModulatedRetriever(
            vectorstore=crowd(OneOf),
            k=10,
            filter={"user_id": ["ann", "cid"]},
            affect_filter={"label": "sadness"},
            affect="sadness",
        )
        for policy in ("off", "congruent"):
            found = retriever.invoke(QUERY, policy=policy)
            assert {(one.metadata["user_id"], one.metadata["affect_label"]) for one in found} == {
                ("ann", "sadness")
            }
            assert await retriever.ainvoke(QUERY, policy=policy) == found
        with pytest.raises(ValueError, match="'user_id' has the value None"):
            retriever.invoke(QUERY, filter={"user_id": None})

    def test_conditions_on_affect_alone_leave_a_foreign_search_as_it_is(self, crowd, foreign):
        where = plan_filter(crowd(foreign), None, SAD_ONES)

        assert where.native == {}
        assert where.check is not None

    def test_a_store_without_filters_gets_none(self, crowd, filterless):
        for own in (ANN, anns):
            where = plan_filter(crowd(filterless), own, None)
            assert where.native == {}
            assert where.check is not None
            assert not where.check(Document("x", metadata={"user_id": "bob"}))

    def test_a_filter_object_goes_to_its_engine_and_affect_is_checked(self, crowd, opaque):
        own = opaque.Equals("user_id", "ann")
        where = plan_filter(crowd(opaque), own, SAD_ONES)

        assert where.native == {"filter": own}
        assert where.check is not None
        assert where.check(Document("x", metadata=SAD_ONES))
        assert not where.check(Document("x", metadata={"affect_label": "joy"}))

    def test_a_callable_is_checked_here_where_a_store_may_ignore_it(self, crowd, foreign):
        where = plan_filter(crowd(foreign), anns, SAD_ONES)

        assert where.native == {}
        assert where.check is not None
        assert where.check(Document("x", metadata={**ANN, **SAD_ONES}))
        assert not where.check(Document("x", metadata={"user_id": "bob", **SAD_ONES}))
        assert not where.check(Document("x", metadata={**ANN, "affect_label": "joy"}))

    def test_an_empty_filter_asks_for_nothing(self, store, crowd, foreign):
        for held in (store, crowd(foreign), None):
            assert plan_filter(held, {}, None) == EVERYTHING

    @pytest.mark.parametrize("kind", ["foreign", "filterless", "opaque"])
    @pytest.mark.parametrize("nothing", ["", [], 0, False, ()])
    def test_what_an_engine_may_take_for_no_filter_is_refused(self, request, crowd, kind, nothing):
        for store in (crowd(request.getfixturevalue(kind)), None):
            with pytest.raises(ValueError, match=r"a filter is a dictionary.*no filter"):
                plan_filter(store, nothing, None)

    def test_an_engine_that_takes_dictionaries_is_given_nothing_else(self, crowd, foreign):
        store = crowd(type("PGVector", (foreign,), {}))
        for own in ("user_id = 'ann'", ["ann"], anns):
            with pytest.raises(ValueError, match="a filter is a dictionary, got"):
                plan_filter(store, own, None)

    def test_an_opaque_filter_that_might_be_swallowed_is_refused(
        self, crowd, foreign, filterless, opaque
    ):
        own = opaque.Equals("user_id", "ann")
        for kind in (foreign, filterless):
            with pytest.raises(ValueError, match=f"{kind.__name__} is not sure to apply"):
                plan_filter(crowd(kind), own, None)
        with pytest.raises(ValueError, match="a base_retriever is not sure to apply"):
            plan_filter(None, own, None)

    @pytest.mark.parametrize("engine_only", [LIKE_ANN, {"user_id": {"$ilike": "ann"}}])
    def test_an_operator_of_an_engine_is_refused_where_none_is_sure_to_apply_it(
        self, store, crowd, foreign, filterless, engine_only
    ):
        with pytest.raises(ValueError, match="only inside an engine"):
            plan_filter(store, engine_only, None)
        for kind in (foreign, filterless):
            with pytest.raises(ValueError, match=f"{kind.__name__} is not sure to apply"):
                plan_filter(crowd(kind), {"day": 2, **engine_only}, None)
        with pytest.raises(ValueError, match="a base_retriever is not sure to apply"):
            plan_filter(None, engine_only, None)
        with pytest.raises(ValueError, match="only inside an engine"):
            plan_filter(crowd(foreign), None, engine_only)

    @pytest.mark.parametrize("engine_only", [LIKE_ANN, {"name": {"$fuzzy": "ann"}}])
    def test_a_search_that_names_its_filter_knows_its_own_operators(
        self, crowd, opaque, engine_only
    ):
        assert plan_filter(crowd(opaque), engine_only, None) == Filter({"filter": engine_only})

    @pytest.mark.parametrize("form", ["operator", "object"])
    async def test_what_a_store_might_swallow_raises_and_shows_nobody_anything(
        self, crowd, foreign, opaque, form
    ):
        own = LIKE_ANN if form == "operator" else opaque.Equals("user_id", "ann")
        store = crowd(foreign)
        with pytest.raises(ValidationError, match="ForeignStore is not sure to apply"):
            AffectModulatedRetriever(vectorstore=store, affect="sadness", filter=own)
        retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness")
        for policy in ("off", "congruent"):
            with pytest.raises(ValueError, match="ForeignStore is not sure to apply"):
                retriever.invoke(QUERY, filter=own, policy=policy)
            with pytest.raises(ValueError, match="ForeignStore is not sure to apply"):
                await retriever.ainvoke(QUERY, filter=own, policy=policy)
        assert store.sizes == []


class TestWidening:
    @pytest.mark.parametrize("kind", ["foreign", "filterless"])
    async def test_the_fetch_widens_until_k_are_found(self, crowd, request, kind, texts):
        store = crowd(request.getfixturevalue(kind))
        where = plan_filter(store, ANN, None)

        found = find(store, 3, where)

        assert texts(found.documents) == [
            "a picnic by the river",
            "goodbye at the station",
            "dancing in the kitchen",
        ]
        assert store.sizes == [3, 12]
        again = await StoreSource(store, None, {}).afind(request_for(3, where))
        assert again.documents == found.documents
        assert store.sizes == [3, 12] * 2

    def test_it_widens_no_more_once_k_are_found_however_many_were_to_be_fetched(
        self, crowd, filterless, texts
    ):
        store = crowd(filterless)
        where = plan_filter(store, ANN, None)
        source = StoreSource(store, None, {})

        # Of the nearest 6, 3 are ann's: enough for 3, though 6 were to be ranked.
        found = source.find(request_for(3, where, size=6))
        assert len(found.documents) == 3
        assert store.sizes == [6]

        # For 4 of them it has to look again, and then gives as many as were to be fetched.
        found = source.find(request_for(4, where, size=6))
        assert len(found.documents) == 5
        assert store.sizes == [6, 6, 24]

    def test_or_until_the_store_is_exhausted(self, crowd, filterless, texts):
        store = crowd(filterless)

        found = find(store, 2, plan_filter(store, {"user_id": "bob", "day": {"$gt": 6}}, None))

        assert texts(found.documents) == ["the funeral in March", "the prize"]
        assert find(store, 2, plan_filter(store, {"user_id": "cid"}, None)).documents == []
        assert store.sizes == [2, 8, 32, 2, 8, 32]

    def test_without_a_check_one_search_is_made(self, crowd, filterless):
        store = crowd(filterless)
        assert len(find(store, 3).documents) == 3
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

        found = find(store, 10, scored=True)

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

        found = find(store, 3, scored=True, metric="cosine_distance")

        assert found.cosine == pytest.approx([0.9, 0.85, 0.8])

    def test_scores_that_are_no_cosines_give_way_to_the_order(self, crowd, foreign):
        store = crowd(foreign, score=lambda cosine: 30 * cosine)

        found = find(store, 3, scored=True, metric="cosine_similarity")

        assert found.cosine is None

    @pytest.mark.parametrize("scale", [1.0, 5.0])
    async def test_an_inner_product_needs_vectors_of_length_one(self, placed, foreign, scale):
        encoder = placed({"near": 0.9, "far": 0.1}, scale=scale)
        store = foreign(encoder, score=lambda cosine: cosine)
        store.add_documents([Document("near"), Document("far")])
        request = request_for(2, scored=True)

        for found in (
            StoreSource(store, "inner_product", {}).find(request),
            await StoreSource(store, "inner_product", {}).afind(request),
        ):
            assert (found.cosine is not None) == (scale == 1.0)

    async def test_a_store_that_cannot_be_hashed_is_served(self, diary, diary_encoder, foreign):
        class Unhashable(foreign):
            __hash__ = None

        store = Unhashable(diary_encoder, score=lambda cosine: cosine)
        store.add_documents(diary)
        source = StoreSource(store, "inner_product", {})

        for found in (
            source.find(request_for(3, scored=True)),
            await source.afind(request_for(3, scored=True)),
        ):
            assert found.cosine == pytest.approx([0.9, 0.85, 0.8])

    def test_the_encoder_is_asked_for_its_length_once_a_store(self, crowd, foreign, monkeypatch):
        store, asked = crowd(foreign, score=lambda cosine: cosine), []
        embed = store.embeddings.embed_query
        monkeypatch.setattr(
            store.embeddings, "embed_query", lambda text: asked.append(text) or embed(text)
        )
        for _ in range(3):
            find(store, 3, scored=True, metric="inner_product")
        assert asked.count(QUERY) == 3
        assert len(asked) == 4

    def test_the_in_memory_store_gives_cosines(self, store):
        found = find(store, 3, scored=True)
        assert found.cosine == pytest.approx([0.9, 0.85, 0.8])


class ListRetriever(BaseRetriever):
    documents: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        return self.documents


class TestRetrieverSource:
    async def test_all_are_candidates_and_k_for_the_plain_call(self, diary):
        source = RetrieverSource(ListRetriever(documents=diary))

        candidates = source.find(request_for(2, scored=True))
        plain = await source.afind(request_for(2))

        assert candidates.documents == diary
        assert candidates.cosine is None
        assert plain.documents == diary[:2]

    async def test_what_is_made_of_a_retriever_is_one_too(self, diary):
        base = ListRetriever(documents=diary)
        for made, expected in (
            (base.with_retry(), diary),
            (base.with_config(tags=["mine"]), diary),
            (base | RunnableLambda(lambda found: found[1:]), diary[1:]),
        ):
            retriever = AffectModulatedRetriever(base_retriever=made, affect="joy", policy="off")
            assert retriever.invoke(QUERY) == expected[:4]
            assert await retriever.ainvoke(QUERY) == expected[:4]

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
            base_retriever=ListRetriever(documents=diary[::-1]),
            strategy=Combination(weight=0.3),
            affect="anger",
            policy="off",
        )
        assert retriever.invoke(QUERY) == diary[::-1][:4]
        found = retriever.invoke(QUERY, policy="congruent", k=2)
        assert texts(found) == ["the row about money", "the prize"]


def test_a_store_that_filters_by_itself_is_searched_once(diary, diary_encoder, searches):
    store = InMemoryVectorStore(diary_encoder)
    store.add_documents(diary)
    calls = searches(store)

    find(store, 3, plan_filter(store, ANN, SAD_ONES))

    assert [name for name, _, _ in calls if name == "similarity_search"] == ["similarity_search"]
