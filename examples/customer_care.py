"""Customer care over two days, without an agent: what is recalled, why, and what is made of it.

An angry customer writes on one day and asks something neutral on the next. Before each answer the
memory is asked for its context, afterwards the message is saved; the prompt is your own. Without
`--model` the answers are scripted, and neither key nor network is needed.

    python examples/customer_care.py
    python examples/customer_care.py --model openai:gpt-5.5

The same with an agent of LangGraph, and over PostgreSQL: `customer_care_agent.py`.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from chromadb import EphemeralClient
from chromadb.config import Settings
from langchain.chat_models import init_chat_model
from langchain_chroma import Chroma

from emomem.memory.monitor import Hint, hint
from emomem.memory.recalling import Recall, Recalled
from langchain_emomem import ConflictAwareMemory, LocalEmbeddings

CUSTOMER: Final = "j.marlow"
PROMPT: Final = "You answer the customers of a furniture shop. {opening} first, and be {detail}."
DAY: Final = 86_400.0
Message = tuple[str, str | None]
"""What the customer says, and who feels it where that is somebody else."""

DAYS: Final[tuple[tuple[Message, ...], ...]] = (
    (
        ("My order 204 is a bookcase in oak.", None),
        ("The delivery of order 204 is on Monday.", None),
        ("I waited the whole day and nobody came. I am furious, this is the second time!", None),
        ("The delivery of order 204 is on Thursday.", None),
        ("My neighbour Pia was delighted with her table, by the way.", "Pia"),
    ),
    (("Could you tell me when order 204 is delivered?", None),),
)
BITTER: Final = -1 / 3
"""The valence from which on a memory is something to be sorry for."""


def scripted(message: str, recall: Recall) -> str:
    """An answer without a chat model, from what was recalled."""
    if not message.endswith("?"):
        return "Thank you, I have noted that."
    bitter = [one.unit.text for one in recall.affective if (one.unit.affect.valence or 0) < BITTER]
    sorry = [f"I know what happened ({text!r}), and I am sorry." for text in bitter[:1]]
    return " ".join([*sorry, *(f"What I have here: {recall.facts[0].unit.text!r}",)])


def why(memory: ConflictAwareMemory, found: Recalled) -> str:
    """One recalled memory, and why it came back and counts."""
    unit = found.unit
    explained = memory.explain(unit.unit_id, user_id=CUSTOMER)
    date = datetime.fromtimestamp(unit.created_at, UTC).date()
    reasons = [
        f"nearness {found.cosine or 0:.2f}",
        f"salience {found.salience or 0:.2f} ({unit.affect.label})",
        explained.status,
        *(f"{one.context.kind} with {one.earlier.text!r}" for one in explained.conflicts),
    ]
    return f"  {unit.kind:<9} {date} {unit.text!r}: {', '.join(reasons)}"


def told(memory: ConflictAwareMemory, message: str, advice: Hint) -> str:
    """The prompt for an answer: how to answer, and what is remembered."""
    prompt = PROMPT.format(opening=advice.opening.capitalize(), detail=advice.detail)
    block = memory.context([("user", message)], user_id=CUSTOMER)
    return f"{prompt}\n\n{block}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Hold the conversation of both days."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a chat model, as of langchain's init_chat_model")
    options = parser.parse_args(arguments)
    model = init_chat_model(options.model) if options.model else None
    client = EphemeralClient(Settings(anonymized_telemetry=False))
    time = [1_764_000_000.0]
    store = Chroma(f"care-{uuid4().hex}", LocalEmbeddings(), client=client)
    memory = ConflictAwareMemory(store, clock=lambda: time[0])
    for number, messages in enumerate(DAYS, 1):
        print(f"\n== day {number}")
        for message, experiencer in messages:
            time[0] += 60
            print(f"customer: {message}")
            recall = memory.recall(message, user_id=CUSTOMER)
            mood = memory.mood(user_id=CUSTOMER)
            prompt = told(memory, message, hint(mood))
            if number > 1:
                print("\nrecalled, and why:")
                for found in (*recall.facts[:3], *recall.affective[:2]):
                    print(why(memory, found))
                print(f"\nmood: {mood.label}, valence {mood.valence or 0:+.2f}; so: {hint(mood)}")
                print(f"\nthe prompt:\n{prompt}\n")
            said = (
                scripted(message, recall)
                if model is None
                else model.invoke([("system", prompt), ("user", message)]).text
            )
            print(f"shop:     {said}")
            memory.save(
                message, user_id=CUSTOMER, experiencer=experiencer, session_id=f"day-{number}"
            )
        time[0] += DAY
    return 0


if __name__ == "__main__":
    sys.exit(main())
