"""The commonest sentences in which things change, in Chinese and Portuguese, as patterns.

Each frame has a name, a pattern and a sign. Group `v` is the value, `k` what it is of or what is
liked or done, `w` somebody else whom it is about. English has rules of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

About = Literal["home", "work", "named", "when", "likes", "does", "bond"]
"""What a frame tells: the first four have one value at a time, the rest are for or against."""


@dataclass(frozen=True)
class Frame:
    """One way to say something."""

    about: About
    pattern: re.Pattern[str]
    sign: int = 1


@dataclass(frozen=True)
class Grammar:
    """How one language says these things.

    Attributes:
        clause: What parts a sentence into clauses.
        left_out: A sentence that asks, supposes, or tells of others' words,
        or of what comes on top.
        past: What is over.
        changed: What says that something is otherwise now.
        noise: What is dropped from values and things.
        frames: The frames; the first that matches a clause counts.
    """

    clause: re.Pattern[str]
    left_out: re.Pattern[str]
    past: re.Pattern[str]
    changed: re.Pattern[str]
    noise: re.Pattern[str]
    frames: tuple[Frame, ...]


def _frame(about: About, sign: int, pattern: str) -> Frame:
    return Frame(about, re.compile(pattern), sign)


_ZH_NOW: Final = "(?:现在|已经|刚刚?|终于|上周|上个月|最近|目前|也就|又|从今以后|以后)*"
_ZH_WHO: Final = "(?P<w>我们?|我(?:的)?[\u4e00-\u9fff]{1,3}?|[\u4e00-\u9fff]{2,3}?)"
_ZH_WHEN: Final = (
    "(?:这|下|每)?(?:个)?(?:周|星期|礼拜)[一二三四五六日天].*|\\d+月\\d+[日号].*|[一二三四五六七八九十]+月.*"
    "|\\d+[日号].*|(?:早上|上午|中午|下午|晚上)?[\\d一二两三四五六七八九十]+点.*"
)
_ZH_DEED: Final = "(?:喝|吃|抽|养|练|学|玩|打|跑|用|想要|想|有)"
_PT_DAY: Final = (
    "(?:segunda|terça|quarta|quinta|sexta|sábado|domingo|dia \\d+|\\d{1,2}(?::\\d\\d|h\\d*)?"
    "|(?:uma|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze)(?: horas| da \\w+)?"
    "|(?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro))\\b.*"
)
_PT_DEED: Final = "(?:beb|com|fum|tom|jog|estud|us|quer|pratic|faç|faz|tenh|ter)"

GRAMMARS: Final[Mapping[str, Grammar]] = {
    "zh": Grammar(
        clause=re.compile("[，。！；、,.!;\\s]+|但是?|不过|可是"),
        left_out=re.compile(
            "[?？]|吗|如果|要是|假如|也许|可能|或许|梦见|据说|听说|他说|她说|妈说|打算|考虑"
        ),
        past=re.compile("以前|曾经|小时候|当时|过去|当年|那时"),
        changed=re.compile("现在|搬|改|换|推迟|提前|挪|不再|戒|再也|从今|以后|了$|新"),
        noise=re.compile(
            "了$|^在|的$|那边|这边|那里|一个|一间|一条|一只|很|非常|这个|那个|这份|我的|我们的"
        ),
        frames=(
            _frame(
                "home",
                1,
                f"^{_ZH_WHO}{_ZH_NOW}(?:住在|住到|搬到了?|搬去了?|搬回了?|搬进了?)(?P<v>.+)$",
            ),
            _frame("home", 1, f"^{_ZH_NOW}(?:搬到了?|搬去了?|搬回了?)(?P<v>.+)$"),
            _frame("work", 1, f"^{_ZH_WHO}{_ZH_NOW}在(?P<v>.+?)(?:上班|工作)了?$"),
            _frame("work", 1, f"^{_ZH_WHO}{_ZH_NOW}(?:跳槽到了?|换到了?|入职了?)(?P<v>.+)$"),
            _frame(
                "named",
                1,
                "^我的?(?:新的?)?(?P<k>电话|手机|号码|邮箱|微信|密码|地址)(?:号码?|地址)?"
                f"{_ZH_NOW}(?:是|改成了?|换成了?|变成了?)(?P<v>.+)$",
            ),
            _frame(
                "when",
                1,
                f"^(?P<k>[^在是改推提挪换]+?)(?:时间)?{_ZH_NOW}(?:是|在|改到了?|改成了?|改在了?|推迟到了?"
                f"|提前到了?|挪到了?|换到了?|定在了?)(?P<v>{_ZH_WHEN})$",
            ),
            _frame("bond", -1, f"^{_ZH_WHO}.*(?P<k>分手|离婚|单身).*$"),
            _frame("bond", 1, f"^{_ZH_WHO}.*(?P<k>结婚|订婚|男朋友|女朋友|丈夫|妻子|谈恋爱).*$"),
            _frame(
                "likes",
                -1,
                f"^我们?{_ZH_NOW}(?:真的?|特别|越来越|再也|一点都?|很|非常)*(?:讨厌|不喜欢|受不了|不爱|不再喜欢"
                "|不再爱|恨|害怕|厌倦了?)(?P<k>.+)$",
            ),
            _frame(
                "likes",
                1,
                f"^我们?{_ZH_NOW}(?:真的?|特别|越来越|很|非常|最|开始|超级?|一直)*(?:喜欢上?了?|爱上?了?|热爱|享受)(?P<k>.+)$",
            ),
            _frame(
                "does",
                -1,
                f"^我们?{_ZH_NOW}(?:再也)?(?:不再|不|戒了|戒掉了?|戒|没有|放弃了?){_ZH_DEED}?(?P<k>.+)$",
            ),
            _frame(
                "does",
                1,
                f"^我们?{_ZH_NOW}(?:每天|经常|一直|都|会|正在|在|开始|又|要)*{_ZH_DEED}(?P<k>.+)$",
            ),
        ),
    ),
    "pt": Grammar(
        clause=re.compile("[.,;!…]+\\s*| mas | e (?=agora|já|não|eu )|\\n"),
        left_out=re.compile(
            "\\?|\\b(?:se|talvez|acho que|sonhei|disse|diz|dizem|imagina|também|outr[oa]"
            "|pens\\w+ em)\\b"
        ),
        past=re.compile(
            "\\b(?:antes|quando era|antigamente|em criança|na altura|costumava|há anos|anos"
            " atrás)\\b"
        ),
        changed=re.compile(
            "\\b(?:agora|mud\\w+|adiad[oa]|remarcad[oa]|antecipad[oa]|passou|já não|mais|deixei"
            "|parei|novo|nova"
            "|comecei|afinal|voltei)\\b"
        ),
        noise=re.compile(
            "\\b(?:agora|mais|muito|tanto|nada|o|a|os|as|um|uma|de|do|da|dos|das|em|no|na|meu|minha|este|esta"
            "|esse|essa|feira|às?|ao|todos|dias|sempre|mês passado|semana passada|há .*)\\b|-"
        ),
        frames=(
            _frame(
                "home",
                1,
                "^(?:(?P<w>eu|nós|a gente|(?:o meu|a minha|meu|minha) \\w+) )?(?:agora |já |hoje )*"
                "(?:moro|moramos|vivo|vivemos|mora|vive|(?:me |nos )?mud(?:ei|ámos|amos"
                "|ou)(?:-me|-nos|-se)?"
                "|estou a viver) (?:agora |de casa )?(?:em|no|na|nos|nas|para(?: o| a)?|pra|pro"
                "|ao|à) (?P<v>.+)$",
            ),
            _frame(
                "work",
                1,
                "^(?:eu )?(?:agora |já )*(?:trabalho|comecei a trabalhar|fui trabalhar"
                "|trabalhamos) (?:agora )?"
                "(?:no|na|em|num|numa|para|com|como) (?P<v>.+)$",
            ),
            _frame(
                "named",
                1,
                "^(?:o )?meu (?:novo )?(?P<k>número|telefone|telemóvel|celular|e-?mail"
                "|endereço)(?: \\w+ \\w+)?"
                " (?:agora )?(?:é|mudou para|passou a ser) (?P<v>.+)$",
            ),
            _frame(
                "when",
                1,
                "^(?P<k>.+?) (?:agora )?(?:é|são|está marcad[oa]|fica|ficou|começa|passou|mudou"
                "|foi (?:adiad|mudad|antecipad|remarcad|passad)[oa]) (?:agora )?(?:no|na|em|às?"
                "|ao|para)?"
                f"(?: ?(?:o|a|as|às))? ?(?P<v>{_PT_DAY})$",
            ),
            _frame(
                "bond",
                -1,
                "^.*\\b(?P<k>divorci\\w+|separ(?:ei|ámos|amos)\\w*|terminei com|terminámos"
                "|solteir[oa])\\b.*$",
            ),
            _frame(
                "bond",
                1,
                "^.*\\b(?P<k>cas(?:ei|ado|ada)|noiv[oa]|namor(?:o|ado|ada)|meu marido|minha"
                " mulher)\\b.*$",
            ),
            _frame(
                "likes",
                -1,
                "^(?:eu )?(?:(?:agora |já )*(?:não|nunca) (?:\\w+ )?(?:gosto|suporto|aguento"
                "|adoro|amo|curto)"
                "|(?:agora )?(?:odeio|detesto)|deixei de gostar|fartei-me|estou fart[oa])"
                " (?P<k>.+)$",
            ),
            _frame(
                "likes",
                1,
                "^(?:eu )?(?:agora |sempre |até )*(?:gosto|adoro|amo|curto|comecei a gostar)"
                " (?P<k>.+)$",
            ),
            _frame(
                "does",
                -1,
                f"^(?:eu )?(?:agora |já )*(?:(?:não|nunca) (?:como?e?|{_PT_DEED}\\w*)|deixei de"
                f" {_PT_DEED}\\w*"
                f"|parei de {_PT_DEED}\\w*|larguei|desisti de)(?P<k>.*)$",
            ),
            _frame("does", 1, f"^(?:eu )?(?:agora |sempre )*(?:{_PT_DEED}\\w*)(?P<k>.*)$"),
        ),
    ),
}
