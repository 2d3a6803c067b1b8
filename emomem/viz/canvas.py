"""What all pictures share: colours, axes, and letters that a font has."""

import re
import warnings
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Protocol
from unicodedata import east_asian_width

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Of Okabe and Ito's colours (2008), which the colour-blind can tell apart, some paler or darker.
PALE: Final = "#A9D0E8"
DARK: Final = "#0072B2"
ORANGE: Final = "#E69F00"
LINE: Final = "#B34700"
INK: Final = "#333333"
GREY: Final = "#8A8A8A"
FAINT: Final = "#DDDDDD"
FADED: Final = "#595959"
HATCH: Final = "////"

DPI: Final = 150
SMALL: Final = 8.5
"""The size of the letters beside the marks, in points."""

_PLAIN: Final = "DejaVu Sans"
"""Matplotlib's own font, which has no Chinese."""
_CHINESE: Final = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Source Han Sans SC",
    "Source Han Sans CN", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Microsoft YaHei", "SimHei",
    "PingFang SC", "Hiragino Sans GB", "Arial Unicode MS",
)  # fmt: skip
_warned: list[str] = []


def require_matplotlib() -> None:
    """Tell how to install matplotlib where it is missing.

    Raises:
        ImportError: It is not installed.
    """
    if find_spec("matplotlib") is None:
        msg = "pictures need matplotlib, which is not installed: pip install 'emomem[viz]'"
        raise ImportError(msg)


def axes(ax: "Axes | None", width: float, height: float) -> "Axes":
    """The axes to draw on: those given, or those of a new figure of some inches.

    Raises:
        ImportError: matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415 - heavy, so first use loads it

    if ax is not None:
        return ax
    return Figure(figsize=(width, height), dpi=DPI, layout="constrained").add_subplot()


def figure_of(ax: "Axes") -> "Figure":
    """The figure that axes belong to."""
    figure = ax.get_figure(root=True)
    assert figure is not None  # noqa: S101 - axes that can be drawn on have one
    return figure


def bare(ax: "Axes", keep: Iterable[str] = ("bottom",)) -> None:
    """Take away the frame, but for some of its sides, and the ticks' own lines."""
    for side in {"top", "right", "left", "bottom"} - set(keep):
        ax.spines[side].set_visible(False)
    for side in keep:
        ax.spines[side].set_color(GREY)
    ax.tick_params(length=0, labelcolor=INK)


def title(ax: "Axes", head: str, note: str = "") -> None:
    """A title over the axes, and under it a note in smaller letters."""
    text = ax.set_title(head, loc="left", color=INK, fontsize=11, pad=20 if note else 8)
    text.set_fontfamily(fonts())
    if note:
        ax.annotate(
            note,
            (0, 1),
            xycoords="axes fraction",
            xytext=(0, 6),
            textcoords="offset points",
            fontsize=SMALL,
            fontfamily=fonts(),
            color=FADED,
        )


def legend(ax: "Axes", handles: "Iterable[Artist]", below: float, columns: int = 4) -> None:
    """A legend under the axes, `below` points under them; none where nothing is named."""
    from matplotlib.transforms import offset_copy  # noqa: PLC0415 - heavy

    named = list(handles)
    if named:
        ax.legend(
            handles=named,
            loc="upper left",
            bbox_to_anchor=(0, 0),
            bbox_transform=offset_copy(ax.transAxes, figure_of(ax), y=-below, units="points"),
            borderpad=0,
            borderaxespad=0,
            ncols=columns,
            frameon=False,
            labelcolor=INK,
            fontsize=SMALL,
            handlelength=1.6,
            columnspacing=1.4,
        )


class Estimate(Protocol):
    """A figure with the ends of its interval; None for those where there is none."""

    @property
    def mean(self) -> float:
        """The figure."""
        ...

    @property
    def low(self) -> float | None:
        """The lower end."""
        ...

    @property
    def high(self) -> float | None:
        """The upper end."""
        ...


def interval(ax: "Axes", row: float, found: Estimate, colour: str, marker: str = "o") -> None:
    """A dot in a row, and a bar from end to end of its interval if it has one."""
    if found.low is not None and found.high is not None:
        ax.plot([found.low, found.high], [row, row], color=colour, linewidth=2)
    ax.plot(found.mean, row, marker, color=colour, markersize=6)


def say_empty(ax: "Axes", what: str) -> None:
    """Say in the middle of the axes that there is nothing to draw."""
    ax.text(0.5, 0.5, what, transform=ax.transAxes, ha="center", va="center", color=GREY)


def fonts() -> list[str]:
    """The fonts to look for a letter in, the first first."""
    return list(_installed())


def drawable(text: str) -> bool:
    """Whether fonts have at least half of a text's letters."""
    known = [ord(letter) in _letters() for letter in text if not letter.isspace()]
    return 2 * sum(known) >= len(known)


def written(text: str, width: int, lines: int = 1) -> str:
    """A text as it can be drawn: cut to some lines, and only with letters that a font has.

    What no installed font has becomes an ellipsis, and the first time a warning.

    Args:
        text: Any text.
        width: Of a line, in letters; a Chinese one is as wide as two others.
        lines: How many at most.
    """
    plain = "".join(one for one in " ".join(text.split()) if one.isprintable())
    missing = set(plain) - {letter for letter in plain if ord(letter) in _letters()}
    if missing:
        _warn(min(missing))
        plain = re.sub(f"[{re.escape(''.join(sorted(missing)))}]+", "…", plain)
    # Matplotlib reads what stands between dollar signs as mathematics.
    return "\n".join(_broken(plain, width, lines)).replace("$", r"\$")


def _broken(rest: str, width: int, lines: int) -> list[str]:
    found: list[str] = []
    while (fits := _fitting(rest, width)) < len(rest):
        if len(found) == lines - 1:
            at = _break(rest, _fitting(rest, width - 1))
            return [*found, rest[:at].rstrip(" .,;:…") + "…"]
        at = _break(rest, fits)
        found.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*found, rest]


def _break(line: str, fits: int) -> int:
    """Where to break a line of which some letters fit: at a space, if one is not far."""
    space = line.rfind(" ", 0, fits + 1)
    return space if space > fits // 2 else fits


def _fitting(line: str, width: int) -> int:
    """How many letters of a line fit."""
    widths = accumulate(2 if east_asian_width(letter) in "WF" else 1 for letter in line)
    return sum(one <= width for one in widths)


def _warn(letter: str) -> None:
    if not _warned:
        _warned.append(letter)
        msg = (
            f"no installed font has U+{ord(letter):04X} and maybe others, which are drawn as …; "
            "for Chinese install one, for example fonts-noto-cjk"
        )
        warnings.warn(msg, stacklevel=2)


@cache
def _installed() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager  # noqa: PLC0415 - heavy

    installed = set(fontManager.get_font_names())
    return (_PLAIN, *[name for name in _CHINESE if name in installed][:1])


@cache
def _letters() -> frozenset[int]:
    """The code points that the fonts have."""
    from matplotlib.font_manager import findfont, get_font  # noqa: PLC0415 - heavy

    return frozenset().union(*(get_font(findfont(name)).get_charmap() for name in _installed()))
