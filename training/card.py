"""Write the model card from what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from training import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from training.evaluate import Measure

SOURCES: Final = """\
| data | used for | licence |
| --- | --- | --- |
| all-MiniLM-L6-v2 | shared layers, and where the branch starts | Apache-2.0 |
| GoEmotions (Demszky et al. 2020) | train; dev calibrates; test measures | Apache-2.0 |
| EmoBank (Buechel & Hahn 2017) | train; test measures | CC BY-SA 4.0 |
| BRIGHTER (SemEval-2025 task 11, track B) | train of three languages; dev measures | CC BY 4.0 |
| XED (Öhman et al. 2020) | train of three languages | CC BY 4.0 |
| sentences of `training/templates.py` | train: sarcasm, negation, events | MIT |
| phrases of `training/portuguese.py` | train of Portuguese | MIT |
| memories of `training/conflict.tsv` and `training/people` | train and test of conflict | MIT |
| all-mpnet-base-v2 | what the teacher of conflict starts from | Apache-2.0 |
| Russell & Mehrabian (1977) | place of each label in VAD | published means |"""

TEMPLATE: Final = """\
---
license: cc-by-sa-4.0
language: [en, zh, pt]
base_model: sentence-transformers/all-MiniLM-L6-v2
---

# The embedded affect model of emomem

Written by `python -m training.train`; do not edit.

MiniLM's first three layers are shared with the sentence embedding. A copy of its last three,
fine-tuned, with attention pooling and linear heads reads from them 28 emotions and valence,
arousal and dominance of an English text. Chinese and Portuguese have a linear model on hashed
character n-grams each, the Portuguese one on words, pairs of words and the beginnings of words
too, and on hand-written phrases beside the public data; they give six emotions and neutral. A
reading of theirs whose label is more likely wrong than right is withheld.

Another such copy with one output reads conflict in English: what weighs between people or on
oneself. It learned from hand-written memories, and from what a larger model that learned from the
same (`training.teacher`) reads in them, in sentences of them that stand alone or among others', and
in the public texts. `python -m training.conflict --measure` prints how well it does on people held
out. In Chinese and Portuguese conflict is read by a linear model on the same n-grams, which learned
from memories in these languages and from public texts without any emotion; `python -m
training.conflict_ngrams` prints how well it reads people whose author it has not seen.

{size}

## Data and licences

{sources}

Rows of the training splits whose words equal a row of any development or test split were left out
of the English training data. The weights are under CC BY-SA 4.0, as EmoBank asks.

Nothing in these files was trained or tuned on non-commercial data. The calibration, the thresholds
and the map to working valence and arousal come from GoEmotions' development split; which runs are
averaged was chosen on those of GoEmotions and EmoBank. (Of the library, the defaults of recall
were: the weight of affect, the sharpness of what is wanted, the gate and comfort's match on one
half of EmpatheticDialogues, CC BY-NC 4.0, and of MADial-Bench, MIT.)

## Measures

Test splits; for BRIGHTER the development split, which nothing was trained or tuned on. The
intervals are percentiles of 1,000 bootstrap samples of the rows. `python -m training.evaluate`
prints this table.

{table}

Hand-written anchors whose working value lies on the right side of the middle: {anchors}.

## How the numbers are to be read

- The distribution over the 28 labels holds each label's calibrated chance, scaled to sum to 1.
- The confidence is the chance that the most probable label is among an annotator panel's labels.
- Correlations are those of the regression head. Working valence, arousal and dominance are half
  the head, mapped by its rank among conversational texts, and half the expectation of the label
  table; they use the whole range, which EmoBank's own numbers do not.

## Limits, and whom it fails for

- It was taught by Reddit comments, film subtitles, and news, fiction and blog sentences, labelled
  mostly by English-speaking crowd workers in the United States and India. Other ways of showing
  emotion, dialects (African American English among them) and reclaimed words are read less well,
  and often as more negative or angrier than they are meant.
- It reads one text at a time, without its context: irony, in-jokes, quotations and reported
  speech are read as they stand. "Sam was upset" is read as sad, whoever speaks.
- A feeling that is shown and not named ("nobody here knows my name", "the doctor went quiet") is
  often read as neutral.
- Rare labels (grief, pride, relief, nervousness, embarrassment) had from 77 to 303 training
  texts; their thresholds and scores are uncertain.
- Arousal and dominance are far less certain than valence, as they are among people.
- Conflict was taught by memories and sentences that were written for it alone. What weighs by its
  context only, and quiet obligations, are often missed, and so is one line among many mild ones. In
  Chinese and Portuguese single words decide: one of family or money in a short text may be enough.
- The Chinese model saw social media posts and a few subtitles, the Portuguese one mostly
  Brazilian posts and subtitles. Both know the words that they saw and little else; disgust and
  fear are rare in their data and weakly read.
- It must not be used to infer anything about a person's health, or for decisions about people.
"""


def write(measures: Sequence[Measure], held: Mapping[str, tuple[int, int]], folder: Path) -> None:
    """Write `MODEL_CARD.md` into the folder of the weights.

    Args:
        measures: the rows of the table.
        held: for each kind of anchor, how many hold and how many there are.
        folder: where the weights are.
    """
    files = sorted(folder.glob("*.safetensors"))
    sizes = [f"`{path.name}` {path.stat().st_size / 1e6:.1f} MB" for path in files]
    text = TEMPLATE.format(
        size=f"Files: {', '.join(sizes)}.",
        sources=SOURCES,
        table=evaluate.table(measures),
        anchors=", ".join(f"{name} {count} of {total}" for name, (count, total) in held.items()),
    )
    (folder / "MODEL_CARD.md").write_text(text, encoding="utf-8")
