"""What changes in Chinese and Portuguese, and what only looks like it."""

import pytest

from emomem.memory.detectors.facts import FactUpdateDetector

CHANGES = [
    ("我搬到了杭州。", "我住在上海。", "fact_update"),
    ("我的电话换成了13900002222。", "我的电话是13800001111。", "fact_update"),
    ("牙医预约改到了周五。", "牙医预约在周二。", "fact_update"),
    ("我讨厌我的新工作。", "我很喜欢我的新工作。", "evaluative"),
    ("我不再喝咖啡了。", "我每天喝咖啡。", "preference_change"),
    ("我离婚了。", "我结婚了。", "fact_update"),
    ("Mudei-me para o Porto.", "Moro em Lisboa.", "fact_update"),
    ("A consulta foi adiada para sexta.", "A consulta é na terça.", "fact_update"),
    ("O meu número agora é 933 222 111.", "O meu número é 912 345 678.", "fact_update"),
    ("Já não gosto de correr.", "Gosto de correr.", "evaluative"),
    ("Deixei de beber café.", "Bebo café todos os dias.", "preference_change"),
    ("Divorciei-me em março.", "Sou casada.", "fact_update"),
]
NONE = {
    "another person": ("我妈妈住在杭州。", "我住在上海。"),
    "the past": ("我住在上海。", "我以前住在北京。"),
    "an addition": ("我也喜欢狗。", "我喜欢猫。"),
    "a supposition": ("如果我搬到杭州就好了。", "我住在上海。"),
    "a question": ("你觉得我应该搬到杭州吗？", "我住在上海。"),
    "another thing": ("聚餐改到了周五。", "会议在周二。"),
    "another drink": ("我不喝酒了。", "我喝茶。"),
    "a day and an hour": ("会议改到下午五点了。", "会议在周二。"),
    "outra pessoa": ("A minha irmã mora agora no Porto.", "Moro em Lisboa."),
    "uma suposição": ("Se eu morasse no Porto, era feliz.", "Moro em Lisboa."),
    "uma pergunta": ("Devo mudar-me para o Porto?", "Moro em Lisboa."),
    "outra coisa": ("A reunião foi adiada para sexta.", "A consulta é na terça."),
    "também": ("Também gosto de café.", "Gosto de chá."),
}


@pytest.mark.parametrize(("new", "old", "kind"), CHANGES)
def test_what_is_otherwise_now(unit, new, old, kind):
    [conflict] = FactUpdateDetector().detect(unit(new), [unit(old)])
    assert (conflict.kind, conflict.against.text) == (kind, old)


@pytest.mark.parametrize(("new", "old"), NONE.values(), ids=NONE)
def test_what_only_looks_like_it_is_none(unit, new, old):
    assert FactUpdateDetector().detect(unit(new), [unit(old)]) == []
