"""The appraiser that is used where none is named."""

from emomem.protocols import Appraiser


def default_appraiser() -> Appraiser:
    """The embedded affect model.

    Raises:
        ImportError: It is not installed; the message names what to install or to pass.
    """
    msg = (
        "no embedded affect model is installed (emomem[local]); pass an appraiser: "
        "LexiconAppraiser() reads valence with no model, HuggingFaceAppraiser(...) reads any "
        "text-classification model"
    )
    raise ImportError(msg)
