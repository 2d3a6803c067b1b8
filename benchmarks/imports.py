"""Import time of each package against that of the framework it plugs into, as a ratio."""

import math
import subprocess
import sys
from collections.abc import Sequence

from common import arguments, report

PAIRS = (
    ("langchain_emomem", "langchain_core.retrievers"),
    ("llamaindex_emomem", "llama_index.core"),
)
BEST_RATIO = 1.3
_CODE = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def seconds_to_import(module: str) -> float:
    """Seconds that a fresh interpreter takes for one import, its own start left out."""
    command = [sys.executable, "-c", _CODE.format(module)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - ours
    return float(done.stdout)


def main(arguments_: Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether the ratio is reached."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments_)
    # The least time counts, of rounds that alternate: noise only ever adds.
    best = dict.fromkeys((module for pair in PAIRS for module in pair), math.inf)
    for _ in range(options.rounds):
        for module in best:
            best[module] = min(best[module], seconds_to_import(module))
    rows: list[dict[str, object]] = []
    worst = 0.0
    for package, framework in PAIRS:
        ours, theirs = best[package], best[framework]
        worst = max(worst, ours / theirs)
        rows.append(
            {
                "package": package,
                "framework": framework,
                "package_s": ours,
                "framework_s": theirs,
                "ratio": ours / theirs,
            }
        )
    report(rows, options.json)
    return int(worst > BEST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
