import hashlib
import json
import re
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem.inspection.page import embedded, page

EVIL = "</script><script>document.title='broken'</script><!-- & {{script}} {{data}} \u2028\u2029"


@given(st.text())
def test_a_text_is_data_and_cannot_end_the_element_that_holds_it(text):
    data = embedded({text: [text]})
    assert json.loads(data) == {text: [text]}
    assert not re.search("[<>&\u2028\u2029]", data)


def test_what_is_no_number_of_json_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        embedded(float("nan"))


def test_a_page_holds_its_data_once_whatever_is_in_it():
    html = page({"text": EVIL})
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html)
    assert json.loads(data) == {"text": EVIL}
    assert html.count("<script") == 2
    assert "{{" not in html.replace("{{script}} {{data}}", "")


def test_the_policy_lets_its_own_script_and_style_run_and_nothing_load():
    html = page({})
    policy = re.search('Security-Policy" content="([^"]*)"', html)[1]
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "connect-src 'self'" in page(None)
    for kind in ("script", "style"):
        [text] = re.findall(f"<{kind}>(.*?)</{kind}>", html, re.DOTALL)
        digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert not re.search(r"\b(src|href)=|url\(|\sstyle=|\son\w+=", html)
    addresses = re.findall(r"https?://[^\"']*", html)
    assert addresses == ["http://www.w3.org/2000/svg"]  # a name that nobody asks


def test_the_script_never_reads_a_text_as_html():
    html = page({})
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", html)
