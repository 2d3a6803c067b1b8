"""Files that are written whole or not at all."""

from pathlib import Path
from uuid import uuid4


def replace_file(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file; whoever reads or writes it meanwhile sees one version or another, whole.

    Args:
        path: The file.
        data: What it is to hold.
        mode: Who may read and write it, less what the process's umask takes away.

    Raises:
        OSError: It cannot be written; what was there stays.
    """
    part = path.with_name(f"{path.name}.{uuid4().hex}.part")
    try:
        part.touch(mode)
        part.write_bytes(data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
