"""EmpatheticDialogues (Rashkin et al. 2019): does what comes back feel the same?"""

from pathlib import Path
from typing import Final

from emomem.evaluation.datasets.base import Dataset, Query, Store, read_csv

SOURCE: Final = "https://github.com/facebookresearch/EmpatheticDialogues"


def load_empathetic(data: Path) -> Dataset:
    """EmpatheticDialogues' test dialogues, each by its speaker's first turn.

    Each turn is a query to all the others; those of a dialogue with the same of 32 emotions are
    relevant.

    Args:
        data: The folder that holds `empathetic_dialogues/`.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    path = data / "empathetic_dialogues" / "test.csv"
    columns = ("conv_id", "utterance_idx", "utterance", "emotion")
    rows = read_csv(path, SOURCE, columns)
    firsts = [row for row in rows if row["utterance_idx"] == "1"]
    # The original files spell commas out.
    texts = tuple(row["utterance"].replace("_comma_", ",").strip() for row in firsts)
    places: dict[str, set[int]] = {}
    for index, row in enumerate(firsts):
        places.setdefault(row["emotion"], set()).add(index)
    queries = tuple(
        Query(
            id=row["conv_id"],
            turns=(texts[index],),
            own=(True,),
            relevant=frozenset(places[row["emotion"]] - {index}),
            left_out=frozenset({index}),
        )
        for index, row in enumerate(firsts)
        if len(places[row["emotion"]]) > 1
    )
    return Dataset("EmpatheticDialogues", SOURCE, (Store(texts, queries),))
