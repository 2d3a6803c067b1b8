"""Plutchik's eight emotions in texts, each 1 to 10: by a chat model's prompt or by an appraiser."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem.affect import AffectArray
from emomem.appraisal.base import appraise_safely
from emomem.appraisal.chat import scoring_messages
from emomem.appraisal.replies import PlutchikReply
from emomem.asking import UnusableAnswerError, ask
from emomem.emotions import PLUTCHIK
from emomem.prompts import Language
from emomem.protocols import Appraiser, ChatModel
from emomem.ranking.paper import scores_of

FloatArray = NDArray[np.float64]

_UNKNOWN: Final = np.full(len(PLUTCHIK), np.nan)


def score_by_prompt(model: ChatModel, text: str, language: Language = "en") -> FloatArray:
    """(8,) scores 1..10 as a chat model gives them; NaN where it answers nothing usable.

    The prompt is that of `ChatAppraiser(prompt="plutchik")`, whose affect is a distribution; here
    the scores stay as they were given, so that the published distances hold to the digit.

    Args:
        model: The model.
        text: The text, which is quoted to it as data.
        language: That of the question.

    Raises:
        Exception: Whatever the model raises.
    """
    if not text.strip():
        return _UNKNOWN
    try:
        reply = ask(model, scoring_messages(text, "plutchik", language), PlutchikReply, language)
    except UnusableAnswerError:
        return _UNKNOWN
    return reply.scores


def scores_by_appraiser(appraiser: Appraiser, texts: Sequence[str]) -> FloatArray:
    """(n, 8) scores 1..10 by the distribution that an appraiser reads; NaN where it reads none.

    The eight sum to at most 17: a distribution shares one whole among them.
    """
    return scores_of(AffectArray.from_affects(appraise_safely(appraiser, list(texts))))
