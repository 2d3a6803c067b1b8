"""Two days of customer care: an angry customer returns, asks something neutral, and is remembered.

An agent of LangGraph with `AffectMemoryMiddleware`. The second day is another thread, so that what
it knows of the first it knows from memory. Without `--model` a stand-in answers, which says what it
was told; then neither key nor network is needed.

    python examples/customer_care_agent.py
    python examples/customer_care_agent.py --model openai:gpt-5.5
    python examples/customer_care_agent.py --postgres postgresql://user:password@localhost/care

With `--postgres` the memory is a PGVector collection and the threads are kept by LangGraph's own
checkpointer, in the same database.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypedDict

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from emomem.memory.monitor import hint
from emomem.prompts import filled, prompts
from langchain_emomem import AffectMemoryMiddleware, ConflictAwareMemory, LocalEmbeddings

CUSTOMER: Final = "ann.o'neill"
PROMPT: Final = filled(prompts("en").care, business="a bookshop")
DAY: Final = 86_400.0
DAYS: Final = (
    (
        "Order 55 arrives on Tuesday.",
        "This is the third time you lose my parcel, I am furious! Nobody ever calls me back.",
        "Order 55 arrives on Friday.",
    ),
    ("When does order 55 arrive?",),
)


class Care(TypedDict):
    """What a run is told: whose memory it is."""

    user_id: str


class StandIn(BaseChatModel):
    """Answers with what it was told of the customer."""

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's signature
        run_manager: Any = None,  # noqa: ANN401, ARG002 - the same
        **kwargs: Any,  # noqa: ARG002 - the same
    ) -> ChatResult:
        told = re.findall(r"<memory [^>]*>.*?</memory>|<conflict.*?</conflict>", messages[0].text)
        answer = "I remember:\n  " + "\n  ".join(told) if told else "Thank you, noted."
        return ChatResult(generations=[ChatGeneration(message=AIMessage(answer))])


@contextmanager
def kept(address: str | None) -> Iterator[tuple[VectorStore, BaseCheckpointSaver[Any]]]:
    """Where the memory and the threads are kept."""
    encoder = LocalEmbeddings()
    if address is None:
        yield InMemoryVectorStore(encoder), InMemorySaver()
        return
    from langchain_postgres import PGVector  # noqa: PLC0415 - only where it is asked for
    from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415 - the same
    from sqlalchemy import create_engine  # noqa: PLC0415 - the same

    with PostgresSaver.from_conn_string(address) as threads:
        threads.setup()
        engine = create_engine(re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", address))
        yield PGVector(encoder, connection=engine, collection_name="customer-care"), threads
        engine.dispose()


def main(arguments: Sequence[str] | None = None) -> int:
    """Hold the two days' conversation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a chat model, as of langchain's init_chat_model")
    parser.add_argument("--postgres", help="the address of a database with pgvector")
    options = parser.parse_args(arguments)
    model = init_chat_model(options.model) if options.model else StandIn()
    time = [1_764_000_000.0]
    with kept(options.postgres) as (store, threads):
        memory = ConflictAwareMemory(store, clock=lambda: time[0])
        memory.forget(CUSTOMER)  # of an earlier run
        agent = create_agent(
            model,
            system_prompt=PROMPT,
            middleware=[AffectMemoryMiddleware(memory)],
            context_schema=Care,
            checkpointer=threads,
        )
        for number, messages in enumerate(DAYS, 1):
            print(f"\n== day {number}")
            config: Any = {"configurable": {"thread_id": f"{CUSTOMER}-{number}-{id(memory)}"}}
            for message in messages:
                time[0] += 60
                given: Any = {"messages": [("user", message)]}
                answer = agent.invoke(given, config, context={"user_id": CUSTOMER})
                print(f"customer: {message}\nagent:    {answer['messages'][-1].text}")
            time[0] += DAY
        mood = memory.mood(user_id=CUSTOMER)
        print(f"\nmood: {mood.label}, valence {mood.valence or 0:+.2f}; so: {hint(mood)}")
        for found in memory.conflicts(user_id=CUSTOMER, settled=True):
            sides = f"{found.earlier.text!r} -> {found.later.text!r}"
            print(f"{found.context.kind}: {sides}; {found.context.settlement or 'open'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
