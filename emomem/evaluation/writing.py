"""Writing a report."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from emomem.evaluation.tables import Table
from emomem.files import replace_file


def write_report(
    path: Path, title: str, notes: Sequence[str], tables: Sequence[Table], data: Mapping[str, Any]
) -> list[Path]:
    """Write a report as Markdown and JSON, each file whole or not at all.

    Args:
        path: The files without their ending; the folder is made where it is missing.
        title: The heading.
        notes: What stands before the tables.
        tables: The tables.
        data: Everything that was measured.

    Returns:
        Both files.

    Raises:
        OSError: They cannot be written.
        ValueError: A number is not finite.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    told = json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False)
    parts = [f"# {title}", *notes, *(table.markdown() for table in tables)]
    files = {path.with_suffix(".md"): "\n\n".join(parts), path.with_suffix(".json"): told}
    for file, text in files.items():
        replace_file(file, f"{text}\n".encode())
    return list(files)
