"""Customer care, end to end: message in, feeling, recall, prompt, answer, save.

`CareDesk` is the application, small enough to copy. It reads how a message feels, recalls under
comfort (a customer in distress is spared the darkest memories), asks the model with a prompt in
which feelings are fields and memories are data, and saves the message only then. The conversation
below is of two days: an angry customer returns, asks something neutral, and is met with knowledge
of what happened. Without `--model` the answers are scripted, and neither key nor network is needed.

    python examples/customer_care.py
    python examples/customer_care.py --model openai:gpt-5.5
    python examples/customer_care.py --model http://127.0.0.1:8080/v1

The same with an agent of LangGraph, and over PostgreSQL: `customer_care_agent.py`.
"""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4
from xml.sax.saxutils import unescape

from chromadb import EphemeralClient
from chromadb.config import Settings
from langchain_chroma import Chroma

from emomem import Affect, Appraiser, Comfort, LocalAppraiser
from emomem.memory.monitor import hint
from emomem.memory.recalling import Recalled
from emomem.prompts import Language
from emomem.prompts.questions import affect_fields, care_messages
from emomem.protocols import ChatMessage
from emomem.safety import in_distress
from langchain_emomem import ConflictAwareMemory, LocalEmbeddings
from langchain_emomem.cli.chat_models import open_chat_model

SHOP: Final = "a furniture shop"
CUSTOMER: Final = "j.marlow"
LONGEST: Final = 400
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


@dataclass(frozen=True)
class Answered:
    """What became of a message.

    Attributes:
        answer: What the shop says.
        felt: How the message feels.
        prompt: What the model was asked.
    """

    answer: str
    felt: Affect
    prompt: list[ChatMessage]


class CareDesk:
    """Answers customers by what is remembered of them.

    Args:
        memory: What is remembered, of all customers.
        ask: Gives the answer of a chat model to messages.
        business: Who answers.
        appraiser: Reads how a message feels.
        language: The language of the prompt.
    """

    def __init__(
        self,
        memory: ConflictAwareMemory,
        ask: Callable[[list[ChatMessage]], str],
        *,
        business: str = SHOP,
        appraiser: Appraiser | None = None,
        language: Language = "en",
    ) -> None:
        self._memory = memory
        self._ask = ask
        self._business = business
        self._appraiser = LocalAppraiser() if appraiser is None else appraiser
        self._language = language

    def answer(self, customer: str, message: str, *, experiencer: str | None = None) -> Answered:
        """Answer a message, and remember it.

        Args:
            customer: Whose message it is.
            message: The message.
            experiencer: Who feels what it tells of, where that is somebody else.
        """
        [felt] = self._appraiser.appraise([message])
        memories = self._memory.context(
            message, user_id=customer, affect=felt, where=mild_enough(felt)
        )
        prompt = care_messages(
            self._business, memories, affect_fields(felt), message, self._language
        )
        answer = self._ask(prompt)
        # Not before, so that the message does not recall itself.
        self._memory.save(message, user_id=customer, experiencer=experiencer, affect=felt)
        return Answered(answer, felt, prompt)


def mild_enough(felt: Affect) -> dict[str, Any] | None:
    """The filter that spares a customer in distress what lies below the floor of comfort.

    The memory itself caps how much that is dark is told; this keeps out the darkest altogether.
    What has no known feeling stays.
    """
    if not in_distress(felt):
        return None
    mild = {"affect_valence": {"$gte": Comfort().floor}}
    return {"$or": [mild, {"affect_label": {"$eq": "unknown"}}]}


def scripted(prompt: list[ChatMessage]) -> str:
    """An answer without a chat model, from what it would be told."""
    said = prompt[-1]["content"]
    told = re.findall(r"<memory ([^>]*)>(.*?)</memory>", said)
    if "?\n</text>" not in said or not told:
        return "Thank you, I have noted that."
    bitter = [unescape(text) for fields, text in told if 'affect="anger"' in fields]
    sorry = [f"I know what happened ({text!r}), and I am sorry." for text in bitter[:1]]
    return " ".join([*sorry, f"What I have here: {unescape(told[0][1])!r}"])


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


def asker(name: str | None) -> Callable[[list[ChatMessage]], str]:
    """What asks the chat model of that name or at that address; the script for none."""
    if name is None:
        return scripted
    # Two to five sentences: a small model does not always stop by itself.
    model = open_chat_model("--model", name, max_tokens=LONGEST)
    return lambda messages: str(model.invoke([(x["role"], x["content"]) for x in messages]).text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Hold the conversation of both days."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", help="a chat model, as of langchain's init_chat_model, or a server's address"
    )
    options = parser.parse_args(arguments)
    client = EphemeralClient(Settings(anonymized_telemetry=False))
    time = [1_764_000_000.0]
    store = Chroma(f"care-{uuid4().hex}", LocalEmbeddings(), client=client)
    memory = ConflictAwareMemory(store, clock=lambda: time[0])
    desk = CareDesk(memory, asker(options.model))
    for number, messages in enumerate(DAYS, 1):
        print(f"\n== day {number}")
        for message, experiencer in messages:
            time[0] += 60
            print(f"customer: {message}")
            recall = memory.recall(message, user_id=CUSTOMER)
            mood = memory.mood(user_id=CUSTOMER)
            answered = desk.answer(CUSTOMER, message, experiencer=experiencer)
            if number > 1:
                print("\nrecalled, and why:")
                for found in (*recall.facts[:3], *recall.affective[:2]):
                    print(why(memory, found))
                print(f"\nmood: {mood.label}, valence {mood.valence or 0:+.2f}; so: {hint(mood)}")
                print("\nthe prompt:")
                for part in answered.prompt:
                    print(f"[{part['role']}]\n{part['content']}\n")
            print(f"shop:     {answered.answer}")
        time[0] += DAY
    return 0


if __name__ == "__main__":
    sys.exit(main())
