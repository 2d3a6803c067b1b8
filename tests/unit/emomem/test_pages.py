import re

import pytest

from emomem.pages import content_policy

EMPTY = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="


@pytest.mark.parametrize("connect", ["none", "self"])
def test_a_policy_lets_in_its_own_style_and_script_and_asks_whom_it_says(connect):
    policy = content_policy("", "a", connect)
    assert policy.startswith("default-src 'none'; ")
    assert f"style-src '{EMPTY}'" in policy
    [script] = re.findall(r"script-src '(\S+)'", policy)
    assert script.startswith("sha256-")
    assert script != EMPTY
    assert f"connect-src '{connect}'" in policy
