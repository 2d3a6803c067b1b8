"""Running the steps of a memory, in sync or async, for one user."""

from contextlib import closing
from typing import Any

from emomem.memory.arguments import check_user_id
from emomem.memory.parts import Call, Parts, Steps
from emomem.memory.recovery import recover
from emomem.steps import adrive, drive


class Running:
    """Runs steps over the parts of a memory; what a crash cut off is settled first.

    Args:
        parts: The parts.
        user_id: Whose memories, where a call does not say.
    """

    def __init__(self, parts: Parts, user_id: str | None) -> None:
        self._parts = parts
        self.user_id = user_id

    def _user(self, user_id: str | None) -> str:
        """The user of a call.

        Raises:
            ValueError: Neither the call nor the memory names one, or no engine could keep it.
        """
        found = self.user_id if user_id is None else user_id
        check_user_id(found, "name the user, in the call or when the memory is made")
        return str(found)

    def _run(self, user_id: str, steps: Steps) -> Any:  # noqa: ANN401 - what the steps return
        with closing(self._settled(user_id, steps)) as settled:  # it gives its turn back
            return drive(settled, _answer)

    async def _arun(self, user_id: str, steps: Steps) -> Any:  # noqa: ANN401 - the same
        with closing(self._settled(user_id, steps)) as settled:
            return await adrive(settled, _aanswer)

    def _settled(self, user_id: str, steps: Steps) -> Steps:
        yield from recover(self._parts, user_id)
        return (yield from steps)


def _answer(call: Call) -> Any:  # noqa: ANN401 - of any part
    return call.answer()


async def _aanswer(call: Call) -> Any:  # noqa: ANN401 - of any part
    return await call.aanswer()
