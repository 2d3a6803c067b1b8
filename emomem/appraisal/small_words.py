"""The small words that every sentence of a language needs, and the commonest of its chat.

A word that several languages share stands with each of them: it then speaks for none.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_LISTS: Final = {
    "en": """
        the a an and or but if so to of in on at by for with from as is am are was were be been
        being have has had having do does did done not no i you he she it we they me him her us
        them my mine your his its our their this that these those there here what who whom which
        when where why how can could will would shall should may might must just very too also
        than then all any some more most much many out up down off over about into because while
        only even still ever never always again now one ain't don't doesn't didn't can't couldn't
        won't wouldn't isn't aren't wasn't weren't i'm i've i'd i'll it's that's what's there's
        you're you've he's she's we're they're let's im ive dont cant didnt thats get got go going
        gonna wanna gotta know think like love want feel felt good great really say said see come
        came make made take let yes yeah yep yup nope ok okay hey hi hello please thanks thank
        sorry lol lmao haha hahaha omg wtf yay ugh aww wow thx idk tbh btw
        oh ohh um uh hmm huh yea ya yuck ick nah meh dunno congrats woohoo hurray argh fuck fucking
        fml brb ily pls plz ur y'all
        """,
    "pt": """
        o a os as um uma uns umas e ou mas se não nao de do da dos das em no na nos nas por pelo
        pela para pra pro com sem que é foi era são ser estar estou está estão tá tô ter tem têm
        tenho temos tinha tive teve eu tu você voce vc vocês ele ela nós eles elas me te lhe mim ti
        meu minha meus minhas teu tua seu sua seus suas nosso nossa dele dela deles isso isto esse
        essa este esta aquele aquela disso nisso daqui aqui ali lá aí muito muita mais já ja também
        tambem tão quando onde como porque pq quem qual quê ao aos à às até só nem num bem mal vai
        vou vamos vais vão vem vi vê fazer faz fez fiz feito faça quero quer quis posso pode podia
        sei sabe sou somos fui foram seja acho disse diz digo dizer ver há houve havia devia deve
        ficar fica fiquei deixa gosto gostei adoro amo odeio agora hoje ontem amanhã sempre nunca
        depois antes ainda logo então talvez assim tudo nada algo todo toda todos alguém ninguém
        coisa coisas casa vida dia noite gente pessoas pai mãe filho filha irmão irmã amigo amiga
        homem mulher senhor deus mundo trabalho medo amor feliz triste lindo linda melhor pior bom
        boa novo nova velho grande obrigado obrigada parabéns desculpe desculpa olá olha sim favor
        claro certo verdade saudade saudades raiva merda porra puta kkk kkkk kkkkk rs rsrs pqp mano
        cara apenas demais menos mesmo mesma outro outra cada entre sobre fora dentro anos meses
        """,
    "es": """
        el la los las un una unos unas y o pero si no de del en por para con sin que es fue era son
        ser estar estoy está están tener tengo tiene yo tú usted él ella nosotros ellos me te le lo
        mi mis tu su sus eso esto ese esa este esta aquí muy más ya también cuando donde como porque
        al hasta hay nada todo todos siempre nunca ahora hoy ayer después bien bueno buena gracias
        hola quiero puede puedo voy vamos vida casa día noche amigo trabajo feliz triste grande cada
        entre sobre todo casa cara claro favor verdad mejor peor
        """,
    "fr": """
        le la les un une des et ou mais si ne pas de du en dans par pour avec sans que qui est était
        sont être suis je tu il elle nous vous ils elles me te se mon ma mes ton ta son sa ses ce
        cet cette ça ici très plus aussi quand où comme parce au aux jusqu c'est j'ai ai as a tout
        rien toujours jamais bien oui non merci bonjour fait faire peut
        """,
    "de": """
        der die das ein eine einen und oder aber wenn nicht kein keine von zu zum zur in im an auf
        mit für ohne dass ist war sind sein bin bist hat habe hatte ich du er sie es wir ihr mich
        dich mir dir mein meine dein hier sehr mehr auch wann wo wie was weil bis nur so den dem
        doch noch schon immer nie heute ja nein danke will kann muss
        """,
    "it": """
        il lo la i gli le un uno una e o ma se non di del della dei in per con senza che è era sono
        essere io tu lui lei noi voi loro mi ti si mio mia tuo tua questo questa qui molto più anche
        quando dove come perché al fino ho ha hai sempre mai tutto niente grazie ciao bene casa vita
        """,
    "nl": """
        de het een en of maar als niet geen van te in op aan met voor zonder dat is was zijn ben ik
        jij je hij zij ze wij we mij me jou mijn jouw hier zeer heel meer ook wanneer waar hoe omdat
        tot heb hebt heeft had niets altijd nooit
        """,
    "ro": """
        un o și si sau dar dacă nu de la din în pe cu pentru fără că este e era sunt fi eu tu el ea
        noi voi ei mă te se mi meu mea tău acest asta aici foarte mai când unde cum până a am ai au
        """,
    "ca": """
        el la els les un una uns unes i o però si no de del dels en per amb sense que és era són jo
        tu ell ella nosaltres em et es meu meva això aquí molt més ja també quan on com perquè fins
        """,
    "sv": """
        och att det som en ett jag du han hon vi de inte är var har hade på för med av till den om
        men så mig dig min din här mycket också när
        """,
    "da": """
        og at det som en et jeg du han hun vi de ikke er var har havde på for med af til den om men
        så mig deg meg min din her meget også når hvad hva
        """,
    "pl": """
        i w nie na się że to jest z do jak ale co tak mnie ja ty on ona był była są dla za od po
        już bardzo kiedy gdzie mam
        """,
    "tr": """
        ve bir bu da de için çok ama ne ben sen o biz ile gibi daha değil var yok mi mu bana seni
        beni benim şey
        """,
    "id": """
        yang dan di ini itu saya aku kamu dia kami kita tidak ada untuk dengan dari ke akan sudah
        sangat juga tapi karena apa
        """,
    "fi": """
        ja on ei se että hän minä sinä mutta oli kun niin minun ovat ole olen mitä tämä nyt vain
        """,
}

SMALL_WORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {language: frozenset(words.split()) for language, words in _LISTS.items()}
)
"""Language -> its words, in lower case."""
