"""Hand-written Brazilian Portuguese phrases, each with what its writer feels.

They teach the n-gram model the words of feelings that few rows of BRIGHTER have: fear and disgust
most of all. The words are those of chats and posts, short forms and swearing included.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.appraisal.ngrams import LABELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEAR: Final = """
tenho medo / estou com muito medo / to com medo / morro de medo de barata / que medo / deu medo
medo de morrer / tenho pavor de altura / fiquei apavorada / estou apavorado / que pavor
entrei em pânico / crise de pânico / me dá pânico / foi aterrorizante / que terror
é assustador / fiquei assustado / isso me assusta / levei um susto / que susto
quase morri de susto / socorro / socorro alguém me ajuda / estou nervosa com a prova
to mt nervoso / que nervoso / to tensa / que tensão / tô tremendo / meu coração disparou
minhas pernas tremeram / não consigo dormir de preocupação / estou preocupada
to preocupado com isso / muito preocupante / que ansiedade / crise de ansiedade
to ansiosa e com medo / que aflição / estou aflita / que agonia / tive um pesadelo
parecia um pesadelo / isso é perigoso / que perigo / correr perigo / é um risco enorme
estão me ameaçando / recebi uma ameaça / fui assaltado e fiquei com medo
tem alguém me seguindo / ouvi um barulho estranho de noite / casa mal assombrada
que coisa sinistra / sinistro demais / fiquei arrepiado de medo / me deu calafrio
deus me livre / deus nos livre / que deus nos proteja / livrai-nos do mal
tenha misericórdia de nós / e se der errado / receio que dê errado / tenho receio
fico insegura / me sinto insegura nessa rua / tenho fobia de palhaço / não tenho coragem
me falta coragem / medo do futuro / o futuro me assusta / que desespero / bateu o desespero
estou desesperada / cagado de medo / me caguei de medo / to me cagando / me borrei todo
que cagaço / tenho trauma / fiquei traumatizada / estamos todos ferrados
to fudida se ele descobrir / vai dar merda / estou com mau pressentimento
algo ruim vai acontecer / vai ter guerra / medo da violência / medo de ficar sozinha
tomara que não aconteça nada de ruim / tomara que não seja câncer
pelo amor de deus alguém me ajuda / me ajuda por favor / por favor não deixem isso acontecer
gente pelo amor de deus / alguém me salva / senhor nos proteja / deus tenha piedade / pai do céu
jesus amado / meu deus do céu que perigo / e agora o que vai ser de mim
o que vai ser do brasil / isso vai acabar mal / vai acabar em tragédia
estamos virando uma ditadura / o golpe vem aí / vem guerra por aí / tanques na rua
a pandemia vai matar todo mundo / tenho medo de pegar covid / os casos estão aumentando
a inflação vai disparar / vou ser demitida / medo de perder o emprego / e se eu não passar
não posso reprovar / amanhã é a prova to desesperado / to surtando de nervoso
to em pânico aqui / que medo dessa gente / tenho medo do que ele pode fazer / medo de avião
medo de cobra / medo de escuro / medo de injeção / medo de sangue / medo de cachorro grande
o cara estava armado / apontou a arma pra mim / tiroteio aqui perto / muito tiro agora
bala perdida / sequestro / assassino à solta / corre gente / foge daí / cuidado / toma cuidado
tomem cuidado com esse golpe / fiquem atentos / alerta / não saiam de casa
to sozinha em casa com medo / não ando sozinha à noite / esse filme me deu medo
não consigo nem olhar / fantasma / demônio / capeta / satanás / fim do mundo / apocalipse
o avião caiu / terremoto / enchente / falta de ar e palpitação / meu coração quase parou
quase tive um infarto / quase morri / quase bati o carro / quase fui atropelado / quase desmaiei
estou com vergonha de falar / morro de vergonha / frio na barriga / to cheia de insegurança
preocupada com minha mãe no hospital / esperando o resultado do exame com medo
não sei o que fazer to perdida / me perdi e não sei voltar / vão me matar
minha mãe vai me matar / to ferrado / lascou / ferrou / fodeu / fudeu / agora fudeu de vez
deu ruim / temo pelo pior / temo que seja tarde / tememos / ameaçador / intimidar / horripilante
macabro / creepy / que horror / um horror / horrorizada
"""

_DISGUST: Final = """
que nojo / tenho nojo / nojo de gente assim / isso me dá nojo / nojento / que pessoa nojenta
que nojeira / eca / eca que horror / argh / credo / credo que nojo / cruzes / que asco
tenho asco / me dá asco / repugnante / ato repugnante / que repulsa / tenho repulsa
tenho repúdio / repúdio total / é abominável / que ranço / peguei ranço / tenho ranço dele
ranço eterno / me dá ânsia / ânsia de vômito / vontade de vomitar / quase vomitei
me embrulha o estômago / meu estômago embrulhou / que fedor / fede muito / cheiro horrível
cheiro podre / fedido / está podre / comida estragada / está mofado / tem bicho na comida
tem cabelo na comida / barata na cozinha que nojo / rato no lixo / que imundície / imundo
sujo e fedorento / que porco / que porcaria / que lixo / é um lixo / lixo humano / povo escroto
cara escroto / que escrotice / que baixaria / que podridão / gente podre / gente baixa
corja de corruptos / bando de canalhas / cambada de vagabundos / verme / seus vermes / asqueroso
político asqueroso / que desprezo / só sinto desprezo / desprezível / atitude desprezível
que vergonha alheia / vergonha desse país / que vergonhoso / que absurdo nojento
que coisa feia / tá feio isso / que feio / horroroso / que mau gosto / tosco / que tosquice
bizarro / que gente tóxica / homem tarado / pervertido / pedófilo nojento / racista nojento
falta de respeito nojenta / hipócritas / que hipocrisia / cara de pau / falso e interesseiro
puxa saco / lambe botas / esse governo é um nojo / políticos nojentos / imprensa podre
imprensa lixo / esse congresso me dá nojo / vergonha nacional / que vergonha desse presidente
tenho vergonha de ser brasileiro / vergonha de gente que pensa assim
sinto nojo de quem defende isso / quem defende bandido me dá nojo / fala nojenta
discurso de ódio nojento / comentário nojento / música nojenta / que música horrível
programa lixo / rede social tóxica / relacionamento tóxico / macho escroto / macho nojento
velho babão / homem nojento mexeu comigo na rua / assédio é nojento / traição é nojento
gente falsa me dá nojo / gente que se acha me dá ranço / tenho ranço de gente assim
nada me dá mais ranço / abuso de animais que nojo / maltratar animal é repugnante / sem caráter
gente sem caráter / mau caráter / sem escrúpulos / sem noção / povo sem noção / povinho
gentinha / gente ruim / ser humano podre / ser humano é uma merda / a humanidade é um lixo
que ser desprezível / ser repugnante / monstro / nefasto / imoral / indecente / obsceno
degradante / humilhante / deprimente de tão ruim / patético / ridículo / que ridículo
que papelão / vexame / que vexame / me sinto nojenta / odeio meu corpo / me sinto suja
nojo de mim / eu sou um lixo / sou feia e nojenta / banheiro imundo / pia cheia de louça podre
suvaco fedendo / chulé / bafo / pum fedido / cuspiu no chão / catarro / ranho / pus
vomitou no ônibus / cocô / pisei na merda / merda de cachorro / esgoto a céu aberto
comida com gosto de esgoto / gosto horrível / gosto de podre / azedo / leite azedo / pão mofado
carne podre / larva / minhoca / lesma / barata voadora / aranha nojenta / pelo no ralo
que gosma / gosmento / 🤢 / 🤮 / blergh / urgh / afff que nojo / aff credo / cruz credo / ew
"""

_SURPRISE: Final = """
nossa / nossa senhora / uau / caramba / caraca / eita / eita porra / oxe / ué / vixe
meu deus do céu / gente do céu / mds / meu deus como assim / como assim / sério isso / é sério?
jura? / não acredito / não acredito nisso / eu não to acreditando / inacreditável
estou chocada / chocado / que choque / choquei / to passada / pasmo / fiquei pasma
de queixo caído / fiquei de cara / to besta / que surpresa / me surpreendi / fui surpreendido
surpreendente / por essa eu não esperava / não esperava por isso / nunca imaginei / quem diria
do nada / do nada ele apareceu / de repente / o que foi isso / que isso / que porra é essa / wtf
quê?! / hein?? / não sabia disso / nem sabia que existia / descobri agora / só agora percebi
olha só / impressionante / incrível como mudou / que loucura / que doideira
nossa nunca tinha visto isso / nossa sério / nossa que diferente / caralho
caralho não acredito / porra que susto / que susto do caralho / meu deus / meu deus gente
meu deusssss / ai meu deus / mano do céu / mano / mano que isso / mano não acredito / rapaz
eita gente / eita que / oxi / ôxe / oloco / orra / vish / carai / carai mano / cacete / puts
putz / peraí / pera / pera aí o que / oi? / como é? / o quê??? / quem??? / desde quando?
desde quando isso existe / como isso é possível / como pode / isso é real?
isso é verdade mesmo? / tá de brincadeira / só pode ser brincadeira / ta zoando / tu jura
mentira / mentira que / mentira! / to em choque / estou em choque / chocada com essa notícia
fiquei sem palavras / sem palavras / inesperado / plot twist / reviravolta / que coincidência
pqp não acredito / de onde saiu isso / acabei de descobrir / acabei de ver / quando eu vi
cheguei e dei de cara com / apareceu do nada / surgiu do nada / pensei que era outra coisa
achei que fosse mentira / achei que era só eu / curioso / estranho / que estranho
muito louco isso / não fazia ideia / nem fazia ideia / jamais imaginei / imagina só / olha isso
gente olha isso / que incrível / 😱 / 😮 / 😳 / 🤯 / ?! / ??!!
"""

_SADNESS: Final = """
estou triste / que tristeza / muito triste / chorei muito / to chorando / só quero chorar
vontade de chorar / que saudade / saudades de você / sinto falta dela / sinto sua falta
me sinto sozinha / ninguém me ama / que solidão / coração partido / ela me deixou / terminamos
meu cachorro morreu / perdi minha avó / luto / descanse em paz / meus pêsames / que pena
que dó / coitado / coitada / infelizmente / estou deprimida / depressão / quero sumir
queria morrer / desisto / cansei de tudo / não aguento mais / estou mal / to mal / decepcionada
que decepção / desanimado / sem esperança / me arrependo / desculpa / sou um fracasso
me sinto um lixo / acabou tudo / dói demais / que dor / sofrendo / magoada / sdds
meus sentimentos à família / força pra família / que deus conforte / triste demais
triste notícia / notícia triste / que triste isso / é triste ver / triste realidade
perda irreparável / faleceu / morreu hoje / morreram / vítimas / meu coração dói
coração em pedaços / to destruída / to acabado / arrasada / fiquei arrasado / abalada
to na bad / bad / que bad / deprê / chorando aqui / choro toda noite / chorei horrores
lágrimas / carente / to carente / ninguém me chama / ninguém liga pra mim / ninguém me quer
ninguém se importa / fui esquecida / fui rejeitado / levei um fora / ele não me ama mais
não me responde mais / sumiu da minha vida / sinto tanta falta / falta de você
queria você aqui / queria voltar no tempo / bons tempos que não voltam / era tão feliz
nunca vou ser feliz / nada dá certo pra mim / minha vida é uma merda / não presto pra nada
sou inútil / sou um lixo / me odeio / me perdoa / me desculpe / arrependida / culpa minha
sem forças / sem vontade de nada / cansada da vida / exausta / esgotado / to cansado
que cansaço / que vida difícil / tá difícil / difícil demais / sofrimento / sofro / solitário
vazio / me sinto vazia / desamparado / abandono / abandonada / pobre criança / tadinho / tadinha
lamento / lamentável / uma pena / pena que acabou / infelizmente não deu / não consegui
perdemos / eliminados / derrota / decepção / desilusão / saudade de casa / saudades da infância
saudade do meu pai / 😢 / 😭 / 😭😭😭 / 💔 / 😞 / :(
"""

_ANGER: Final = """
que raiva / que ódio / odeio isso / odeio esse cara / estou puto / to puta da vida
fiquei furioso / irritada / me irrita / que saco / que merda / puta que pariu / pqp
vai se foder / vsf / vtnc / vai tomar no cu / filho da puta / desgraçado / maldito / idiota
imbecil / burro / babaca / otário / cala a boca / bando de ladrão / ladrões / bandido
vagabundo / canalha / corrupto / palhaçada / que absurdo / revoltante / estou revoltada
indignada / que injustiça / não é possível / para de encher o saco / me deixa em paz / chega
some daqui / mentiroso / falsa / hipócrita / que inferno / que droga / vão se foder / vá a merda
vai pro inferno / vai pra puta que pariu / que caralho / caralho que ódio / ódio / ódio mortal
odeio / detesto / não suporto / não aguento esse cara / me tira do sério / to com raiva
que raiva disso / puto da vida / putaço / to pistola / pistola / bolada / revoltado / revolta
inadmissível / inaceitável / intolerável / é um absurdo / absurdo total / vergonha / vergonhoso
palhaço / palhaços / bando de palhaço / cambada / safado / pilantra / sem vergonha / bandidos
corruptos / lixo / bosta / merda / merda de governo / país de merda / time de merda / porra
inferno / arrombado / trouxa / na cadeia / cadeia nele / tem que ser preso / prisão / traidor
traíra / covarde / injusto / injustiça / enganação / fui enganado / roubo / me roubaram / golpe
juiz ladrão / péssimo atendimento / péssimo / pior empresa / lixo de serviço / não funciona nada
exijo respeito / respeita / para com isso / parem / cansei dessa palhaçada / vocês são ridículos
ridícula / mimimi / chato / chata pra caralho / que chatice / insuportável / enche o saco
não enche / cala boca / se manca / se toca / vai trabalhar / vai estudar / hipocrisia / mentiras
imprensa mentirosa / aff / affs / 😡 / 🤬 / 😤 / 🖕
"""

_JOY: Final = """
estou feliz / muito feliz / que alegria / que felicidade / amei / eu amo / te amo / adorei
que lindo / que fofo / maravilhoso / perfeito / parabéns / obrigada / muito obrigado / gratidão
graças a deus / deus abençoe / que delícia / que orgulho / orgulhosa de você / consegui
passei na prova / ganhamos / vencemos / melhor dia da minha vida / que sorte / ansiosa pro show
mal posso esperar / bom demais / top / show de bola / que legal / rindo muito / kkkkkk amo
hahaha / saudável e feliz / aproveitem / feliz aniversário / que saudade boa / apaixonada
linda demais / muito bom / muito boa / ótimo / ótima notícia / excelente / sensacional
espetacular / fantástico / incrível / show / que show / lindo / linda / lindos / lindeza
delícia / fofura / fofa / amo / amo demais / amo você / amo muito / te amo demais
amo essa música / adoro / gosto muito / melhor / melhores amigos / melhor coisa / o melhor
feliz / felizes / felicidades / alegre / animada / animado / empolgada / ansiosa pra te ver
não vejo a hora / até que enfim / finalmente / graças / glória a deus / aleluia / amém
deus te abençoe / abençoado / bênção / que benção / que deus ilumine / parabéns presidente
parabéns pelo trabalho / obrigado presidente / grande ministro / orgulho do brasil / viva / bora
uhul / eba / oba / vamo / golaço / campeão / campeã / vitória / ganhei / conquista / conquistei
aprovada / sonho realizado / realizada / sorriso / sorrir / rindo / ri demais / kkkkk
kkkkkkkkkk muito bom / haha / rsrs / engraçado / divertido / que massa / massa / dahora / daora
foda demais / que foda / brabo / arrasou / rainha / maravilhosa / perfeita / perfeição
encantada / apaixonado / carinho / abraço / abraços / beijos / beijo / bom dia / boa noite
boa tarde / boa sorte / sucesso / saúde e paz / paz / grata / agradeço / valeu / recomendo
vale a pena / curti / curtindo / festa / férias / praia com amigos / ❤️ / ❤ / 😍 / 🥰 / 😂 / 🤣 / 😊
🙏 / 👏👏👏 / 💕 / 🎉 / :) / <3
"""

_PLAIN: Final = """
a reunião é às três / o ônibus passa na rua de trás / comprei pão e leite / qual o horário
alguém sabe o nome disso / o prazo é sexta / depende do caso / segue o link
tem que assinar o documento / a loja abre às nove / acho que sim / não sei / pode ser
ele mora em são paulo / o preço é dez reais / o jogo começa às oito / sem medo / não tenho medo
não precisa ter medo / não se preocupe / sem problema / não tem perigo / não tenho nojo
o lixo passa na terça / jogar o lixo fora / reciclagem de lixo / filme de terror / casa de praia
não é nojo / nada de medo / perdi o medo / não foi surpresa / nenhuma surpresa
não estou triste / não fiquei com raiva / qual é o nome do filme / quanto custa / onde fica
que horas começa / alguém tem o link / manda no privado / chama no privado
eu uso esse aplicativo / usei por um ano / segundo a pesquisa / de acordo com o site
confira a notícia / veja o vídeo / leia mais / saiba como / ministro anuncia medida
presidente assina decreto / polícia investiga o caso / suspeito é preso / acidente deixa feridos
prefeitura divulga calendário / jogador é vendido / o técnico escalou o time
técnico fala sobre a partida / o curso é de quatro anos / tem que fazer cadastro
depende do lugar / tanto faz / talvez / acho que não / também acho / concordo
eu faço isso às vezes / to indo / tô em casa / fui no mercado / vou dormir / bebe água
é só clicar aqui / o valor é por mês / em português é diferente / a regra mudou em 2019
"""

_MEANT: Final[tuple[tuple[str, dict[str, int]], ...]] = (
    (_FEAR, {"fear": 2}),
    (_DISGUST, {"disgust": 2, "anger": 1}),
    (_SURPRISE, {"surprise": 2}),
    (_SADNESS, {"sadness": 2}),
    (_ANGER, {"anger": 2}),
    (_JOY, {"joy": 2}),
    (_PLAIN, {}),
)
"""Blocks of phrases, and how strong each emotion is in them, from 0 to 3 as in BRIGHTER."""


def phrase_rows() -> tuple[list[str], NDArray[np.float32]]:
    """Return the phrases and their intensities 0..1 (n, 6)."""
    texts: list[str] = []
    intensities: list[list[float]] = []
    for block, strengths in _MEANT:
        phrases = re.split(r"\n| / ", block.strip())
        texts += phrases
        intensities += [[strengths.get(name, 0) / 3 for name in LABELS[:-1]]] * len(phrases)
    return texts, np.array(intensities, dtype=np.float32)
