"""Import time of each package against that of the framework it plugs into, as a ratio.

A package's names are imported when they are first used, so that importing it costs next to
nothing; what its main name costs then stands in a row of its own.
"""

import subprocess
import sys
from collections.abc import Sequence

from common import arguments, report

BEST_RATIO = 1.3
PAIRS = (
    ("import langchain_emomem", "import langchain_core.retrievers", BEST_RATIO),
    ("import llamaindex_emomem", "import llama_index.core", BEST_RATIO),
    (
        "from langchain_emomem import AffectModulatedRetriever",
        "import langchain_core.retrievers",
        None,
    ),
    ("from llamaindex_emomem import LLMAppraiser", "import llama_index.core", None),
)
_CODE = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"


def seconds_to_run(statement: str) -> float:
    """Seconds that a fresh interpreter takes for one import, its own start left out."""
    command = [sys.executable, "-c", _CODE.format(statement)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - ours
    return float(done.stdout)


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether the ratio is reached."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments_)
    statements = {statement for pair in PAIRS for statement in pair[:2]}
    # The least time of alternating rounds: noise only ever adds.
    best = dict.fromkeys(statements, float("inf"))
    for _ in range(options.rounds):
        for statement in statements:
            best[statement] = min(best[statement], seconds_to_run(statement))
    rows: list[dict[str, object]] = []
    missed = False
    for ours, theirs, limit in PAIRS:
        ratio = best[ours] / best[theirs]
        missed |= limit is not None and ratio > limit
        rows.append(
            {
                "statement": ours,
                "against": theirs,
                "seconds": best[ours],
                "against_s": best[theirs],
                "ratio": ratio,
                "limit": limit or "",
            }
        )
    report(rows, options.json)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
