"""Draw the pictures of the guide `pictures.md`, by running it in the folder `images`.

Usage: make pictures
"""

import os
import re
from pathlib import Path
from typing import Final

from PIL import Image

GUIDE: Final = Path(__file__).with_name("pictures.md")
IMAGES: Final = Path(__file__).with_name("images")
MOST_BYTES: Final = 150_000
_COLOURS: Final = 128
"""What a drawing needs; it makes the files a third as large."""


def main() -> None:
    """Run the blocks one after the other; what no page shows is not kept."""
    text = GUIDE.read_text(encoding="utf-8")
    IMAGES.mkdir(exist_ok=True)
    os.chdir(IMAGES)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, str(GUIDE), "exec"), names)  # noqa: S102 - our own text
    shown = set(re.findall(r"images/([\w-]+\.png)", text))
    for path in sorted(IMAGES.glob("*.png")):
        if path.name not in shown:
            path.unlink()
            continue
        with Image.open(path) as image:
            image.convert("RGB").quantize(_COLOURS).save(path, optimize=True)
        if (size := path.stat().st_size) > MOST_BYTES:
            msg = f"{path.name} has {size:,} bytes, more than {MOST_BYTES:,}"
            raise ValueError(msg)


if __name__ == "__main__":
    main()
