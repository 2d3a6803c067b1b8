"""The appraiser that is used where none is named."""

from emomem.appraisal.local import LocalAppraiser
from emomem.protocols import Appraiser


def default_appraiser() -> Appraiser:
    """The embedded affect model.

    Raises:
        ImportError: It is not installed; the message names what to install or to pass.
    """
    try:
        return LocalAppraiser()
    except ImportError as error:
        msg = (
            f"{error}; or pass an appraiser: LexiconAppraiser() reads valence with no model, "
            "HuggingFaceAppraiser(...) reads any text-classification model"
        )
        raise ImportError(msg) from error
