import pytest

from langchain_emomem.cli.chat_models import open_chat_model
from langchain_emomem.cli.errors import UsageError


@pytest.mark.parametrize("name", ["", " "])
def test_no_name_is_no_model(name):
    with pytest.raises(UsageError, match="--model must be a name of LangChain's init_chat_model"):
        open_chat_model("--model", name)
