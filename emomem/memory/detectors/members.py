"""What belongs to a kind of thing: the small lists by which the rules know a rose for a flower."""

from typing import Final

from emomem.memory.detectors.words import stem


def _kinds(members: dict[str, str]) -> dict[str, frozenset[str]]:
    return {stem(kind): frozenset(map(stem, words.split())) for kind, words in members.items()}


_MEMBERS: Final = _kinds({
    "alcohol": "wine beer whisky whiskey gin vodka champagne cocktail rum cider prosecco port",
    "meat": "beef chicken pork steak bacon ham burger sausage lamb turkey",
    "sugar": "doughnut donut cake candy chocolate cookie sweets dessert biscuit pastry soda",
    "smoke": "cigarette cigar tobacco vape",
    "caffeine": "coffee espresso cappuccino",
    "dairy": "milk cheese butter cream yoghurt yogurt",
    "weekend": "saturday sunday",
    "pet": "dog cat rabbit hamster",
    "fish": "salmon tuna cod sardine",
})  # fmt: skip
"""What belongs to a kind of thing that people renounce."""

_ASKED_FOR: Final = _kinds({
    "meat": "brisket salami schnitzel kebab veal mince meatball ribs hotdog",
    "alcohol": "liqueur brandy ale lager sherry tequila schnapps",
    "sweet": "doughnut donut cake candy chocolate cookie dessert biscuit pastry ice-cream",
    "sugar": """
        ice-cream muffin brownie waffle pudding jam syrup lemonade cola coke tiramisu cheesecake
        milkshake sweet
        """,
    "dessert": "cake ice-cream tiramisu cheesecake pudding brownie",
    "eat": "restaurant dinner lunch brunch menu steakhouse takeaway pizza sushi supper tasting",
    "drink": "wine beer whisky gin vodka champagne cocktail rum cider prosecco",
    "smoke": "pack",
    "cigarette": "cigar tobacco smoke",
    "clothes": """
        coat jacket dress shirt t-shirt trousers jeans skirt sweater jumper blouse suit scarf hat
        shoe sneaker boot cardigan hoodie sock gloves
        """,
    "shoe": "boot sneaker sandal trainers heels",
    "book": "atlas novel cookbook paperback hardback hardcover textbook thriller e-book ebook",
    "gadget": "phone tablet camera laptop headphones smartwatch drone console speaker",
    "game": "console playstation xbox nintendo",
    "screen": "film television tv series video episode cartoon phone tablet game movie",
    "television": "film tv series episode cartoon",
    "loan": "credit mortgage overdraft",
    "debt": "loan credit overdraft",
    "gift": "present birthday anniversary christmas",
    "present": "gift birthday anniversary",
    "meeting": "call review interview standup stand-up briefing workshop conference video-call",
    "call": "meeting video-call",
    "work": """
        meeting client customer supplier review report shift stocktaking presentation workshop
        deadline inventory
        """,
    "fly": "flight plane",
    "flight": "fly plane",
    "plane": "flight fly",
    "car": "taxi cab uber drive",
    "taxi": "cab uber",
    "takeaway": "pizza sushi delivery takeout",
    "gambl": "bet lottery casino poker",
    "lend": "loan transfer send give",
    "money": "euro pound dollar cash",
    "public": "publish",
    "share": "give tell send show forward disclose reveal publish post",
    "tell": "share show send disclose reveal",
    "junk": """
        pizza burger fries crisps chip doughnut donut cake candy cookie ice-cream soda kebab nugget
        pastry brownie milkshake
        """,
    "social": "tiktok instagram facebook snapchat twitter reddit",
    "media": "tiktok instagram facebook snapchat twitter reddit",
    "food": "grocery meal lunch dinner supper restaurant pizza sushi takeaway",
    "wedding": """
        band dress cake flower photographer hall caterer catering ring venue dj suit bouquet
        invitation limousine
        """,
    "party": "band cake dj hall caterer catering venue drinks decoration",
    "trip": "hotel flight train hostel airbnb car resort",
    "holiday": "hotel flight hostel airbnb resort cruise",
    "vacation": "hotel flight hostel airbnb resort cruise",
    "shop": "order buy get",
    "answer": "write reply text email message",
    "contact": "write call text email message phone answer",
    "pet": "kitten puppy parrot bird",
})  # fmt: skip
"""What an instruction asks for where it names one of these, and what is part of an event's cost;
too loose for facts, where a call is no meeting."""


def covers(general: str, words: frozenset[str]) -> bool:
    """Whether one of some stems is the general one or belongs to it."""
    members = _MEMBERS.get(general, frozenset()) | _ASKED_FOR.get(general, frozenset())
    return general in words or bool(members & words)


def belongs(general: str, word: str) -> bool:
    """Whether a stem is the general one, or for certain one of its kind."""
    return general == word or word in _MEMBERS.get(general, frozenset())


def same_things(new: frozenset[str], old: frozenset[str]) -> bool:
    """Whether two sets of stems are equal, or one is a kind of thing and the other one of it."""
    if new == old:
        return True
    return any(
        len(one) == 1 and bool(_MEMBERS.get(next(iter(one)), frozenset()) & other)
        for one, other in ((new, old), (old, new))
    )
