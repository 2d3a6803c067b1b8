"""Executes the notebooks of this folder and keeps what they show: `make cookbooks`.

Each runs in a temporary folder, in a kernel of this interpreter, and none needs a key, a server or
a network. With names, only those:

    python cookbooks/refresh.py 01_swap_the_retriever
"""

import base64
import io
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from PIL import Image

FOLDER: Final = Path(__file__).parent
METADATA: Final = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_COLOURS: Final = 64
"""Of a picture: enough for flat colours and smooth letters."""
_WIDTH: Final = 720
"""Of a picture, in pixels at most."""
_SECONDS: Final = 300
"""How long one cell may take."""


def notebooks() -> list[Path]:
    """All notebooks, in their order."""
    return sorted(FOLDER.glob("[0-9]*.ipynb"))


def executed(path: Path) -> Any:  # noqa: ANN401 - nbformat has no types
    """A notebook as it is after a run in a temporary folder; its file stays as it is.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell raised.
    """
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        work, own = Path(folder, "work"), Path(folder, "own")
        work.mkdir()
        own.mkdir()
        kernel = AsyncKernelManager(
            kernel_name="python3",
            # Of no folder but the package's own, so that the kernel is always this interpreter's.
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
            connection_file=str(own / "kernel.json"),
            transport="tcp" if os.name == "nt" else "ipc",
        )
        client = NotebookClient(
            notebook,
            km=kernel,
            timeout=_SECONDS,
            record_timing=False,
            resources={"metadata": {"path": str(work)}},
        )
        # Nothing is read from or written to the settings of whoever runs it.
        client.execute(cleanup_kc=True, env={**os.environ, "IPYTHONDIR": str(own)})
    return notebook


def cleaned(notebook: Any) -> Any:  # noqa: ANN401 - nbformat has no types
    """A notebook without what differs from run to run or machine to machine, its pictures small."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        if "outputs" in cell:
            cell.outputs = _joined(cell.outputs)
        for output in cell.get("outputs", []):
            if picture := output.get("data", {}).get("image/png"):
                output.metadata = nbformat.from_dict({})
                output.data["image/png"] = _small(picture)
    return notebook


def refresh(path: Path) -> float:
    """Execute a notebook and write it with what it shows; returns the seconds that it took."""
    start = time.perf_counter()
    notebook = cleaned(executed(path))
    nbformat.write(notebook, path)
    return time.perf_counter() - start


def _joined(outputs: Sequence[Any]) -> list[Any]:
    """The outputs, with what was printed piece by piece in one."""
    found: list[Any] = []
    for one in outputs:
        if found and "name" in one and found[-1].get("name") == one.name:
            found[-1].text += one.text
        else:
            found.append(one)
    return found


def _small(picture: str) -> str:
    """A PNG picture, in base64, of fewer pixels and colours."""
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    if image.width > _WIDTH:
        size = (_WIDTH, round(image.height * _WIDTH / image.width))
        image = image.resize(size, Image.Resampling.LANCZOS)
    found = io.BytesIO()
    # The most different colours, lest the few marks lose theirs to the many greys of letters.
    small = image.quantize(_COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    small.save(found, "PNG", optimize=True)
    return base64.b64encode(found.getvalue()).decode("ascii")


def main(names: Sequence[str]) -> int:
    """Refresh all notebooks, or those named."""
    known = {path.stem: path for path in notebooks()}
    if unknown := sorted(set(names) - known.keys()):
        print(f"no notebook {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    for name in names or known:
        seconds = refresh(known[name])
        print(f"{name}: {seconds:.1f} s, {known[name].stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
