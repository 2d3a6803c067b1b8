"""The form: one HTML file that works without a network, asks no server and keeps its answers."""

from collections.abc import Mapping
from functools import partial
from html import escape

from emomem.evaluation.ratings.outputs import Output
from emomem.evaluation.ratings.scales import (
    COLUMNS,
    GRADES,
    Scale,
    ScaleName,
    form_texts,
    scales,
)
from emomem.pages import content_policy, page_part
from emomem.prompts import Language

_part = partial(page_part, "emomem.evaluation.ratings")


def form_page(
    rater: str, study: str, outputs: Mapping[str, Output], language: Language = "en"
) -> str:
    """A page that one rater opens in any browser, also from a disk.

    Every text is escaped, and the page's policy lets no script run but its own, and nothing load.

    Args:
        rater: Whose page it is.
        study: The study, which keeps its answers apart from those of another.
        outputs: By item, in the order in which they are rated.
        language: Of scales and words.

    Raises:
        ValueError: There is no form in the language.
    """
    words = form_texts(language)
    style, script = _part("form.css"), _part("form.js")
    policy = content_policy(style, script)
    sections, before = [], None
    for number, (item, one) in enumerate(outputs.items(), start=1):
        head = f"{words.item} {number} / {len(outputs)}"
        sections.append(_section(head, item, one, language, is_new=one.scenario != before))
        before = one.scenario
    columns, rated = ",".join(COLUMNS), escape(words.answered)
    return f"""<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(words.title)} ({escape(rater)})</title>
<style>{style}</style>
</head>
<body data-rater="{escape(rater)}" data-study="{escape(study)}" data-columns="{columns}">
<header>
<h1>{escape(words.title)}</h1>
<p>{escape(words.intro)}</p>
<p class="small">{escape(words.privacy)} {escape(words.keys)}</p>
<noscript><p class="missing">{escape(words.script)}</p></noscript>
</header>
<main>
{"".join(sections)}</main>
<footer>
<p><progress id="bar" value="0" max="{len(outputs)}" aria-label="{rated}"></progress>
<span id="count" role="status">0</span> / {len(outputs)} {rated}
<span id="missing" data-text="{escape(words.missing)}"></span></p>
<nav>
<button type="button" id="previous">{escape(words.previous)}</button>
<button type="button" id="following">{escape(words.following)}</button>
<button type="button" id="unanswered">{escape(words.unanswered)}</button>
<button type="button" id="download">{escape(words.download)}</button>
</nav>
</footer>
<script>{script}</script>
</body>
</html>
"""


def _section(heading: str, item: str, output: Output, language: Language, *, is_new: bool) -> str:
    """One item; what weighs on the person stands open where the scenario is new to the rater."""
    words = form_texts(language)
    parts = [f'<section id="item-{item}" data-item="{item}">\n']
    parts.append(f'<h2 tabindex="-1">{escape(heading)}</h2>\n')
    for head, text in ((words.person, output.person), (words.situation, output.situation)):
        if text:
            parts.append(f'<h3>{escape(head)}</h3>\n<p class="told">{escape(text)}</p>\n')
    if output.background:
        lines = "".join(f"<li>{escape(line)}</li>" for line in output.background)
        parts += [
            f"<details{' open' * is_new}><summary>{escape(words.background)}</summary>\n",
            f"<ul>{lines}</ul></details>\n",
        ]
    parts.append(f'<h3>{escape(words.output)}</h3>\n<p class="output">{escape(output.text)}</p>\n')
    parts += [_fieldset(item, name, scale) for name, scale in scales(language).items()]
    return f"{''.join(parts)}</section>\n"


def _fieldset(item: str, name: ScaleName, scale: Scale) -> str:
    group = f"{item}-{name}"
    grades = "".join(
        f'<label for="{group}-{grade}"><input type="radio" id="{group}-{grade}" name="{group}" '
        f'data-scale="{name}" value="{grade}"><span>{grade}</span></label>'
        for grade in GRADES
    )
    asks = f'<p>{escape(scale.question)}</p>\n<p class="ends">1: {escape(scale.low)}<br>'
    return (
        f'<fieldset aria-describedby="{group}-asks"><legend>{escape(scale.title)}</legend>\n'
        f'<div id="{group}-asks">{asks}5: {escape(scale.high)}</p></div>\n'
        f'<div class="grades">{grades}</div></fieldset>\n'
    )
