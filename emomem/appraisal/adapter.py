"""A domain adapter: heads of the user's own on the embedded affect model."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from emomem.affect import Affect, FloatArray
from emomem.appraisal.adapter_files import load_heads, save_heads
from emomem.appraisal.base import BaseAppraiser
from emomem.appraisal.domain_heads import DomainHeads, HeldOut
from emomem.appraisal.local import SOURCE as BRANCH
from emomem.appraisal.local import LocalAppraiser
from emomem.emotions import UNKNOWN, is_known_label, known_labels
from emomem.encoder import LocalEncoder, default_encoder

logger = logging.getLogger(__name__)

SOURCE: Final = f"{BRANCH}+adapter"

_SHOWN_ROWS: Final = 10


class DomainAdapter(BaseAppraiser):
    """The embedded affect model, adapted to a domain by a few hundred labelled rows.

    Linear heads on the model's pooled features correct what it says by itself: logistic
    regression for labels, ridge regression for valence, arousal and dominance, each from where
    the model already stands (`emomem.appraisal.heads`). A head is fitted for whatever at least
    20 rows have; the rest, and any text that the model does not read as English, stays the
    embedded model's own reading.

    With a head for labels, `label` is one of the labels that the rows have, `emotions` is the
    distribution over them in the canonical space, and `confidence` the probability of the
    label. It may be shared by threads. Make one with `fit` or `from_folder`.

    Args:
        heads: The heads.
        encoder: The encoder to share; None is the one that the whole process shares.

    Example:
        >>> texts = ["The task failed.", "All tests are green."] * 10
        >>> adapter = DomainAdapter.fit(texts, ["annoyance", "relief"] * 10)
        >>> adapter.appraise(["The task failed again."])[0].label
        'annoyance'
    """

    def __init__(self, heads: DomainHeads, encoder: LocalEncoder | None = None) -> None:
        self._heads = heads
        self.encoder = default_encoder() if encoder is None else encoder
        self._branch = LocalAppraiser(self.encoder)

    @property
    def report(self) -> tuple[HeldOut, ...]:
        """The held-out check of each head, beside the embedded model alone.

        `fit` warns of a head that does worse (`HeldOut.is_worse`). Rows that are nearly the same
        (one sentence with other names) land in several parts and flatter it: keep one of each.
        """
        return self._heads.report

    @classmethod
    def fit(
        cls,
        texts: Sequence[str],
        affects: Sequence[str | Affect],
        encoder: LocalEncoder | None = None,
    ) -> Self:
        """Fit the heads; a few hundred rows take seconds.

        Args:
            texts: English texts of the domain; one that the embedded model cannot read (blank,
                in another language, or ironic) teaches nothing.
            affects: What each feels like: a known label, or an affect of which the label,
                valence, arousal and dominance are learned where they are known (as a
                `ReviewQueue` exports them).
            encoder: The encoder to share; None is the one that the whole process shares.

        Raises:
            TypeError: A text is no str, or an affect neither a label nor an Affect (a missing
                value, for example); the message names the row and never quotes it.
            ValueError: The lengths differ, too few rows can be read, or a label is unknown, the
                only one, or in one row alone.
        """
        if isinstance(texts, str):
            msg = "fit takes a list of texts, got one str"
            raise TypeError(msg)
        texts, affects = list(texts), list(affects)
        known = _checked(texts, affects)
        encoder = default_encoder() if encoder is None else encoder
        own, features = _read_branch(LocalAppraiser(encoder), encoder, texts)
        rows = [row for row, affect in enumerate(own) if _is_of_branch(affect)]
        if skipped := sorted(set(range(len(own))) - set(rows)):
            shown = ", ".join(map(str, skipped[:_SHOWN_ROWS])) + ", …" * (
                len(skipped) > _SHOWN_ROWS
            )
            logger.warning("%d rows cannot be read and teach nothing: %s", len(skipped), shown)
        heads = DomainHeads.fit(
            [known[row] for row in rows], [own[row] for row in rows], features[rows]
        )
        for checked in heads.report:
            if checked.is_worse:
                logger.warning(
                    "the head for %s does worse on rows that it has not seen than the embedded "
                    "model alone (%s %.2f, which has %.2f); it needs more rows, or none",
                    *(checked.target, checked.measure, checked.adapter, checked.branch),
                )
        return cls(heads, encoder)

    def load(self) -> None:
        """Load the embedded model now rather than on first use."""
        self._branch.load()

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the heads into a folder, made where there is none.

        `adapter.safetensors` holds the weights, `adapter.json` the labels, the report and the
        checksums; neither holds any text.
        """
        save_heads(self._heads, Path(folder))

    @classmethod
    def from_folder(
        cls, folder: str | os.PathLike[str], encoder: LocalEncoder | None = None
    ) -> Self:
        """An adapter that `save` wrote.

        Raises:
            FileNotFoundError: A file is missing.
            ValueError: The files are not what `save` wrote, or they were fitted on another
                version of the embedded model.
        """
        return cls(load_heads(Path(folder)), encoder)

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        own, features = _read_branch(self._branch, self.encoder, texts)
        rows = [row for row, affect in enumerate(own) if _is_of_branch(affect)]
        if rows:
            adapted = self._heads.adapted([own[row] for row in rows], features[rows], SOURCE)
            for row, affect in zip(rows, adapted, strict=True):
                own[row] = affect
        return own


def _read_branch(
    branch: LocalAppraiser, encoder: LocalEncoder, texts: Sequence[str]
) -> tuple[list[Affect], FloatArray]:
    """The embedded model's readings, and the features (n, 384) that they come from."""
    features = encoder.features(texts).astype(float)
    return branch.appraise(texts), features


def _is_of_branch(affect: Affect) -> bool:
    """Whether the branch read it, rather than nobody or the model of another language."""
    return affect.source == BRANCH and not affect.is_unknown


def _checked(texts: Sequence[str], affects: Sequence[str | Affect]) -> list[Affect]:
    """What is known of each row; of an unknown affect nothing, and of a label no number."""
    if len(texts) != len(affects):
        msg = f"texts and affects must be as many; got {len(texts)} and {len(affects)}"
        raise ValueError(msg)
    known = []
    for row, (text, affect) in enumerate(zip(texts, affects, strict=True)):
        if not isinstance(text, str):
            msg = f"row {row}: a text must be a str, got {type(text).__name__}"
            raise TypeError(msg)
        if not isinstance(affect, str | Affect):
            msg = f"row {row}: an affect must be a label or an Affect, got {type(affect).__name__}"
            raise TypeError(msg)
        one = Affect(label=affect) if isinstance(affect, str) else affect
        if one.label == UNKNOWN:
            one = one.model_copy(update={"label": None})
        elif one.label is not None and not is_known_label(one.label):
            msg = f"row {row}: an unknown label; known are {', '.join(known_labels())}"
            raise ValueError(msg)
        known.append(one)
    return known
