"""The verbs by which the rules find what a clause says of what."""

from typing import Final

from emomem.memory.detectors.words import listed

CHANGE: Final = "change"
"""The attribute of a clause that says no more than that something has another value now."""

ATTRIBUTES: Final = {
    form: attribute
    for attribute, forms in {
        "be": "is are am was were be been being remains remain became become costs cost",
        "have": "have has had own owns owned got",
        "home": "live lives living lived reside resides based",
        "work": "work works working worked employed joined",
        "prefer": "prefer prefers preferred rather favour",
        "like": "like likes liked love loves enjoy enjoys",
        "want": "want wants wanted",
        "avoid": "avoid avoids avoiding",
        CHANGE: """
            moved moves move postponed rescheduled shifted changed delayed rose dropped increased
            decreased extended shortened raised reduced grew turned turns fell brought updated
            """,
    }.items()
    for form in forms.split()
}
"""What a verb says of its subject, for those of which several say the same."""

ALL_VERBS: Final = ATTRIBUTES.keys() | listed("""
    weigh weighs eat eats eating drink drinks use uses using take takes wear wears read reads listen
    listens watch watches play plays speak speaks study studies studied studying go goes went going
    attend attends stay stays staying stayed open opens close closes start starts starting leave
    leaves arrive arrives arrived begin begins end ends finish finishes finished depart departs earn
    earns pay pays paid drive drives ride rides run runs walk walks smoke smokes cook cooks sleep
    sleeps get gets need needs know knows teach teaches learn learns switched keep keeps spend
    spends call calls called contains belongs sits stands hangs lies lasts takes includes supports
    serves started expires visit visited bought sold passed met saw signed found lost quit
    retired broke
    fixed write writes order orders book books booked buy buys commute commutes swim swims train
    trains meet meets shut shuts returned sent received come comes coming bank banks land lands
    landed park parks wake wakes
""")
PAST_VERBS: Final = listed("""
    was were had lived worked owned liked loved preferred wanted stayed went ate drank ran wore
    drove played visited studied took spoke did used attended slept earned weighed met saw bought
    arrived found lost passed paid sent received signed returned finished
""")
