"""The forms of rules for a whole session, and of lifting them, by language: a table of patterns, and their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Place: TypeAlias = Literal["start", "clause", "anywhere", "end"]
"""The place of a pattern: at the beginning of a sentence; of a clause, too; anywhere in a sentence; at its end."""


def _words(given: str) -> str:
    return "|".join(given.split())


# --- English ---

_NO_ORDER = _words(
    "mind worry forget hesitate bother know think see care understand believe remember get gets got saw been had have better "
    "has was were is are i we you they he she it the a an this that these those there my your our its their any some "
    "need really like feel seem work works happen happens matter panic again quite before once more in on at "
    "seen heard done gone known thought felt met said used"
)
"""The words behind "never" or "don't" where neither makes a rule."""

_FORMS = r"(?!\w+(?<![sui])s\b)(?!\w{2,}(?<!ne)(?<!emb)(?<!fe)(?<!ce)(?<!se)(?<!spe)(?<!shr)ed\b)"
"""No third person, and no past tense."""

_ACTIONS = _words(
    "add ask amend apply bump break build change check commit copy create delete deploy disable document download drop "
    "edit email execute fetch force force-push format import include install introduce kill lint log merge mock modify "
    "move open overwrite patch post print publish push read rebase refactor reformat regenerate release remove rename "
    "replace reset restart revert rewrite run send skip squash stage stash start stop switch tag test touch update "
    "upgrade use verify wait write"
)
"""The things that users let agents do."""

_ALWAYS = f"{_ACTIONS}|{_words('answer call comment confirm explain follow keep leave let make name pin prefer put reply respond show speak sign tell work')}"

_OURS = r"(?:commits?|commit (?:messages?|msgs?)|answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|comments?|docstrings?|diffs?|prs?|pull requests?|branch(?:es| names?)?)"
"""Things that an agent makes for its own user, not for the users of the program."""

_OURS_DONE = rf"(?:{_OURS}|push|merge|change|edit|step|file|fix|refactoring|turn|task|one)"
"""Things that an agent does again and again, and makes."""

_NO_THING = _words(
    "errors? warnings? issues? failures? problems? worries rush need idea way one longer output results? changes? difference "
    "response luck thanks clue docs tests files users values rows logs matches entries lines hits"
)
"""Things of which there may simply be none: "no errors", "no problem"."""

_STOPPED = (
    r"(?:add|us|chang|edit|commit|push|creat|writ|rewrit|refactor|delet|remov|renam|reformat|format|install|ask|explain|apologi[sz]|"
    r"summari[sz]|repeat|touch|modify|mak|putt|generat|introduc|runn|sendd?|show|open|revert|wrapp|guess|leav|do)ing"
)

_CHANGED = _words(
    "altered broken changed committed deleted deployed edited merged modified moved pushed removed renamed touched"
)

_MADE = _words(
    "functions? methods? class(?:es)? modules? files? tests? migrations? endpoints? components? features? (?:bug)?fix(?:es)? changes? "
    "commits? branch(?:es)? lines? variables? names? identifiers? comments? docstrings? imports? scripts? pages? paragraphs? "
    "queries imports? answers? repl(?:y|ies) responses? explanations? messages? subjects? diffs? prs? headings? edits? code"
)
"""Things that an agent makes, and that rules are about."""

_NUMBER = r"(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|a hundred|an? )"
_LESS = r"(?:under|below|within|at most|at|max(?:imum|\.)?(?: of)?|(?:no|not) (?:more|longer|larger|wider|bigger) than|up to|fewer than|less than|shorter than|to|exceed)"
_UNIT = r"(?:lines?|characters?|chars|columns?|words?|sentences?|bullets?|bullet points?|paragraphs?|files?|arguments|parameters)"
_SAY = r"(?:ok|okay|approval|sign[- ]?off|review|consent|permission|blessing|go[- ]ahead|green light|confirmation)"

# --- German ---

_DE_ORDER = (
    r"(?:fass|rühr|lösch|änder|push|committ?|benutz|verwend|nutz|installier|schreib|führ|start|füg|erstell|"
    r"entfern|bearbeit|verschieb|leg|nimm|greif|deploy|merg|überschreib|modifizier|ersetz|refaktorier|veränder|"
    r"aktualisier|lad|lass|stell|setz|frag|antwort|kommentier|test|formatier|halt|bleib)(?:e|en sie)?"
)
_DE_NOT = r"(?:nicht|nie|niemals|nichts|keine[nrms]?|kein|keinesfalls|auf keinen fall|unter keinen umständen)"
_DE_THINGS = (
    r"(?:commits?|pushes|abhängigkeiten|pakete|änderungen|kommentare|emojis|force-pushes|mocks|refactorings?|"
    r"downloads|migrationen|leerzeichen|bibliotheken)"
)
_DE_OURS = r"(?:kommentare?|commits?|commit-nachrichten|antworten|docstrings?|erklärungen|zusammenfassungen|variablennamen|pull requests|prs)"
"""Things that an agent makes for its own user."""

_DE_MADE = (
    r"(?:(?:neue[nrs]?|öffentliche[nrs]?|einzelne[nrs]?) )?(?:funktion(?:en)?|methoden?|klassen?|module?|dateien?|tests?|migration(?:en)?|"
    r"endpunkte?|änderung(?:en)?|commits?|branch(?:es|s)?|zeilen?|variablen?(?:namen?)?|kommentare?|docstrings?|antwort(?:en)?|"
    r"erklärung(?:en)?|features?|bugfix(?:es)?|skripte?|prs?|pull requests?|commit-nachricht(?:en)?|namen?|bezeichner|nachricht(?:en)?)"
)
_DE_ALWAYS = r"(?:immer|stets|durchgehend|grundsätzlich|konsequent|ausnahmslos|einheitlich|überall|prinzipiell|generell|jedes ?mal|durchweg|dauerhaft)"
_DE_SAY = r"(?:zustimmung|erlaubnis|freigabe|okay|ok|einverständnis|genehmigung|bestätigung|go)"

# --- Spanish ---

_ES_ORDER = (
    r"(?:(?:toqu|instal|modifiqu|cambi|borr|edit|us|ejecut|cre|elimin|agregu|quit|renombr|desplegu|despliegu|fusion|"
    r"commite|pushe|refactoric|inici|lanc|actualic|reemplac|utilic|emple|dej|formate|mand|enví|empuj|confirm|alter|"
    r"prueb|public|muestr)(?:es?|en|éis)|(?:hag|añad|sub|escrib|pong|muev|met|abr|reescrib|introduzc)(?:as?|an|áis))"
)
_ES_DO = (
    r"(?:usa|utiliza|escribe|ejecuta|haz|mantén|pon|responde|comenta|trabaja|edita|toca|cambia|modifica|prueba|emplea|"
    r"corre|pregunta|deja)"
)

_ES_MADE = (
    r"(?:funci[oó]n(?:es)?|métodos?|clases?|módulos?|archivos?|ficheros?|pruebas?|tests?|migraci[oó]n(?:es)?|cambios?|commits?|ramas?|"
    r"líneas?|variables?|nombres|comentarios?|respuestas?|explicaci[oó]n(?:es)?|mensajes?|docstrings?|prs?|correcci[oó]n(?:es)?)"
)
_ES_SAY = r"(?:permiso|ok|visto bueno|aprobación|consentimiento|autorización|confirmación)"

# --- French ---

_FR_NO_ORDER = r"(?:t'inquiète|vous inquiétez|oublie|oubliez|hésite|hésitez|t'en fais|marche|fonctionne|passe|charge)"
_FR_DO = (
    r"(?:utilis|écri|lanc|exécut|demand|fai|gard|vérifi|comment|répond|met|test|ajout|travaill|emploi|modifi|rédig|"
    r"préfèr|chang)\w{0,3}"
)

_FR_MADE = (
    r"(?:nouvelle |nouveau |nouveaux )?(?:fonctions?|méthodes?|classes?|modules?|fichiers?|tests?|migrations?|modifications?|changements?|commits?|"
    r"branches?|lignes?|variables?|noms|commentaires?|réponses?|explications?|messages?|docstrings?|prs?|corrections?)"
)
_FR_SAY = r"(?:accord|aval|feu vert|autorisation|ok|validation|permission|approbation)"


@dataclass(frozen=True, slots=True)
class RulePatterns:
    """The forms of rules in a language, by their place in a sentence."""

    start: tuple[str, ...] = ()
    clause: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    """The forms of asks for this time, or for the program, which rule nothing unless a durable form stands in them."""
    lifts: tuple[str, ...] = ()
    """The forms that lift one: the group ``what`` is what is allowed, or no longer asked for."""


LANGUAGES: Mapping[str, RulePatterns] = MappingProxyType(
    {
        "English": RulePatterns(
            start=(
                r"i(?:'d| would| do)? (?:\w+ )?prefer (?!(?:the |your |that |this |to |it\b)?(?:option|variant|version|plan|approach|first|second|latter|former|other)\b|[a-z]\b|to (?:see|know)\b)(?:\S+ ){0,6}?(?:over|to|rather than|instead of|in|for|everywhere)\b",
                r"(?:my preference is|i (?:hate|dislike|can'?t stand|don'?t like|am not a fan of) (?!(?:the|this|that|it|how|your|these|those|its)\b)(?:\S+ ){0,2}?\w+s\b)",
                rf"(?:max(?:imum|\.)?(?: of)?|at most|(?:no|not) more than|only) {_NUMBER} ?(?:\S+ ){{0,3}}?(?:per|in (?:a|an|each|every|any)) (?:{_MADE})\b",
                rf"(?:(?:all|every|each|any|no|your|my|our|the|new|single) ){{1,3}}(?:\w+ )?(?:{_MADE}) (?:\S+ ){{0,3}}?(?:must|needs? to|ha(?:s|ve) to|should|may|shall|stays?|can(?:no|')?t?)? ?(?:not |never |always |only )*(?:be )?{_LESS} {_NUMBER} ?{_UNIT}\b",
                rf"(?:every|each|all|any)(?: single| new| public| of the| of your| the| your)* (?:\w+ )?(?:{_MADE}) (?:(?!that\b|which\b)\S+ ){{0,4}}?(?:must|needs?|ha(?:s|ve) to|should|gets?|requires?|starts? with|ends? with|comes? with|goes|go|follows?|carry|carries|deserves?)\b(?! (?:pass|work|fixing|fixed)\b)",
                r"(?:use|write|format|follow|keep|name|put|prefer|apply|work|stick|type|annotate|document) (?:\S+ ){0,8}?(?:everywhere|throughout|consistently|across the board|every time|each time|without exceptions?|no exceptions|at all times|wherever|in all (?:files|code|modules|places)|(?:in|across) the (?:whole|entire) (?:project|code ?base|repo\w*))\b",
                rf"use (?:\S+ ){{1,4}}?for (?:all|every|any|each|your|commit|branch|variable|function|file|class|test|new) ?(?:\w+ )?(?:names?|messages?|titles|{_MADE})\b",
                r"(?:variable|function|file|branch|class|test|module|column|table)(?: and \w+)? names? (?:\w+ )?(?:in|with|without|follow|use|start|end|are|stay|should|must)\b",
                r"(?:answer|reply|respond|talk)(?: to me| back)?(?: only| always)? (?:in|with|using|as) (?:(?:short|brief|plain|simple|full|complete|one|a|single|at most|\d+|two|three|numbered) ){0,3}(?:bullets?|bullet[- ]points?|sentences?|paragraphs?|lists?|prose|tables?|markdown|text)\b",
                rf"limit (?:yourself|your|all|every|each|the) (?:\S+ ){{0,3}}?(?:to|at) (?:at most |a maximum of )?{_NUMBER} ?{_UNIT}",
                rf"(?:only|do not|don't|never)? ?(?:{_ACTIONS}) (?:\S+ ){{0,6}}?(?:only )?(?:once|after|when|if) i(?:'ve| have)? (?:said|say|approved?|agreed?|confirm(?:ed)?|reviewed|ok'?d|signed|given|give|tell|told|ask|asked)\b",
                r"(?:be|stay) (?:brief|concise|terse|succinct) in (?:your|all|every)\b",
                r"use \S+(?: everywhere| throughout| only| always)?,? not \S+$",
                r"commit (?:messages?|msgs?) (?:always |only )?(?:in|follow|use|with|without|should|must|always)\b",
                r"(?:comments|docs|docstrings|repl(?:y|ies)|answers) (?:in (?:the )?\w+ )?(?:only |always )?in (?:english|german|french|spanish|chinese|japanese)\b",
                r"(?:the )?\w+ (?:always|never) (?:with|via|through)\b",
                r"(?:i(?:'d like| want|'ll| need) to (?:review|see|approve|check|read)|show me) .+ (?:first$|before (?:you|any|anything|committing|pushing|merging)\b)",
                rf"use only (?:functions|features|packages|libraries|modules|tools|syntax|{_OURS})\b",
                r"(?:(?:work on|change|make|do) )?(?:just |only )?one (?:\w+ )?(?:commit|file|change|step|question|pr|thing) (?:per|at a time)\b",
                r"use (?:\S+ ){1,4}?(?:not|instead of|rather than|over) (?:\S+ ){1,4}?(?:in this (?:repo\w*|project|codebase)|everywhere|throughout)",
                r"(?:whenever|every time|each time|any ?time) you (?:change|edit|modify|touch|commit|add|create|finish)\b",
                r"(?:answer|reply|respond|write|speak|talk)(?: to me| back)?(?: only| always)? in (?:plain |simple )?(?:english|german|french|spanish|chinese|japanese|italian|portuguese)\b",
                r"prefer \S+(?: \S+)? (?:over|to|instead of)\b",
                r"treat .+ as (?:read[- ]only|immutable|frozen|off[- ]limits)",
                r"(?:minimal|smallest(?: possible)?|small) (?:changes|diffs?|commits?|edits)(?: only)?$",
                (
                    rf"(?:never|do never|(?:do not|don'?t)(?: (?:ever|even|just|also|directly|simply|automatically))?)"
                    rf" (?!(?P<verb>(?!use|write|run)\w+)\b.+, (?P=verb)\b|(?:show|display|render|hide)\b(?! me)|(?:{_NO_ORDER})\b|be (?:so|too|shy|afraid|sorry|silly)\b|[^.]*\byet\b){_FORMS}[a-z]"
                ),
                rf"(?:always|only) (?:ever )?(?!(?:show|print|log|send|open)\b(?! me))(?:{_ALWAYS})\b",
                r"no (?:(?:more|new|additional|further|extra|external|third[- ]party|direct|unnecessary) )+\w+",
                r"nothing (?:may|must|is to|gets|goes) (?:be )?\w+",
                rf"(?:{_ALWAYS}) .+, (?:always|every time|no exceptions|without exception)$",
                r"we (?:always|never|only) (?:use|write|run|commit|push|work|test)\b",
                r"we (?:use|write|prefer) (?:\S+ ){1,4}?(?:never|not) \S+$",
                r"all (?:new |our |your )?code (?:has to|must|needs to|should)\b",
                r"keep (?:everything|all of it|all (?:the )?(?:code|changes|edits)) (?:in|inside|within|under)\b",
                r"i (?:review|read|approve|check) (?:every|each|all)\b",
                r"(?:(?:all|our|your|the|new|unit) ){0,2}(?:tests|commits|prs|pull requests) (?:must|may|are to)(?: not|n't| never| only)\b",
                rf"(?:every|each|all)(?: (?:the|your|my|new))? {_OURS} (?:\w+ ){{0,2}}?(?:should|must|ha(?:s|ve) to|needs?|goes?|starts?)\b",
                rf"(?:your|all|the) {_OURS} (?:should|must|ha(?:s|ve) to|need to|go) (?:be |stay |always |only |not |never )",
                rf"(?:before|after|with) (?:every|each|any) {_OURS_DONE}\b",
                rf"(?:run|test|show|ask|format|lint|commit|check|update|rebuild|push) (?!.*\bthat\b).+ (?:before|after) (?:every|each|any) (?:\w+ )?{_OURS_DONE}\b",
                rf"(?:{_ACTIONS}) (?:\S+ ){{0,3}}only (?:when|if|after|with|what|to|on|in|inside|under)\b",
            ),
            clause=(
                r"(?:you|u) (?:must|have to|need to|should|are to|always) (?:always |first )?(?:ask|check with|consult|tell|warn|notify|inform|wait for)(?: me| for)? .*\b(?:before|first|every time|whenever)\b",
                rf"(?:get|obtain|seek|ask for|wait for|you need|needs?|requires?|require) my (?:\w+ )?{_SAY}\b",
                r"(?:run|clear|check|discuss) (?:it|that|this|them|everything|any\w*|all|every) ?(?:\S+ ){0,3}?(?:by|past|with) me\b",
                rf"only (?:with|after|on) my (?:\w+ )?{_SAY}\b",
                r"(?:steer|stay|keep) (?:well )?clear of\b|don'?t (?:go|come) near\b|keep your (?:hands|fingers|paws) off\b",
                r"i(?:'ve| have| already)*(?: already)? (?:told|asked|said to|warned) (?:you )?(?:not|never|only|to (?:only|never|always|not)|to (?:stop|leave|keep|ask|use|avoid)|that you (?:must|should|may)(?:n'?t| not| never| only| always))\b",
                r"(?:is|are) (?:not yours|mine alone|sacred|none of your business|out of bounds|hands[- ]off)\b",
                r"you (?:can|may|have|get)(?: (?:spend|use))? (?:at most|no more than|up to|until)\b",
                rf"{_OURS} (?:in|under|below|of) (?:at most |under )?(?:one|two|three|four|five|\d+)\b",
                r"no \w+(?: \w+)?(?:,| and| or) no \w+",
                r"(?:they|it|that|these|those) (?:stays?|remains?)(?: exactly)? (?:as (?:they are|it is|is)|untouched|unchanged|put)\b",
                r"i want you to (?:first )?ask\b",
                r"you (?:can|may) (?:\S+ ){1,6}but (?:not|never) \w+ (?:in|to|on|under)\b",
                rf"you (?:can'?t|cannot) (?:{_ACTIONS}) .+ (?:for this|in this (?:repo\w*|project|session|task))",
                r"i (?:want|prefer|like) (?:only )?(?:small|short|atomic|separate|clean|minimal|brief|concise) (?:commits|answers|replies|diffs|prs|comments|changes)\b",
                r"i (?:already |clearly |explicitly )?said (?!(?:that|it|this|so|yes|before|earlier|above|i|you|we)\b|the \w+ (?:\w+s|was|were|are)\b)\w+",
                r"(?:plan|read|review|analysis|dry[- ]run)[- ]only$",
                r"i(?:'?ll| will) (?:run|do|make|handle|write|commit|push|merge|deploy) (?!(?:it|that|this)\b)(?:\w+ ){1,4}myself$",
                r"every new \w+ (?:needs?|must|has to|gets|should)\b",
                (
                    r"no (?:force[- ]push\w*|commits?|push(?:es|ing)?|dependenc\w+|packages|refactor\w*|edits|emojis?|mocks|sudo|"
                    r"downloads|deploy\w*|breaking changes|abbreviations|network (?:access|calls?|requests?)|internet)\b(?! (?:is|are|was|were|has|"
                    r"have|found|yet)\b)"
                ),
                r"only (?:change|edit|touch|modify|write|commit|read|work|push) (?:\S+ ){0,3}?(?:in|inside|under|within|on|to|files?|what)\b",
                r"nothing (?:\S+ ){0,5}?(?:may|must|shall)\b",
                r"without (?:touching|changing|breaking|modifying|renaming) (?:the|any|anything|our|my|existing)\b",
                r"(?:keep|leave) .+ (?:exactly )?(?:as (?:it is|they are|is)|unchanged|untouched|intact|stable)\b",
                r"(?:stick|limit yourself|restrict yourself|confine yourself) (?:to|with)\b",
                r"stay (?:on|in|inside|within) (?:this |the |that )?(?:\S+ )?(?:branch|folder|directory|package|module|repo\w*|scope)\b",
                r"i (?:told|asked) you (?:not|never|only|to (?:only|never|always|not))\b",
                r"(?:be careful|try|take care|you(?:'re| are) supposed) not to\b",
                r"don'?t you (?:dare|ever)\b|(?:never|don'?t) ever\b",
                r"i only (?:wanted|asked|want)\b",
                rf"(?:leave|let) (?:the |all |all the )?(?:{_OURS}|push\w*|merg\w+|deploy\w*) to me\b",
                r"keep (?:the |your |all )?(?:changes?|diffs?|edits|scope) (?:\w+ )?(?:small|minimal|tight|focused|local)\b",
                rf"(?:never|do not|don'?t)(?: (?:ever|even|just|also|directly))? (?!use\W*$|[^.]*\byet\b)(?:{_ACTIONS})\b",
                (
                    r"(?:you|u)(?: (?:must|should|shall)(?:n'?t| not| never| always| only)| may (?:not|never|only)|"
                    r"(?: are|'re) (?:not|never|only)(?: allowed)? to| aren'?t (?:allowed )?to|(?: are|'re) forbidden to|"
                    r" have to always)\b(?! (?:be able|need|see|get|have been)\b)"
                ),
                r"i (?:really )?(?:do not|don'?t|never) want (?:you to|to see|any|anything|anyone)\b",
                r"(?:i(?: would|'?d) (?:prefer|rather|appreciate it)|it'?d be better)(?: it)?(?: if| that)? (?:you|we) (?:don'?t|do not|didn'?t|did not|not|never|always|only)\b",
                rf"(?:stop|quit|no more) {_STOPPED}\b",
                r"(?:please )?refrain from \w+ing\b",
                rf"no (?!(?:{_NO_THING})\b)(?:[\w-]+ ){{0,2}}[\w-]+(?:s|ing|stuff)\b(?: \S+){{0,4}}? (?:in|without|anywhere|at all|please|whatsoever)\b",
                rf"keep (?:your |the |all |all your |every )?{_OURS} (?:\w+ )?(?:short|small|minimal|brief|simple|concise|terse|focused|separate|in \w+|under|below|to)\b",
                r"i(?: want|'?d like) you to (?:never|always|not|only)\b",
                r"i (?:did not|didn'?t|never) (?:say|ask|tell|told|asked|said)(?: for| you)?(?: to)?(?! (?:that|this|it|so)\b) \w+",
                r"hands off\b",
                r"(?:stay|keep) (?:away from|out of|off|your hands off)\b",
                r"leave (?:\S+ ){1,8}(?:alone|untouched|unchanged|as is|as (?:it|they) (?:is|are))\b",
                rf"(?:make sure|be sure|remember|ensure)(?: that)?(?: you| to)? (?:never|always|not|only|don'?t|do not)(?: to)? (?:{_ALWAYS})\b",
                (
                    r"avoid (?:using|adding|touching|changing|editing|committing|pushing|installing|modifying|creating|running|"
                    r"deleting|removing|refactoring|introducing|any|new)\b"
                ),
                (
                    r"ignore (?:that|the|this|those|these|any|all)\b(?: \S+){0,3} (?:errors?|warnings?|failures?|complaints?|"
                    r"findings?)\b"
                ),
                r"(?:always )?ask (?:me )?(?:first|before)\b",
                r"check (?:in )?with me (?:first|before)\b",
                r"wait for my (?:ok|okay|approval|go|confirmation)\b",
                (
                    r"(?:(?:the|your|my|our|total) )?(?:budget|spending limit|cost limit|token limit|time limit)\b(?: \S+){0,5}?"
                    r"(?: ?[:=]| is| of)(?: at most)? ?\S?\d"
                ),
                r"(?:spend|use) (?:at most|no more than|up to|a maximum of|max\.?) ?\S?\d",
                r"keep (?:\S+ ){1,8}(?:under|below|within) \S?\d",
                r"let'?s (?:never|always)\b",
            ),
            anywhere=(
                r"\bas a (?:general |matter of )?(?:rule|principle|policy)\b(?! (?:engine|file|id|name))",
                r"\b(?:until|till|unless) (?:further notice|told otherwise|otherwise (?:stated|noted|told)|you hear|i(?:'ve| have| am|'m)? (?:explicitly )?(?:said|say|tell|told|ask|approved?|agreed?|confirm\w*|give|given|back|lift|change|let you|signed?))\b",
                r"\b(?:moving forward|henceforth|from this (?:point|moment|day)(?: on| forward)?|from today(?: on)?|starting (?:now|today)|as of (?:now|today))\b(?! (?:the|our|its?) )",
                r"\bnew (?:policy|rule)\b",
                r"\b(?:at most|no more than|max(?:imum)?(?: of)?) (?:[$€£] ?\d|\d+ ?(?:dollars?|bucks|euros?|usd|cents)\b)",
                r"\bfor the (?:rest|remainder) of (?:this|the) (?:session|conversation|chat|day|run)\b",
                r"\b(?:ground|house|hard) rules?\b|\bcode freeze\b",
                r"\b(?:unless|until|except when) (?:i|we) (?:explicitly )?(?:say|ask|tell|approve|agree|confirm|give|ok|okay|allow)\b",
                r"\bwithout (?:asking (?:me|first)|my (?:explicit )?(?:ok|okay|approval|permission|consent|go|review)|telling me|checking with me|my say)\b",
                r"\bwhatever (?:else )?you (?:do|change|edit|touch|add|write|build|try)\b",
                r"\b(?:everything|anything) (?:that )?you (?:do|change|touch|write|add)\b",
                r"\b(?:if|when|whenever)(?: you(?:'re| are))? (?:not sure|unsure|in doubt),? (?:\w+ )?ask\b",
                r"\b(?:from now on|from here(?: on)?|no matter what|going forward)\b,?(?! (?:the|our|its?|all |every )? ?(?:users?|customers?|admins?|clients?|people|app)\b)(?! (?:the|our|its?) )",
                r"\b(?:for|during|throughout|in) (?:the (?:rest|remainder) of )?(?:the|this)(?: (?:whole|entire))? (?:session|run)\b(?=,|$)",
                r"\b(?:under no circumstances|in no case|at no point|at all times)\b",
                r"\bit(?:'s| is) (?:strictly |absolutely )?(?:forbidden|prohibited|not allowed|not permitted) to\b",
            ),
            end=(
                (
                    r"\b(?:is|are) (?:strictly |absolutely )?(?:forbidden|prohibited|off[- ]limits|taboo|not to be \w+|(?:read-only|closed|locked)(?= for you))"
                    r"(?: here| for you| in this (?:session|run|project|repo))?"
                ),
                rf"\bmust (?:not|never) (?:change|be (?:{_CHANGED}))(?: at all| ever)?",
                r"\b(?:must|has to|have to|should) (?:stay|remain) (?:as (?:it|they) (?:is|are)|untouched|unchanged|stable|green|intact|compatible)",
            ),
            asks=(
                r"\b(?:yet|this time|just this once)$|\bhere, (?:use|do|take|write|call)\b",
                r"\b(?:don'?t|do not|ne|no) (?P<verb>\w{3,4})\w*\b[^,.]*, (?P=verb)",
                r"^every time you \w+ me\b",
                r", (?:das ist falsch|das soll(?:te)? nicht|c'est faux|está mal|it should(?:n't| not)|which is wrong)$",
                r"^(?:please )?(?:add|implement|build|create|write|make|design) an? (?:\S+ ){1,6}?(?:that|which|where|so that|to (?:make sure|ensure))\b",
            ),
            lifts=(
                r"\b(?:you|u) (?:can|may|are allowed to|'re allowed to)(?: now| again)? (?P<what>.+)",
                r"\b(?:it|that)(?:'s| is) (?:ok|okay|fine|allowed|alright)(?: now| again)? (?:to|if you) (?P<what>.+)",
                r"\b(?:feel free to|go ahead and) (?P<what>.+)",
                r"(?P<what>.{1,80}?) (?:is|are) (?:ok|okay|fine|allowed|permitted)(?: now| again)",
                r"\b(?:you )?(?:don'?t|do not|no longer) (?:have|need) to (?P<what>.{1,80}?) any ?(?:more|longer)",
                r"\bno need to (?P<what>.{1,80}?) any ?(?:more|longer)",
                (
                    r"\b(?:lift|drop|forget|ignore|never mind)(?: about)? (?:the|my|that) (?:rule|ban|restriction|limit)"
                    r"(?: (?:about|on|against|for|that))? (?P<what>.+)"
                ),
                r"\bforget (?:about )?what i said about (?P<what>.+)",
            ),
        ),
        "German": RulePatterns(
            start=(
                rf"(?:jede[rsnm]?|alle|sämtliche|deine) {_DE_MADE}(?: (?!die\b|der\b|das\b)\S+){{0,3}}? (?:braucht|brauchen|benötigt|benötigen|muss|müssen|soll|sollen|bekommt|bekommen|erhält|erhalten|kriegt|kriegen|beginnt|beginnen|gehört|gehören|dürfen|darf)\b",
                rf"{_DE_MADE}(?: \S+){{0,2}}? (?:höchstens|maximal|nicht (?:länger|mehr) als|unter|kürzer als) \S+ (?:zeilen|zeichen|sätze|wörter|spalten|zeichen)",
                rf"(?:höchstens|maximal|max\.?|nicht mehr als|nur) \S+ (?:\S+ )?(?:pro|je|in jede[rm]|in einem) {_DE_MADE}\b",
                r"ich (?:bevorzuge|hasse|mag keine?|ziehe) (?!(?:die |den |das )?(?:option|variante|erste|zweite|version|lösung)|das\b|es\b|diese)\w+",
                rf"(?:bitte )?(?:{_DE_ALWAYS}) (?!wieder\b|noch\b|mehr\b|gern)(?:\S+ ){{0,6}}?(?:\w+en|an|ab|aus|ein|vor|zu)$",
                rf"{_DE_MADE}(?: \S+){{0,2}}? (?:auf|in) (?:deutsch|englisch|imperativ|snake_case|camelcase)(?: (?:halten|schreiben|verfassen))?$",
                r"keine? (?!ahnung|problem|stress|sorgen?|eile|angst|fragen?|fehler|änderung|panik|idee)\w+ (?:im|in|ohne|mehr|an|auf|bitte)\b",
                r"(?:(?:die|alle) )?\w+ (?:bitte )?(?:immer|stets|nur|ausschließlich|grundsätzlich|generell|prinzipiell|ausnahmslos) (?:noch )?(?:mit|über|via|per|auf|in|unter) .+ (?:lassen|ausführen|verwenden|benutzen|nutzen|schreiben|starten|machen|bauen|installieren|committen|pushen)(?=,|$)",
                r"antworte?(?:n sie)?(?: mir)?(?: bitte)?(?: nur| immer)? (?:auf|in) \w+",
                r"(?:nie|niemals|nicht|nichts|keinesfalls|auf keinen fall|unter keinen umständen|immer|stets)\b(?: \S+)*? (?!ge\w+en$)\w+en$",
                rf"keine? (?:(?:neuen?|weiteren?|zusätzlichen?|externen?|direkten?|unnötigen?) \w+|{_DE_THINGS}\b)",
                r"keine? \w+ (?:umbenennen|löschen|ändern|anlegen|erstellen|hinzufügen|verwenden|benutzen|verschieben|entfernen|ausgeben|schreiben|starten)$",
                r"änderungen? an .+ (?:verboten|tabu|untersagt|nicht erlaubt)",
                r"(?:nicht|nie|nichts) (?!vergessen|wundern|verstehen)(?!ge\w+en\b)\w+en(?=[,.!;]| -| –|$)",
                r"(?:vor|nach|bei) jede[mr] \S+",
                rf"(?:(?:alle|die|deine) )?{_DE_OURS}(?: (?:im|in|zu|für) \S+)?(?: bitte)? (?:immer|stets|nur|nie|niemals|ausschließlich) (?:auf|in|mit|ohne|per|unter)\b",
                r"(?:nur|ausschließlich) (?!\w+ (?:ist|sind|war|waren|geht|kommt)\b).+(?:ändern|anfassen|bearbeiten|verwenden|benutzen|nutzen)$",
            ),
            clause=(
                rf"{_DE_ORDER}\b(?: [^\s,]+){{0,6}}? {_DE_ALWAYS}\b(?! (?:wieder|noch|mehr)\b)",
                rf"{_DE_ORDER}\b(?: \S+){{0,6}}? (?:im ganzen|in allen|in jede[rm]|bei jede[rm]|vor jede[rm]|nach jede[rm]|für alle|für jede[ns]?) \w+",
                r"halt(?:e|en sie)? .+ (?:unter|bei|auf|kurz|klein|knapp|einfach|schlank)(?: (?:höchstens|maximal))?(?: \S+)?(?: (?:zeilen|zeichen|sätze\w*|wörter\w*|spalten))?$",
                rf"(?:begrenz|beschränk|kürz|limitier)(?:e|en sie)? (?:dich|deine?|jede[rsnm]?|alle|die) (?:{_DE_MADE} )?(?:auf|immer)\b",
                r"(?:bevor|ehe) (?:du|sie) .+\b(?:frag|sag|warn|informier|zeig|gib|hol)\w*(?: mir| mich| bescheid|\b)",
                rf"(?:frag|konsultier|informier|warn)(?:e|en sie)? mich (?:bitte )?(?:{_DE_ALWAYS}|vor jede[rm])\b",
                rf"ich (?:will|möchte|erwarte|wünsche mir|bestehe darauf|hätte gern\w*),? dass (?:du|sie|wir|alle|jede[rs]?) (?:\S+ ){{0,5}}?(?:{_DE_ALWAYS}|nie|niemals|nur|ausschließlich|nicht|keine[nrs]?)\b",
                r"ich (?:hab|habe|hatte) (?:dir |ihnen |doch |schon |bereits |ausdrücklich |klar |mehrfach ){0,4}(?:gesagt|gebeten|verboten|untersagt)\b.*\b(?:nicht|nie|niemals|kein\w*|nichts|nur|immer|zu)\b",
                rf"(?:nur|erst) (?:mit|nach) meine[rmn]? (?:\w+ )?{_DE_SAY}\b|(?:braucht|brauchst du|benötigt|hol dir) (?:\S+ )?meine? (?:\w+ )?{_DE_SAY}\b",
                r"(?:sprich|stimm)(?:e|en sie)? .+ mit mir ab\b|warte?(?:n sie)? (?:immer )?auf mein\w* \w+",
                r"\S+(?: \S+){0,4} (?:hat|haben) (?:\S+ ){0,4}nichts (?:zu suchen|verloren)$",
                r"keine? (?:\S+ ){1,3}mehr\b",
                r"(?:jedes mal|immer),? wenn (?:du|sie)\b",
                r"keine? \w+(?:,| und| oder) (?:auch )?keine? \w+",
                r"ohne (?:\S+ ){1,6}?(?:anzufassen|zu (?:ändern|verändern|berühren|brechen|committen|pushen))\b",
                r"zeig(?:e|en sie)? mir (?:\S+ ){1,6}?(?:bevor|vorher|zuerst)\b",
                r"frag(?:e|en sie)?(?: mich)?,? (?:\w+ ){0,3}(?:bevor|vorher|erst|zuerst)\b",
                r"von .{1,60} war(?:en)? (?:nie|nicht|keine) (?:die )?rede",
                r"(?:\w+ )?(?:es )?(?:wird|werden) (?:erst|nur|nichts|nicht|nie|niemals|kein\w*)\b.*\bwenn ich\b",
                r"\w+(?:t|en) wird (?:erst|nur|nichts|nicht|nie)\b",
                r"ich (?:will|möchte) nicht dass\b|lass(?:en sie)? die finger von\b",
                r"halt(?:e|en sie)? (?:bitte )?(?:die|deine|alle|jeden?) (?:commits?|antworten|änderungen|erklärungen|kommentare|diffs|prs?|pull requests)\b",
                r"hör(?:en sie)? (?:bitte |endlich )?auf\b",
                r"ich (?:hab|habe) (?:dir |ihnen )?(?:nie|nicht|niemals) (?:gesagt|gebeten|verlangt)\b",
                r"mir wäre (?:es )?lieber, (?:wenn )?(?:du|sie)\b",
                r"alle (?:commits?|commit-nachrichten|kommentare|antworten) (?:bitte )?(?:auf|immer|nur|müssen|sollen)\b",
                rf"{_DE_ORDER}\b(?!.*\bsondern\b)(?: (?!(?:dass|damit|ob|wenn|weil)\b)\S+){{0,10}}? {_DE_NOT}\b",
                rf"{_DE_ORDER}\b(?: [^\s,]+){{0,4}}? (?:immer|stets|nur|ausschließlich)\b",
                r"mach(?:e|en sie)? (?!dir\b)(?:\S+ ){0,4}?(?:nie|niemals|nichts|keine[nrms]?) ",
                rf"(?:du|sie|ihr) (?:darfst|dürfen|dürft|sollst|sollen|sollt|musst|müssen)(?: \S+){{0,2}}? (?:{_DE_NOT}|immer|nur)\b",
                r"ich (?:will|möchte|wünsche)(?: wirklich)? (?:nicht, dass (?:du|sie|ihr)|keine[nrms]?|nie|niemals)\b",
                r"ich (?:will|möchte),? dass (?:du|sie) mich .*\b(?:frag|informier)\w+",
                r"wir (?:arbeiten|nutzen|verwenden|benutzen|schreiben|committen|nehmen)(?: hier)? (?:nur|nie|niemals|immer|grundsätzlich|ausschließlich)\b",
                r"(?:die |alle )?(?:tests|commits) (?:dürfen|müssen|sollen) (?:nie|niemals|nicht|nur|immer)\b",
                r"ich (?:will|möchte), dass (?:du|sie|ihr) (?:nie|niemals|immer|stets|nur|nicht)\b",
                r"ich habe? nicht gesagt\b|ich habe? nicht gebeten\b|davon,? dass du .+, war keine rede",
                r"finger weg\b|hände weg\b",
                r"lass(?:e|en sie)? .+ (?:in ruhe|unverändert|unangetastet|wie (?:es|sie|er) (?:ist|sind))",
                r"frag(?:e|en sie)? (?:mich )?(?:immer |bitte )?(?:erst|vorher|zuerst|bevor)\b",
            ),
            anywhere=(
                r"\bbis (?:auf (?:weiteres|widerruf)|(?:ich|wir) (?:\w+ ){0,4}(?:sag\w*|freigebe\w*|bestätig\w*|geb\w*|gib\w*|melde|zustimm\w*|widerruf\w*|anders\w*|aufheb\w*))\b|\bsolange (?:ich|wir|du|sie) (?:\w+ ){0,4}(?:nicht|nichts)\b",
                r"\b(?:ab hier|komme was wolle|was auch passiert|ab heute|fortan|für den rest|fürs nächste|von hier an|von heute an)\b(?! (?:der|die|das) )",
                r"\blieber (?:\S+ ){1,4}als \S+(?: \S+)?$",
                r"\b(?:höchstens|maximal|nicht mehr als) \d+ ?(?:minuten|stunden?|euro|€|dollar|cent|sätze)(?!\w)",
                r"\bohne (?:meine?n? (?:ausdrückliche )?(?:zustimmung|erlaubnis|freigabe|okay|ok)|mich (?:vorher |erst )?zu fragen|(?:vorher |erst )zu fragen|rücksprache)\b",
                r"\b(?:es sei denn,? ich|bis ich (?:es |das )?(?:sage|freigebe|bestätige))\b",
                r"\b(?:ab jetzt|ab sofort|von nun an|von jetzt an|künftig|in zukunft)\b",
                r"\b(?:auf keinen fall|unter keinen umständen)\b",
                r"\b(?:wenn|falls) (?:du|sie) .{0,40}(?:unsicher|nicht sicher)\b.{0,40}\bfrag|\bim zweifel\b.{0,40}\bfrag",
                r"\b(?:alles,? was|egal,? was|was (?:auch )?immer|(?:bei|in) allem,? was) (?:du|sie)\b",
                r"\b(?:in|für|während) (?:die|der|diese|dieser|den rest der|den rest dieser) (?:ganzen? |gesamten? |restlichen )?(?:sitzung|session)\b",
            ),
            end=(
                r"\b(?:ist|sind|bleibt|bleiben) (?:strikt |streng |absolut )?(?:verboten|tabu|untersagt|nicht erlaubt)",
                r"\b(?:muss|müssen|soll|sollen) (?:\S+ )?(?:unverändert|unangetastet|stabil|grün|kompatibel) (?:bleiben|sein)",
                r"\b(?:in ruhe|unangetastet|unverändert) lassen",
                r"\b(?:nach|vor|bei) jede[mr] (?:änderung|commit|schritt|push|bearbeitung)",
                r"^(?:im|in|an|unter) .+ wird (?:nichts|nie|niemals) (?:ge|ver)?(?:ändert|angefasst|angerührt|löscht|bearbeitet|committet|schoben|umbenannt|pusht)",
            ),
            asks=(
                r"\b(?:diesmal|dieses mal)\b",
                r"^(?:bitte )?(?:füge?|bau|baue|erstell|erstelle|implementier|implementiere|schreib) (?:mir )?(?:eine?n?) (?:\S+ ){1,5}?(?:die|der|das|dass|damit|wo)\b",
            ),
            lifts=(
                r"\b(?:du|sie) (?:darfst|dürfen|kannst|können)(?: jetzt| nun| wieder)? (?P<what>.+)",
                r"(?P<what>.{1,80}?) (?:ist|sind) (?:jetzt|nun|wieder) (?:erlaubt|ok|okay|in ordnung)",
                r"\b(?:du|sie) (?:musst|müssen) (?P<what>.{1,80}?) nicht mehr\b",
            ),
        ),
        "French": RulePatterns(
            start=(
                rf"(?:chaque|toute?s?|tous|tes|toutes les|tous les) (?:les |mes |nos |tes )?{_FR_MADE}(?: (?!qui\b|que\b)\S+){{0,4}}? (?:doit|doivent|devra|devront|aura|auront|commence|commencent|comporte|comportent|est accompagnée?|nécessite|reste|restent|sera|seront|se fait|se font|passe par)\b",
                rf"{_FR_MADE}(?: \S+){{0,2}}? (?:limitée?s? à|de (?:moins de|maximum)|pas plus de|(?:maximum|au plus|au maximum)) \S+ (?:lignes?|caractères?|phrases?|mots?)",
                rf"(?:pas plus de|maximum|au maximum|au plus|jamais plus de) \S+ (?:\S+ )?(?:par|dans chaque) {_FR_MADE}",
                r"(?:pas question|hors de question) (?:de |d'|que )",
                r"(?:utilis|lanc|prend|emploi)\w* [^,]{1,60}, (?:et )?(?:pas|jamais) \S+",
                r"(?:les|le|la) \w+ (?:toujours|jamais|uniquement) (?:avec|en|dans|sur)\b",
                r"(?:interdiction|défense) (?:formelle |absolue |totale )?(?:de |d')",
                r"répond\w*(?:[- ]moi)?(?: toujours| uniquement)? en \w+",
                rf"n(?:e |')(?!(?:{_FR_NO_ORDER})\b|(?:affich|montr|r?envoi)\w*\b[^,]*\bque\b)(?!\w+-)[^,]*?\b(?:pas|jamais|rien|plus|aucune?|que)\b",
                r"ne (?:pas|jamais|rien) \w+er\b",
                r"(?:pas|aucun|jamais) d?'?(?:accès) (?:au )?(?:réseau|internet)\b",
                (
                    r"(?:jamais|pas|plus) de (?:nouve\w+|commits?|push\w*|dépendances?|paquets?|modifications?|changements?|"
                    r"refactor\w*|commentaires?|emojis?)\b"
                ),
                r"aucune? (?:nouve\w+|dépendance|commit|push|paquet|modification|changement)\b",
                r"(?:touche|change|modifie|pousse|commit\w*|supprime|ajoute|efface)[sz]? (?:pas|jamais|à rien|rien)\b",
                rf"toujours {_FR_DO}\b",
                r"(?:avant|après) chaque \w+",
                r"(?:merci|prière|pense[sz]?|tâche[sz]?) (?:de |d'|à )?(?:ne (?:pas|jamais|rien)|toujours|(?:bien )?(?:me )?(?:demander|consulter|prévenir)[^.]*\bavant)\b",
                r"(?:tous |toutes )?les (?:messages? de commit|commits?|commentaires|réponses) (?:\w+ )?(?:en |doivent|toujours|restent|sont (?:toujours|en))",
            ),
            clause=(
                r"je (?:préfère|préférerais|préfererais|veux|souhaite|aimerais|tiens à ce) (?:largement |nettement |vraiment )?que (?:tu|vous|chaque|tous|toutes|les) (?:\S+ ){1,6}?(?:plutôt|partout|toujours|jamais|systématiquement|uniquement|dans tout|pour tout|à chaque|en|au lieu)\b",
                r"je (?:préfère|préférerais) (?!(?:l'option|la (?:première|seconde|deuxième|solution|version|variante)|le (?:premier|second|deuxième)|ça|celui|celle)\b)(?:\S+ ){1,6}?(?:à|aux?|plutôt qu\w*'?|au lieu)",
                r"(?:j'ai horreur|je déteste|je n'aime pas) (?:de |d'|les )\w+",
                rf"{_FR_DO}(?:-\w+)?(?: \S+){{0,5}}? (?:partout|systématiquement|à chaque fois|sans exception|dans tout(?:e)? (?:le|la) (?:projet|code|base)|dans tous les (?:fichiers|modules)|pour tou(?:s|tes) les \w+)\b",
                r"(?:limite|garde|maintiens|tiens|borne|reste|cantonne)[sz]?(?:-(?:toi|vous)| (?:les|tes|chaque|vos|mes|nos)) .*(?:à|sous|en dessous de|moins de|maximum|max|de) (?:moins de |\S+ )?(?:\d+|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|vingt|une?) (?:lignes?|caractères?|phrases?|mots?|colonnes?|paragraphes?)",
                r"je (?:t'|vous )(?:ai|avais) (?:déjà |bien |pourtant |clairement ){0,2}(?:dit|demandé|interdit|prévenue?) (?:de |d'|que |qu')",
                rf"(?:attends|attendez|demande|obtiens|il faut|il te faut|nécessite|requiert) (?:toujours |d'abord )?mon (?:\w+ )?{_FR_SAY}\b|(?:seulement|uniquement) (?:avec|après) mon {_FR_SAY}\b",
                r"(?:demande|consulte|préviens|avertis|interroge)[sz]?-(?:moi|nous) (?:toujours|d'abord|avant|à chaque|systématiquement)\b",
                r"(?:n'y touche|ne t'avise)\w* pas\b",
                r"chaque fois que (?:tu|vous)\b",
                r"sans (?:toucher|modifier|changer|casser|committer|pousser|renommer)\b",
                r"aucune? \S+ ne (?:doit|peut|devra|doivent)\b",
                r"montre[sz]?(?:-moi)? .+ avant (?:de|d'|que)\b",
                r"pas de (?!soucis?\b|problèmes?\b|quoi\b|panique\b|chance\b|réponse\b|raison\b)\S+(?: \S+)? (?:ni|dans|sans|en|ici|stp)\b",
                r"évite[rz]? (?:de |d'|les? |toute?s? )",
                r"(?:tu|vous) ne (?:touche|modifie|change|travaille|utilise|édite)\w{0,2} que\b",
                r"limite[sz]?-(?:toi|vous) (?:à|aux?)\b",
                r"arr[eê]te[rsz]? (?:de |d')\w+",
                r"(?:tu|vous|on) (?:ne )?(?:touche|modifie|pousse|change|supprime|commit\w*|install\w|utilise|lance|cré[eé]|ajoute)\w{0,2} (?:surtout )?(?:pas|jamais|rien|plus|aucune?)\b",
                r"(?:tu peux|vous pouvez|tu dois|vous devez) (?:\w+ )?(?:uniquement|seulement|exclusivement)\b",
                r"je (?:préfère|préférerais|voudrais|veux) que (?:tu|vous) ne\b",
                r"(?:reste|restez|garde|gardez) .+ (?:courtes?|courts?|petits?|petites?|simples?)$",
                (
                    r"ne (?:touche|pousse|modifie|change|supprime|fais|faites|lance|ajoute|commit\w*|installe|utilise|efface|crée)\w{0,2}\b"
                    r"[^,]*?\b(?:pas|jamais|rien|plus|aucune?)\b"
                ),
                (
                    r"(?:tu ne dois|vous ne devez|il ne faut|tu n'as|vous n'avez|on ne) (?:surtout |absolument )?(?:pas|jamais|rien|plus)\b"
                    r"(?! (?:besoin|encore|vu|compris))"
                ),
                r"(?:tu dois|vous devez|il faut) (?:toujours|uniquement|seulement)\b",
                r"il est (?:strictement |formellement |absolument )?(?:interdit|défendu) (?:de |d')",
                r"je ne veux (?:pas que (?:tu|vous)|plus|jamais|aucune?|pas de)\b",
                r"je (?:veux|voudrais) que (?:tu|vous) .*\b(?:jamais|toujours)\b",
                r"je (?:veux|voudrais) (?:voir|relire|valider|approuver) .+ avant\b",
                r"(?:on|nous) (?:n')?(?:travaill|utilis|écri|commit)\w+ (?:jamais|toujours|uniquement|seulement|que)\b",
                r"je (?:veux|voudrais) que (?:tu|vous) me (?:demand|consult|prév)\w+",
                r"les (?:tests|commits) (?:ne |n')?(?:doivent|peuvent) (?:pas|jamais|toujours|seulement)\b",
                r"je ne? ?(?:t'|vous |te )?'?ai (?:pas|jamais) (?:dit|demandé) (?:de |d'|que )",
                rf"{_FR_DO}(?:-\w+)?(?: \S+){{0,2}}? (?:toujours|uniquement|exclusivement)\b",
                r"laisse[rz]? .+ (?:tranquilles?|intacte?s?|tels? quels?|telles? quelles?|comme (?:il|elle|ils|elles|c'))",
                r"demande[zr]?(?:-moi)? (?:toujours |d'abord |la permission )*avant\b",
                r"pas touche\b",
            ),
            anywhere=(
                r"\b(?:jusqu'à nouvel ordre|jusqu'à ce que je|à partir d'ici|quoi qu'il arrive|à compter (?:de maintenant|d'aujourd'hui)|à l'avenir|dès (?:maintenant|à présent|lors que tu)|(?:pour|pendant) (?:tout )?le reste de)\b",
                r"\b(?:au maximum|pas plus de|au plus|maximum) \d+ ?(?:euros?|€|dollars?|minutes|phrases)(?!\w)",
                r"\bsans (?:me (?:demander|consulter|prévenir)|mon (?:accord|aval|feu vert|autorisation|ok)|ma permission|(?:d'abord )?m'en parler|demander avant)\b",
                r"\b(?:tant que|avant que|sauf si|jusqu'à ce que) je (?:n'ai|ne|le|te|dise|valide|confirme)\b",
                r"(?:^|\b)(?:à partir de maintenant|dorénavant|désormais)\b",
                r"\b(?:en aucun cas|sous aucun prétexte)\b",
                r"\b(?:quoi que|(?:dans )?tout ce que) (?:tu|vous) (?:fai|fass|fer|écri|chang|modifi|ajout)\w*",
                r"\b(?:en cas de doute|si tu n'es pas sûre?|si tu as un doute)\b.{0,40}\bdemand",
                r"\b(?:pour|pendant|durant) (?:toute )?(?:la|cette) (?:session|séance)\b",
            ),
            end=(
                r"\b(?:est|sont) (?:strictement |formellement )?(?:interdite?s?|défendue?s?|hors limites?)",
                r"\b(?:après|avant|à) chaque (?:modification|changement|commit|étape|push)",
                r"\b(?:doit|doivent) (?:rester|demeurer) (?:verte?s?|inchangée?s?|stables?|intacte?s?|compatibles?)(?: après chaque \w+)?",
            ),
            asks=(
                r"\bpas encore\b|\bcette fois\b",
                r"^(?:ajoute|crée|écris|implémente|fais)[sz]? une? (?:\S+ ){1,5}?(?:qui|pour que|afin que|où)\b",
            ),
            lifts=(
                r"\b(?:tu peux|vous pouvez)(?: maintenant| de nouveau| à nouveau)? (?P<what>.+)",
                r"(?P<what>.{1,80}?) (?:est|sont) (?:maintenant|de nouveau|à nouveau) (?:permise?s?|autorisée?s?)",
                r"\b(?:tu n'as|vous n'avez) plus besoin de (?P<what>.+)",
            ),
        ),
        "Spanish": RulePatterns(
            start=(
                rf"(?:cada|tod[oa]s? (?:l[oa]s )?|l[oa]s|tus) ?(?:nuev[oa]s? )?{_ES_MADE}(?: (?!que\b)\S+){{0,4}}? (?:deben?|tienen? que|ha de|han de|necesitan?|llevan?|requieren?|empiezan? (?:con|por)|van?) (?!a\b|mal\b|bien\b|fall)",
                rf"(?:las |los |tus )?{_ES_MADE}(?: \S+)?,? (?:de )?(?:como máximo|máximo|no más de|menos de|de menos de|hasta)(?: de)? \S+ (?:líneas?|caracteres|frases?|palabras?|archivos?)",
                rf"(?:como máximo|máximo|no más de) \S+ (?:\S+ )?(?:por|en cada) {_ES_MADE}",
                r"ni hablar de\b|nada de \w+r\b",
                r"nada de (?!eso\b|esto\b|lo\b|momento\b|nada\b|particular\b)\w+",
                r"(?:usa|utiliza|emplea) \S+(?: \S+)?,? (?:y )?no \S+$",
                r"(?:los|las|el|la) \w+ (?:siempre|nunca|solo|sólo) (?:con|en|desde|por|bajo)\b",
                rf"(?:nunca|jamás|siempre) (?:m[eo] )?(?:{_ES_ORDER}|{_ES_DO})\b",
                r"sin (?:comentarios|emojis|abreviaturas|nuev[oa]s|más|ning[uú]n\w* nuev[oa]|dependencias|commits?|cambios en|paquetes)\b",
                r"nada de (?:nuev[oa]s|commits?|push\w*|dependencias|cambios|paquetes)\b",
                r"(?:prohibido|prohibida|prohibidos|prohibidas)\b",
                r"ning[uú]n[oa]? (?:nuev[oa]|dependencia|commit|cambio|paquete)\b",
                r"(?:antes|después) de (?:cada\b|.+\b(?:me |siempre )*(?:pregunta|consulta|avisa|confirma|pide)\w*)",
                r"(?:todos |todas )?(?:los mensajes de commit|los commits|los comentarios|las respuestas) (?:van|deben|siempre|tienen|en|han de)\b",
            ),
            clause=(
                r"(?:prefiero|preferiría|me gusta(?:ría)? más|quiero|espero|me gustaría) que (?:tú )?(?:uses|utilices|emplees|escribas|trabajes|pongas|hagas|respondas|sigas|nombres|mantengas|pruebes|documentes|me avises|me preguntes|me consultes|todos?|todas?|cada)\b",
                r"prefiero (?!(?:la (?:opción|primera|segunda|versión)|el (?:primero|segundo)|es[ae]|eso)\b)(?:\S+ ){1,5}?(?:a|en lugar de|en vez de|antes que|sobre)\b",
                r"(?:odio|detesto|no me gustan) (?:los|las) \w+",
                rf"(?:{_ES_DO}|{_ES_ORDER}|document\w+|escrib\w+|nombr\w+|sigue)(?:\s\S+){{0,5}}? (?:en todas partes|sistemáticamente|en todo (?:el|momento)|en toda la|sin excepci(?:ón|ones)|cada vez|en todos los \w+|en todas las \w+|para todos los \w+|para todas las \w+|de forma consistente)\b",
                rf"(?:mant[eé]n|limita|restringe|acorta|deja) (?:los |las |tus |cada |todos los |todas las |el |la )+(?:\w+ de )?{_ES_MADE}\b.* (?:en|a|por debajo de|bajo|dentro de|con|sin)\b",
                r"(?:ya )?te (?:he )?(?:dije|dicho|pedí|pedido|advertí|advertido) (?:ya |claramente )?(?:que |de )?(?:no|nunca|siempre|solo|sólo)\b",
                rf"(?:espera|pide|necesitas|requiere|hace falta) (?:siempre |primero )?mi {_ES_SAY}\b|(?:solo|sólo|únicamente) con mi {_ES_SAY}\b",
                r"(?:al[eé]jate|mantente (?:alejad[oa]|lejos|fuera)|no te acerques|no te metas)\b",
                r"(?:pregúntame|consúltame|avísame|pídeme permiso) (?:siempre |primero )?(?:antes|cada vez|primero)\b",
                r"cada vez que (?:cambies|modifiques|toques|edites|añadas|agregues|hagas|termines)\b",
                r"cada (?:función|commit|archivo|cambio|clase|método)(?: nuev[oa])? (?:tiene|debe|ha de|lleva)\b",
                r"sin (?:tocar|cambiar|modificar|romper|renombrar)\b",
                r"(?:enséñame|muéstrame|mu[eé]strame|enseña) .+ antes de(?: que)?\b",
                r"(?:evita|eviten|evitad) \w+[aei]r\b",
                r"ni se te ocurra\b|ni lo toques\b|lim[ií]tate a\b|no (?:me )?(?:vuelvas|vuelva) a \w+",
                rf"(?:solo|sólo|únicamente) (?:{_ES_DO}|{_ES_ORDER})\b",
                r"(?:responde|contesta|habla|háblame|contéstame|respóndeme)(?:me)? (?:siempre |solo )?en \w+",
                r"(?:deja|dejad|dejen|para|parad) (?:ya )?de \w+[aei]r(?:[lm]e|lo|las?|los)?\b",
                r"(?:solo|sólo|únicamente) (?:puedes|debes|pueden|deben|tienes permiso)\b|(?:puedes|debes) (?:\w+ )?(?:solo|sólo|únicamente)\b",
                r"(?:yo )?no te (?:he )?(?:dije|dicho|pedí|pedido|mandé) (?:que )?",
                r"(?:preferiría|prefiero|agradecería) que (?:no|nunca|siempre|solo|sólo)\b",
                r"mant[eé]n(?:er)? .+ (?:cortos?|cortas?|pequeñ[oa]s?|breves?|simples?)$",
                rf"no (?:me |lo |la |los |las )?{_ES_ORDER}\b",
                rf"(?:nunca|jamás) (?:me )?{_ES_ORDER}\b",
                r"no (?:debes|deben|deberías|tienes permiso|estás autorizad[oa]|se debe)\b",
                r"(?:debes|tienes que|hay que) (?:siempre|solo|sólo|únicamente)\b|siempre (?:debes|tienes que|hay que)\b",
                r"no quiero (?:que|ning[uú]n|nuev|más)",
                r"quiero (?:ver|revisar|aprobar) .+ antes de\b",
                r"(?:aquí )?(?:solo|sólo|siempre|nunca) (?:usamos|trabajamos|escribimos)\b",
                r"quiero que me (?:pregunt|consult|avis|pid)\w+",
                r"(?:los|las) (?:tests|pruebas|commits) (?:no |nunca |solo |sólo )(?:pueden|deben)\b",
                r"quiero que (?:nunca|jamás|siempre|no|solo|sólo)\b",
                r"(?:está|queda) (?:estrictamente |terminantemente )?prohibid[oa]\b",
                rf"{_ES_DO}(?:me)? (?:\S+ ){{0,2}}?(?:siempre|únicamente|exclusivamente|solamente)\b",
                r"no (?:he dicho|dije|te he pedido|te pedí) (?:que )?\w+",
                r"deja .+ (?:en paz|como está[n]?|intact[oa]s?)",
                r"(?:pregunta|consulta|pregúntame|consúltame)(?:me)? (?:siempre |primero |antes )+",
            ),
            anywhere=(
                r"\bhasta (?:nuevo aviso|nueva orden|que (?:yo |te |lo |os |me |no ){0,3}(?:avis|dig|dé\b|pid|aprueb|confirm|autori|indi|levant)\w*)|\bmientras (?:yo )?no te (?:dig|avis|autori)\w*",
                r"\b(?:desde aquí|pase lo que pase|de aquí en adelante|de ahora en más|desde hoy|a partir de hoy|en lo sucesivo|por norma|como norma|por regla general|de aquí al final)\b",
                r"\b(?:más de|máximo|como mucho) \d+ ?(?:dólares|euros|€|minutos|frases)(?!\w)",
                r"\bni (?:lo|la|los|las) (?:mires|toques|abras|leas|modifiques|cambies)\b",
                r"\bsin (?:preguntar(?:me)?(?: antes| primero)|preguntarme|mi (?:permiso|ok|aprobación|consentimiento|visto bueno|autorización)|avisarme|consultarme|que yo)\b",
                r"\b(?:hasta que|a menos que|salvo que) (?:yo )?(?:te )?(?:lo )?(?:diga|pida|apruebe|confirme|autorice)\b",
                r"\b(?:a partir de ahora|de ahora en adelante|desde ahora|en adelante)\b",
                r"\b(?:si no estás segur[oa]|si tienes dudas|en caso de duda)\b.{0,40}\bpregunt",
                r"\b(?:en )?todo lo que (?:hagas|escribas|cambies|toques)\b|\b(?:hagas|cambies|toques) lo que (?:hagas|cambies|toques)\b",
                r"\b(?:bajo ning[uú]n concepto|en ning[uú]n caso|bajo ninguna circunstancia)\b",
                r"\b(?:durante|para|en) (?:toda )?(?:la|esta) sesión\b",
            ),
            end=(
                r"\b(?:está|están|queda|quedan) (?:estrictamente )?prohibid[oa]s?",
                r"\b(?:después de|antes de|tras|en) cada (?:cambio|commit|paso|modificación|edición|push)",
                r"\b(?:debe|deben|tienen? que) (?:quedar|seguir|permanecer|mantenerse) (?:verdes?|intact[oa]s?|igual(?:es)?|estables?|compatibles?|sin cambios)",
            ),
            asks=(
                r"\b(?:todavía|aún|esta vez)\b",
                r"^(?:añade|agrega|crea|escribe|implementa|haz) una? (?:\S+ ){1,5}?(?:que|para que)\b",
            ),
            lifts=(
                r"\b(?:ya )?(?:puedes|pueden|puede)(?: ahora| ya| de nuevo)? (?P<what>.+)",
                r"(?P<what>.{1,80}?) (?:ya )?(?:está|están) (?:permitid[oa]s?)(?: ahora| de nuevo)?",
                r"\bya no (?:hace falta|tienes que|hay que) (?P<what>.+)",
            ),
        ),
        "Chinese": RulePatterns(
            clause=(
                r"(?:每个|每一个|所有|任何|每条|每行|每一行|每份|每处|每次|新增?的?)\S{0,8}?(?:函数|方法|类|文件|提交|改动|修改|变更|测试|模块|行|注释|变量|接口|分支|回答|回复|代码|PR|commit|功能)?(?<=[函方类文提改修变测模行注量接分回代能数法件交动试块释口支答复码Rt])\S{0,6}?(?:都)?(?:必须|务必|都要|都得|应该|应当|需要|不得|不能|不可|不许|不超过|不要超过|控制在|不准)(?!\S{0,4}修复)",
                r"\S{0,12}?(?:之前|以前|前)\S{0,3}?(?:每次|都|必须|一定|务必|请)?(?:都)?(?:要|得)?(?:先)(?:来)?(?:问|征求|跟|和|经过|通知|告诉|给)我",
                r"我(?:已经|明明|早就|刚才|之前|都)?(?:说|讲|强调|告诉)(?:过|了|过你|过了)?(?:很多次)?[，,]?(?:不|别|要|必须|只|禁)",
                r"\S{1,20}?(?:目录|文件|文件夹|代码|分支|库|数据库|配置|模块|main|master|表|脚本)\S{0,3}?(?:禁止|严禁|不许|不准|不得|不能|请勿)\S{0,2}(?:修改|删除|提交|触碰|改动|改|动|碰|访问|推送|删)",
                r"我(?:个人)?(?:更|比较|一般|通常|一向|最)?(?:喜欢|偏好|倾向于?|习惯|讨厌|不喜欢)(?!方案|这个|那个|第|你|它)(?:用|使用|在|把|单|双|短|小|\S{1,6}(?:风格|缩进|命名|引号|格式|写法|而不是|，|,|胜过|多于))",
                r"我(?:希望|想|要求|要)你?(?:以后|一直|总是|每次|都|只|尽量|始终|永远|坚持)",
                r"(?:你的|所有)?(?:回答|回复|答案|解释|说明|函数|方法|每行|一行|行宽|提交信息|标题|文件|总结)\S{0,4}?(?:长度)?(?:尽量|请|要|应|必须|都|一律|务必|最好)?(?:保持)?(?:简短|简洁|精简|简明|短一?点|不(?:要|得|能|可|许)?(?:超过|多于)|控制在|限制在|最多|别超过|用列表|用要点)",
                r"(?:请)?(?:统一|一律|全部|全都|始终|一直|全程|永远)(?:都)?(?:使用|用|采用|写成|遵循|按照|按)",
                r"(?:等我|得到我|经我|征得我)(?:的)?(?:明确)?(?:确认|同意|批准|说|通知|许可|点头)(?:之后|以后|后|了)?(?:再|才)?",
                r"(?:离|远离)\S{1,12}(?:远一?点)|尽量避免|避免(?:使用|修改|引入|添加|改动)",
                r"(?:直到我|在我)\S{1,10}(?:之前|为止|前)",
                r"\S{0,10}(?:一次|每次)(?:最多|只能?|只)\S{0,10}(?:提交|修改|改|做|文件|个)",
                r"(?:变量|函数|文件|分支|类|测试)名\S{0,3}(?:用|使用|要|必须|一律|都|统一|以)",
                r"先(?:别|不要)(?:提交|推送|改|动|合并|删|碰)",
                r"每次\S{1,10}(?:别|不要|不超过|不得)",
                r"(?:不要|别)?\S{0,6}?一次(?:只|只能)(?:改|做|提交)",
                r"(?:改|动|提交|推送|合并)(?:代码)?(?:之前|前)\S{0,4}(?:先)?(?:给我|让我|跟我)",
                r"(?:其他|其它|别的|其余|除了\S{1,30}?(?:以外|之外|外)?)\S{0,10}?(?:都|一律|也|一概)?(?:不要|别|不准|不许|不能|勿)",
                r"(?:请)?(?:都)?用(?:中文|英文|英语|日语|简体中文)(?:回答|回复|写|交流|沟通)",
                r"所有(?:的)?(?:提交|注释|改动|回答|回复|命令|依赖)\S{0,10}?(?:都|必须|要|一律|请)",
                r"(?:整个过程中?|全程|任何(?:时候|情况下)|过程中|从头到尾)(?:都)?(?:不要|别|不准|不许|不能|必须|要|请)",
                r"(?:除非|没有)我(?:明确)?(?:说|同意|允许|要求|确认)",
                r"(?:请|你)?(?:永远|绝对|绝|千万|一定)?(?:请)?(?:都)?(?:不要(?!紧)|不准|不许|不得|请勿|切勿|勿|严禁|(?<!(?:规则|校验|检查|功能|配置|提示)[，,：:])禁止|别(?![的人处]|担心|急|客气|管它|忘|放))",
                r"(?:请|你)?(?:永远|绝对|绝|千万)(?:都)?不(?:能|可以|可)",
                r"你(?:不能|不可以)",
                r"我不(?:希望|想|要|允许)(?:你|看到|有)",
                r"我没(?:有)?(?:说|让你|叫你)",
                r"(?:没有|未经|没经过)我?的?(?:同意|允许|许可|批准)",
                r"(?:从现在(?:开始|起)|从今以后|今后|以后(?=都|所有|每|请|一律|不|要|别|只)|接下来(?:都|一律))",
                r"(?:请)?(?:始终|一律|务必|总是(?=使用|用|先|写|运行|保持|检查))",
                r"(?:你)?(?:请)?只(?:能|准|许|允许|可以)?(?:修改|编辑|使用|用|改|动|在|碰|放|写|提交)(?![了过一两])",
                r"\S{1,30}?不(?:能|可以|许|准)(?:改|动|碰|删|提交|推送)(?=[，,。!！]|$)",
                r"\S{0,20}?(?:之前|前|以前)(?:请|必须|都|要|一定要|务必)?(?:先)(?:问|征求|跟|和|经过|给)我",
                r"(?:先|必须先)(?:问|征求|经过)我",
                r"(?:提交信息|注释|回答|回复|commit ?message)\S{0,3}(?:一律|都|统一|要|必须|请|用)",
                r"每次\S{1,20}(?:之前|前|都)(?:要|必须|都|先)",
                r"(?:整个|本次)(?:会话|任务)",
                r"(?:测试|代码|注释|文档)(?:里|中)?(?:都)?(?:不要|不准|不得|别)",
                r"(?:不确定|拿不准|有疑问)\S{0,6}问我",
                r"(?:无论|不管)你?(?:做|改|写|动)什么",
            ),
            anywhere=(
                r"(?:从这里(?:开始|起)|从此|(?:不管|无论)(?:怎样|如何|怎么样|发生什么)|从今天起|自此|往后|接下来的?所有|后续所有|整个(?:项目|代码库)(?:里|中)?都|所有(?:代码|文件)都(?:用|要|按)|全部代码都)",
                r"最多(?:只能)?(?:花|用)\S{0,4}(?:块|元|美元|分钟|小时)",
                r"(?:总)?预算(?:是|为|[:：])? ?\S?\d",
            ),
            end=(r"(?:是|被)?(?:严格)?禁止(?:的)?", r"保持\S{1,20}不变"),
            asks=(
                r"(?:这次|这一次|这回)(?:就)?(?:先)?(?:不|别)|还没|(?:不要|别)(?P<deed>[\u4e00-\u9fff])[^，,]*[，,](?:而?是)?(?P=deed)|(?:不要|别)(?:再)?让\S{0,6}(?:报错|崩溃|出错|失败)",
                r"^(?:请)?(?:帮我)?(?:加|添加|增加|实现|写|做|创建|新增)(?:上)?一?个",
            ),
            lifts=(
                r"(?:现在|已经)?(?:你)?(?:又)?可以(?P<what>.{1,80}?)了?",
                r"(?:不用|不必|不需要)再(?P<what>.{1,80}?)了?",
            ),
        ),
        "Japanese": RulePatterns(
            clause=(
                r"(?:すべて|全て|全部|各|どの|新しい|あらゆる|それぞれ)の?(?:公開)?(?:関数|メソッド|クラス|ファイル|コミット|テスト|変更|モジュール|コード|PR|行|変数|エンドポイント)\S{1,30}(?:こと|必要があります|必須(?:です)?|(?<!直し)(?<!削除し)てから\S+)$",
                r"(?:(?:一|１|1|各)行|関数|メソッド|回答|返答|返信|説明|答え|コミット(?:メッセージ)?|返事|要約|タイトル行)は?(?:は|を|の長さは|も)?\S{0,8}?(?:\d+|[一二三四五六七八九十百]+)(?:文字|行|文|語|字|桁|個|点|ファイル)(?:以内|以下|まで|未満)",
                r"(?:回答|返答|返信|答え|説明|返事|要約)は\S{0,10}?(?:簡潔|短|箇条書き|一文|敬語|丁寧|要点|結論|手短|リスト|表形式|です)",
                r"(?:コメント|コミット(?:メッセージ)?|変数名|関数名|ブランチ名|ファイル名|クラス名|テスト名|文字列|インデント|引用符|ドキュメント|docstring|型)(?:に)?は\S{0,4}?\S{1,14}(?:で(?:統一|書|お願い|し|付け|始め)|に(?:統一|し(?:て|ます|ろ)|揃え)|を(?:使|使用))",
                r"(?:私は)?\S{1,20}(?:より|よりも)\S{1,20}(?:の(?:ほう|方))?(?:が|を)(?:好き|好み|優先)",
                r"\S{1,20}(?:のほう|の方)?が(?:好き|好み|苦手|嫌い)(?:です|なので)",
                r"(?:できるだけ|なるべく|極力)(?!早く|早め)\S{1,30}(?:ください|お願い|ように|避け|使わ|て)",
                r"(?:今後(?:は|、)?|これからは|以後(?:は|、)|以降は|このセッション(?:では|中))",
                r"(?:コメント|コミット(?:メッセージ)?|回答|返事|返信|説明)は(?:すべて|全て|必ず|常に)?\S{1,8}で(?:統一|書|お願い|返|し)",
                r"\S{1,30}(?:する|の|した|入れる|変える|消す)前に(?:は)?(?:必ず|毎回|一度)",
                r"(?:勝手に|許可なく|私(?:に|の)(?:確認|許可|承認|了承)(?:なし|せず|を得ず|なく))",
            ),
            anywhere=(
                r"(?:その都度|都度|毎回|逐一)(?:必ず)?(?:確認|聞|相談|報告|知らせ|許可)",
                r"(?:ここから(?:は|先)|何があっても|今日から|本日から|ここから先は|以後|以降、?は?ずっと|今後)(?!の(?:予定|計画|課題|方針))",
                r"(?:プロジェクト|コード|リポジトリ)(?:全体|全部)で(?:は)?\S{0,20}(?:統一|使っ|使用|揃え|守)",
                r"(?:な|ない)(?:で)?(?:ください|で)?と(?:言っ|言い|伝え|お願いし|頼ん|頼み)(?:た|まし|てあ)",
                r"(?:私|こちら|僕)(?:の|が)?(?:の)?(?:許可|承認|確認|了承|同意)(?:が|を)?(?:得|取|もら|出|す|し|あ)(?:てから|るまで|ってから|まで|た(?:後|あと|ら)|なければ|ない限り)",
                r"特に(?:指示|言わ)(?:が)?(?:ない|なけれ)(?:限り|ば)|(?:指示|連絡|合図)(?:が)?(?:ある|出る|する)まで",
                r"(?:とき|時|場合)(?:は|、).{0,10}(?:事前に|先に|必ず|確認|一声|聞いて|相談)",
                r"(?:して|変えて|触って|使って)(?:も)?(?:いい|良い|よい|OKな)のは.{1,60}だけ",
                r"(?<!\d)\d{1,6}(?:分|時間|ドル|円)(?:まで|以内)(?:に|で|、|。|$)",
                r"以外(?:は|には|を|の|に).{0,30}(?:ないで|ないこと|禁止|NG|だめ|ダメ|な$|ない$)",
                r"(?:私|こちら|僕|俺)?が?(?:言う|指示する|指示を出す|承認する|確認する|OKを?出す|許可する)まで",
                r"(?:頼んで|お願いして)(?:い)?(?:ない|ません)",
                r"(?:の|こと)(?:は|を)?(?:もう)?(?:やめて|止めて|控えて)(?=[、。！!]|ください|下さい|ほしい|欲しい|ね|$)",
                r"(?:前に|まえに)(?:は)?(?:必ず|毎回|一度|まず|先に)?(?:私に|こちらに)?(?:確認(?=[しすをはお、。]|$)|聞い|相談|見せ)",
                r"(?:日本語|英語|中国語)で(?:答え|回答|返|話|書いて|お願い)",
                r"予算(?:は|[:：])? ?\S?\d",
                r"(?:コミット|変更|ステップ|編集)(?:の)?(?:ごと|度|たび|毎)に",
                r"(?:迷ったら|迷った(?:場合|とき|時)|わからない(?:場合|とき|時|こと)).{0,10}(?:聞い|確認し|質問し)",
                r"何を(?:し|変え|書い)(?:て|よう)?も",
                r"(?:絶対に|決して).{0,60}(?:ない(?!はず|のに|か)|な$|いけ|禁止|だめ|ダメ)",
            ),
            end=(
                r"(?:を|は|に)(?:避けて|控えて|使わずに|触れずに|触らずに|変えずに)(?:\S{0,6})?(?:ください|下さい|ほしい|お願いします)?",
                r"ないで(?:おいて|いて)(?:ください|下さい|ほしい|ね)?(?:です)?|ないで(?:いただけ|もらえ|頂け)(?:ます|る|ません)(?:か)?",
                r"(?:触[らり]?|触れ|変え|(?:変更|編集|削除|コミット|プッシュ|追加|修正|マージ|デプロイ|インストール)し|使わ|書か|消さ|動かさ|いじら)ないように(?:して(?:ください|下さい|ほしい(?:です)?)?|お願いします|頼みます)",
                r"(?<!心配し)(?<!気にし)(?<!忘れ)(?<!遠慮し)ないで(?:ください|下さい|ね|くれ|ほしい(?:です)?|欲しい(?:です)?)?",
                r"(?:て|で)は(?:いけません|いけない|ならない|なりません|だめ(?:です)?|駄目(?:です)?|ダメ(?:です)?)",
                r"(?:ちゃ|じゃ)(?:だめ|ダメ|駄目|いけない)(?:です|だよ|よ)?",
                r"(?:厳禁|禁止)(?:です|します|する|だ|とします|で(?:お願い(?:します)?)?)?",
                r"(?:は|も)(?:なし|NG|ダメ|だめ|駄目)(?:です|で(?:お願い(?:します)?)?)?",
                r"だけ(?:を)?(?:変更|編集|修正|使用|使っ|触っ|変え)\S{0,4}(?:OK|いい|良い|可|ください|下さい)(?:です)?",
                r"ないこと|しないように(?:してください|お願いします)?",
                r"[るすくうむぬぶつぐ]な(?:よ)?",
                r"(?:必ず|常に|いつも|毎回)(?![^。]*(?:問題|不具合|バグ|現象|エラー|失敗|ように(?!し|お願い)))[^。]{0,80}(?:ください|下さい|こと|して|頼む|お願いします|お願い)",
                r"(?:とは|と)(?:言って|頼んで)(?:い)?(?:ない|ません)",
            ),
            asks=(
                r"まだ|今回(?:は|だけ)|(?:ユーザー|ログイン|ログアウト|サーバー|起動|画面)\S*(?:必ず|常に)|(?:ている|てる|た|る|ない)か(?:どうか)?(?:を)?(?:確認|調べ|チェック|見て|教え)",
                r"(?:処理|機能|画面|チェック|ボタン|バリデーション|検証|制限|テスト|項目|仕組み)を?(?:追加|作成|実装|作っ|入れ|付け)(?:し)?て?\S{0,6}$",
            ),
            lifts=(
                r"(?:もう|今は)?(?P<what>.{1,80}?)(?:し)?て(?:も)?(?:いい|良い|よい|構いません|かまいません|大丈夫)(?:です|よ|ですよ)?",
            ),
        ),
    }
)
"""The forms of rules, and of lifting them, by language. Letters are compared without regard to case."""


# Signs: what a rule is made of, in whatever order. A short sentence rules where some stand together.

SIGNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "made": (
            (
                r"\b(?:commits?|commit messages?|answers|replies|responses|explanations|your (?:answer|reply|response|explanation)|prs|pull requests|diffs|docstrings?|comments|"
                r"branches|functions|methods|classes|modules|files|scripts|names|edits?|changes?|fix(?:es)?|bug ?fix(?:es)?|refactorings?|steps?|merges?|summaries|migrations?)\b"
            ),
            (
                r"\b(?:commit-nachrichten?|antworten|erklärungen|kommentare|funktionen|methoden|klassen|dateien|skripte|namen|änderung(?:en)?|schritten?|schritte|"
                r"korrektur(?:en)?|branches|bugfix(?:es)?|migration(?:en)?|zusammenfassungen)\b"
            ),
            (
                r"\b(?:messages? de commit|réponses?|explications?|commentaires|fonctions|méthodes|fichiers|noms|modifications?|changements?|corrections?|"
                r"étapes?|branches|résumés)\b"
            ),
            (
                r"\b(?:mensajes? de commit|respuestas?|explicaciones|comentarios|funciones|métodos|archivos|ficheros|nombres|cambios?|correcci[oó]n(?:es)?|"
                r"pasos?|ramas|resúmenes)\b"
            ),
            r"提交|回答|回复|解释|注释|函数|方法|文件|改动|修改|修复|变更|步骤|步|总结|命名",
            r"コミット|回答|返答|返事|返信|説明|コメント|関数|メソッド|ファイル|変更|修正|ステップ|要約|命名",
        ),
        "reply": (
            r"^(?:please )?(?:answer|reply|respond|talk|write back|explain things|report)\b",
            r"^(?:bitte )?(?:antworte?|erkläre?|schreib mir|berichte?|red(?:e|est)?)\b",
            r"^(?:répond|expliqu|parl)\w*",
            r"^(?:responde|contesta|expl[ií]ca\w*|habla|contésta\w*|respónde\w*)\b",
        ),
        "short": (
            r"\b(?:short|small|brief(?:ly)?|concise(?:ly)?|terse|tiny|atomic|separate|self-contained|to the point|compact|tidy|minimal|focused|plain|fit in)\b",
            r"\b(?:kurz\w*|klein\w*|knapp\w*|getrennt\w*|atomar\w*|überschaubar\w*|bündig|stichpunkt\w*|schlank\w*)\b",
            r"\b(?:courte?s?|petite?s?|brève?s?|bref|brièvement|concise?s?|séparée?s?|atomiques?|succincte?s?)\b",
            r"\b(?:cort[oa]s?|pequeñ[oa]s?|breves?|brevemente|concis[oa]s?|separad[oa]s?|atómic[oa]s?|escuet[oa]s?)\b",
            r"简短|简洁|精简|短小|小步|要小|小而|独立|拆分|分开|简明|拆小",
            r"簡潔|短く|小さな|短め|小さく|分けて|手短|端的|細かく",
        ),
        "limit": (
            r"\b(?:at most|no more than|not more than|max(?:imum)?|tops|or less|or fewer|under|below|exceed|up to|less than|fewer than|more than|over|cap|limit|budget)\b",
            r"\b(?:höchstens|maximal|nicht mehr als|mehr als|unter|bis zu|obergrenze|limit|budget|weniger als)\b",
            r"\b(?:maximum|au plus|pas plus de|plus de|moins de|dépasser?|budget|limite)\b",
            r"\b(?:como mucho|como máximo|máximo|no más de|más de|menos de|límite|presupuesto)\b",
            r"最多|不超过|超过|超出|不能超|以内|以下|预算|上限|限制在|控制在",
            r"以内|以下|まで|超え|未満|上限|予算|最大",
        ),
        "money": (
            r"[$€£¥] ?\d|\d ?(?:[$€£¥]|usd|eur)",
            r"\b(?:\w+) (?:dollars?|euros?|bucks|cents?|pounds|francs?|dólares)\b",
            r"\d*(?:美元|美金|块钱|元|欧元|人民币|ドル|円|ユーロ)",
        ),
        "size": (
            (
                r"\b(?:lines?|characters?|words?|sentences?|paragraphs?|bullets?|tweet|zeilen?|zeichen|wörter|sätzen?|absätze|lignes?|caractères?|mots|phrases?|"
                r"líneas?|caracteres|palabras|frases?|párrafos?)\b"
            ),
            r"[\d一二两三四五六七八九十百]+ ?(?:行|字|个字|句|段|文字|文|語|ページ)",
        ),
        "each": (
            r"\b(?:before|after|with|for|per|on|to|in) (?:each|every|any)\b|\bevery time\b|\beach time\b|\bwhenever\b|\balways\b",
            r"\b(?:vor|nach|bei|für|zu|mit|pro|an) jede[rmns]?\b|\bjedes ?mal\b|\bimmer\b|\bstets\b",
            r"\b(?:avant|après|à|pour|dans|de) chaque\b|\bchaque fois\b|\btoujours\b|\bsystématiquement\b",
            r"\b(?:antes de|después de|tras|por|con|en|para|a) cada\b|\bcada vez\b|\bsiempre\b",
            r"每次|每一次|每当|每(?:做|改|完成|写|个|一?步)|都要|都得|都必须|总要|必须都",
            r"たび|毎回|ごとに|毎に|都度|必ず|常に",
        ),
        "order": (
            r"^(?:please |always |just )?(?:write|start|begin|end|put|add|use|name|document|test|explain|commit|include|mention|prefix|sign|keep|make|have|let)\b",
            r"^(?:bitte |immer )?(?:schreib|beginn|start|setz|nutz|benutz|verwend|benenn|dokumentier|teste?|erklär|committ?|gib|erwähn|stell|mach|nimm|lass|häng)\w*",
            r"^(?:commence|termine|écri|met|ajoute|utilise|nomme|documente|teste|explique|commit|donne|mentionne|préfixe|fai|garde|inclu)\w*",
            r"^(?:empieza|termina|escribe|pon|añade|usa|utiliza|nombra|documenta|prueba|explica|haz|da|menciona|incluye|comienza|deja)\w*",
        ),
        "each made": (
            r"\b(?:each|every|all|any) (?:new \w+|(?:new )?(?:commits?|commit messages?|fix(?:es)?|changes?|prs?|pull requests?|answers?|messages|bug ?fix(?:es)?|branch(?:es)?(?: names)?))\b|\beverything you\b",
            r"\b(?:jede[rmns]?|alle[rn]?) (?:neue[nrsm]? \w+|(?:commits?|commit-nachrichten?|änderung(?:en)?|korrektur(?:en)?|antwort(?:en)?|bugfix(?:es)?|branch(?:es)?|pull requests?))\b",
            r"\b(?:chaque|tous les|toutes les) (?:nouve\w+ \w+|(?:commits?|messages? de commit|corrections?|modifications?|réponses?|changements?|branches?))\b",
            r"\b(?:cada|todos los|todas las) (?:nuev[oa]s? \w+|(?:commits?|mensajes? de commit|correcci[oó]n(?:es)?|cambios?|respuestas?|modificaci[oó]n(?:es)?|ramas?)|\w+ nuev[oa]s?)\b",
        ),
        "not allowed": (
            r"\b(?:you(?:'re| are)|nobody is|no one is|it(?:'s| is)) not (?:allowed|permitted|supposed|authorized)\b|\bnot (?:to be (?:touched|changed|edited|modified|moved|deleted|used))\b",
            r"\bnicht (?:erlaubt|gestattet|zulässig|erwünscht|berechtigt)\b|\b(?:verboten|untersagt|tabu)\b",
            r"\b(?:n'as|n'avez|n'est|ne sont|n'es) pas (?:le droit|autorisée?s?|permise?s?)\b",
            r"\bno (?:tienes|tenéis|tiene|está|están|estás) (?:permitid\w*|permiso|autorizad\w*|derecho)\b",
            r"不允许|不准|不许|严禁",
            r"許可しません|認めません|許しません",
        ),
        "said": (
            r"\bi(?:'ve| have| had)?(?: already| just| clearly| explicitly)? (?:said|told|asked)\b",
            r"\bich (?:hab|habe|hatte)\b.*\b(?:gesagt|gebeten|geschrieben)\b|\bsagte ich\b|\bwie gesagt\b",
            r"\bj'(?:ai|avais) (?:déjà |bien |pourtant )?(?:dit|demandé|précisé)\b|\bje (?:t'|vous )(?:ai|avais)\b",
            r"\b(?:he|había|te he|ya) (?:dicho|pedido|dije)\b|\bte (?:dije|pedí)\b|\bdije\b",
            r"我(?:不是|已经|明明|早就|刚才|都)?(?:说|讲|强调)(?:过|了|的)?",
            r"と(?:言っ|言い|お願いし|伝え)(?:た|まし|てある)",
        ),
        "no": (
            r"\b(?:no|not|never|nothing|none|nowhere|don'?t|without)\b|\b(?:kein\w*|nicht|nie|niemals|nichts|nirgends|nirgendwo|ohne)\b",
            r"\b(?:pas|jamais|rien|aucune?|ni|plus|sans|nulle part)\b|\b(?:nunca|jamás|nada|ning[uú]n\w*|ni|sin)\b",
            r"不|别|勿|禁止|没有|ない|しません|禁止|せず|わず|なし",
        ),
        "only": (
            r"\b(?:only|just|solely|exclusively|nur|ausschließlich|uniquement|seulement|exclusivement|que du|solo|sólo|únicamente|solamente)\b",
            r"只|仅|だけ|のみ",
        ),
        "until": (
            r"^(?:until|till|as long as|while|before)\b.+,|\b(?:until|till)\b",
            r"^(?:bis|solange|während|bevor)\b.+,|\bbis (?:zum|zur|der|die|das|alles)\b",
            r"^(?:jusqu'|tant qu|avant)\w*.+,|\bjusqu'(?:à|au)\b|\btant qu",
            r"^(?:hasta|mientras|antes)\b.+,|\bhasta (?:que|el|la)\b|\bmientras\b",
            r"之前|以前|直到|期间|まで(?:は|に)|の間(?:は)?|するまで",
        ),
        "action": (
            r"\b(?:refactor\w*|push\w*|merg\w+|deploy\w*|commit\w*|releas\w+|renam\w+|delet\w+|install\w*|new (?:files?|features?|dependencies|packages)|migrat\w+|format\w*)\b",
            r"\b(?:umbau\w*|refaktor\w*|gemergt|gepusht|committet|deployt|gelöscht|geändert|umbenannt|installiert|angefasst|umgebaut|veröffentlicht|neue\w* (?:dateien|features?|pakete|abhängigkeiten))\b",
            r"\b(?:refactor\w*|pousse\w*|fusionn\w*|déplo\w*|supprim\w*|renomm\w*|install\w*|nouveaux? (?:fichiers?|paquets?))\b",
            r"\b(?:refactor\w*|desplieg\w*|desplegar|fusion\w*|borr\w+|renombr\w*|instal\w*|archivos nuevos|nuevos archivos|sub(?:as|ir))\b",
            r"重构|提交|推送|合并|部署|上线|删除|改名|安装|新建|发布|新文件|リファクタ\S*|プッシュ|マージ|デプロイ|削除|インストール|コミット|新規ファイル",
        ),
        "mine": (
            r"\b(?:leave|keep|don'?t touch) (?:all (?:of )?)?(?:my|our|mine)\b|\bleave (?:\S+ ){1,6}(?:where|in place|be|alone|in peace|intact)\b",
            r"\bl[aä]ss(?:t|en)? (?:\S+ ){1,6}(?:stehen|liegen|drin|so|in frieden|in ruhe|wo|sein)\b",
            r"\blaisse[sz]? (?:\S+ ){1,6}(?:en place|où|tranquilles?|là|en paix)\b",
            r"\bdeja(?:d|n)? (?:en paz|tranquil\w+|quiet\w+|donde|ahí)\b|\bdeja(?:d|n)? (?:\S+ ){1,6}(?:en paz|tranquil\w+|donde|ahí)",
            r"(?:保留|留着)我的|\S{1,12}别(?:动|改|碰|删)$|そのまま(?:に)?(?:して|残)",
        ),
        "nobody may": (
            r"\bno (?:\S+ ){1,5}?(?:may|must|shall|can be|should ever|is to)\b|\bmay (?:ever|only)\b",
            r"\bkeine?[nrms]? (?:\S+ ){1,5}?(?:darf|dürfen|sollen?|gehör\w+)\b|\bdarfst (?:\S+ ){0,3}(?:nie|nicht|erst|nur|kein\w*)",
            r"\baucune? (?:\S+ ){1,5}?ne (?:doit|doivent|peut|peuvent|devra)\b",
            r"\bning[uú]n[oa]? (?:\S+ ){1,5}?(?:puede|pueden|debe|deben)\b",
            r"(?:里|中|内|上)(?:都)?(?:不得|不能|不许|不准|不可)(?:有|出现|包含|写|用|放)|(?:に|には)\S{1,20}(?:含め|残さ|出さ|書か)ない",
        ),
        "you may only": (
            r"\b(?:only )?(?:when|once|after|if) i (?:say|tell|ask|approve|agree|confirm|give|have)\b",
            r"\berst,? (?:wenn|nachdem|sobald) ich\b|\bnur,? wenn ich\b",
            r"\b(?:seulement|uniquement|que) (?:quand|si|lorsque|après que) je\b",
            r"\b(?:solo|sólo|únicamente) (?:cuando|si|después de que) (?:(?:yo|te|lo) ){1,3}\w+",
            r"我(?:说|同意|确认|批准)(?:了|后|之后)(?:才|再)|(?:指示|許可|承認)(?:した|があった|が出た)(?:とき|時|場合)(?:だけ|のみ)",
        ),
        "address": (
            r"\bcall me\b|\baddress me\b|\b(?:duz|siez)(?:e|t)?\b|\b(?:tutoie|vouvoie)\w*|\b(?:tutéame|trát[ae]\w*me? de|háblame de)\b",
            r"タメ口|(?:敬語|です・?ます|関西弁)で|称呼我|叫我|用(?:您|你)称",
        ),
        "ask me": (
            r"\b(?:ask|consult|check with) (?:me|with me)\b|\bmy (?:say|call|decision)\b|\bfrag\w* (?:mich|bei mir|erst)\b|\b(?:demande|consulte|préviens)[sz]?-moi\b",
            r"\b(?:pregúntame|consúltame|pídeme|avísame)\b|\b(?:i want|i need|i'd like|ich will|ich möchte|je veux|je voudrais|quiero) (?:.{0,60}\b)?(?:see|review|know|approve|sehen|prüfen|wissen|freigeben|voir|relire|savoir|valider|ver|revisar|saber|aprobar)\b|(?:问|请示|告知|询问)(?:我|一下我)|(?:私|僕|こちら)に(?:聞い|相談|確認)|(?:相談|許可を(?:取|得|もら))\S*",
        ),
        "if": (
            r"\b(?:if|when|for any|before|any time|wenn|falls|bei|bevor|für|si|pour toute?|avant|quand|cuando|para|antes)\b|如果|要是|凡是|遇到|之前|前|场合|場合|なら|たら|とき|前に",
        ),
        "no thing": (
            r"^(?:please )?(?:no|kein\w*|bitte kein\w*|pas d(?:e |')|nada de|sin|ningún|ninguna|aucune?)(?: |\b)\S+(?: \S+){0,2}, ",
            r"(?:使わ|用い|なし)\S{0,2}、",
        ),
        "stays": (
            r"\bmust (?:always )?(?:stay|remain|keep)\b|\b(?:muss|müssen) (?:\S+ ){0,4}bleiben\b|\b(?:doit|doivent) (?:rester|demeurer)\b",
            r"\bdeben? (?:seguir|permanecer|mantenerse|quedar)\b|(?:必须|都要|要|得|务必)保持|(?:維持|保た?)(?:して|って|つ)(?:ください|こと)",
            r"^(?:we(?:'re| are)? (?:stay|stick)\w* (?:on|with|at)|stay on|stick (?:to|with)|(?:wir )?bleiben? (?:wir )?(?:bei|auf)|on reste (?:sur|en|avec|à)|nos quedamos (?:en|con)|seguimos (?:en|con))\b",
        ),
        "all goes": (
            r"^all (?:\S+ ){1,3}(?:goes?|go|belongs?|lives?|stays?|is written|are written|must|gets?) (?:through|in|into|via|to|on|under|with|be|inside)\b",
            r"^(?:alle[rs]?|sämtliche\w*) (?:\S+ ){1,3}(?:gehört|gehören|läuft|laufen|kommt|kommen|geht|gehen|bleibt|bleiben) (?:durch|in|über|nach|ins|unter|zu)\b",
            r"^tou(?:t|te|s|tes) (?:\S+ ){1,4}(?:passe|passent|va|vont|reste|restent) (?:par|dans|en|sous)\b",
            r"^tod[oa]s? (?:\S+ ){1,4}(?:pasa|pasan|va|van|queda|quedan) (?:por|en|dentro)\b",
            r"^(?:please )?(?:write|do|keep|schreib|écris|escribe|rédige|haz|mach)\w* (?:everything|alles|tout|todo) (?:in|on|auf|en|dans|unter)\b",
        ),
        "product": (
            (
                r"\b(?:pull requests?|prs?|commits?|functions?|methods?|class(?:es)?|files?|answers?|repl(?:y|ies)|diffs?|subtasks?|tasks?|steps?|lines?|"
                r"explanations?|summar(?:y|ies)|docstrings?|comments?|funktion(?:en)?|methoden?|dateien?|antwort(?:en)?|aufgaben?|schritte?|klassen?|"
                r"fonctions?|méthodes?|fichiers?|réponses?|tâches?|étapes?|explications?|funci[oó]n(?:es)?|métodos?|archivos?|respuestas?|tareas?|pasos?)\b"
            ),
            r"PR|プルリク\S*|提交|函数|方法|文件|回答|回复|任务|コミット|関数|ファイル|回答|返答|説明|タスク|行",
        ),
        "time": (
            r"\b(?:minutes?|hours?|minuten?|stunden?|heures?|minutos?|horas?|days?|tage?|jours?|días?)\b|分钟|小时|分間?|時間",
        ),
        "effort": (
            r"^(?:please )?(?:spend|take|use|investiere?|verbring|brauch|passe|consacre|dedica|gasta|invierte)\w*\b|花|かけ",
        ),
        "every turn": (
            r"\b(?:before|after|at the end of|once) (?:each|every|any)\b|\b(?:whenever|every time|each time|any time) you\b",
            r"\b(?:vor|nach|am ende) jede[rmns]?\b|\b(?:immer|jedes mal),? wenn du\b|\bwenn du\b.{1,40}\b(?:immer|jedes ?mal)\b",
            r"\b(?:avant|après|à la fin de) chaque\b|\bchaque fois que tu\b|\b(?:antes|después|al final) de cada\b|\bcada vez que (?!el|la|los|las)\w+[aeo]s\b",
            r"每(?:次|当)?(?:完成|做完|改完|提交|修改|结束|写完)|(?:る|た)(?:たび|度)に|[、，]毎回",
        ),
        "frozen": (
            r"\b(?:frozen|in freeze|locked down|set in stone|eingefroren|in stein gemeißelt|steht fest|gelée?s?|figée?s?|congelad[oa]s?|cerrad[oa]s? a cambios)\b|冻结|凍結|定死",
        ),
        "bare no": (
            (
                r"^(?:please |bitte )?(?:no|keine?|pas d(?:e |')|aucune?|plus d(?:e |')|nada de|ninguna?|ningún|sin|no más|no more) ?(?:\w+ )?(?:migra\w+|mocks?|todos?|"
                r"abstra\w+|dep\w+|abhängigkeit\w*|paquet\w*|pakete?|packages?|frameworks?|librar\w+|bibliothe\w+|bibliotec\w+|typescript|javascript|"
                r"comm?ent\w*|kommentar\w*|emojis?|refa[ck]tor\w*|globals?|force-push\w*|push\w*|commits?|sudo|regex\w*|macros?|makros?|jquery|"
                r"downloads?|experiment\w*|expérien\w+|workarounds?|hacks?|magic\w*|placeholders?|platzhalter|explan\w+|erklärung\w*|explic\w+|"
                r"files|dateien|fichiers|archivos|shortcuts?|console\.\w+|print\w*|any)$"
            ),
        ),
        "unsure": (
            (
                r"\b(?:unsure|in doubt|not sure|uncertain|unclear|im zweifel|unsicher|unklar|nicht sicher|doute|pas sûre?|pas clair|duda|dudas|no estás segur[oa]|no está claro)\b|"
                r"拿不准|不确定|有疑问|不清楚|迷っ|わからな|分からな|不明"
            ),
        ),
        "ask": (r"\b(?:ask|frag\w*|demande\w*|pregunt\w*|pregúnt\w*)\b|问|聞い|質問|確認",),
        "level": (
            r"\b(?:beginner|newbie|novice|five[- ]year[- ]old|junior|expert|anfänger\w*|laie|profi|débutante?|novice|principiante|experto)\b|初心者|初学者|新手|小白|小学生|专家|専門家",
        ),
        "tell": (
            r"\b(?:talk|speak|explain|write|answer|treat|assume|erklär\w*|red\w*|sprich|schreib\w*|behandle?|expliqu\w*|parl\w*|écri\w*|expl[ií]ca\w*|habl\w*|trátame)\b|解释|说|讲|説明|話し",
        ),
        "everywhere": (
            r"^(?!.*(?:\b(?:replace|rename|remove|find|search|delete|fix|ersetz|entfern|such|benenn|remplac|supprim|cherch|renomm|reemplaz|sustitu|quita|busca|renombr)|替换|删除|查找|置き換え|削除|探し)).*(?:\b(?:everywhere|across the board|überall|durchweg|partout|en todas partes|por todas partes|en todos lados)\b|到处|处处|全部の場所|どこでも|例外なく|例外なし)",
        ),
        "all made in": (
            (
                r"^(?:please )?(?:all|alle|tous les|toutes les|todos los|todas las|all your|alle deine) (?:\w+ )?(?:answers|repl\w+|commits?\w*|comments|messages|names|docs|docstrings|"
                r"antworten|kommentare|nachrichten|namen|réponses|messages|commentaires|noms|respuestas|mensajes|comentarios|nombres)(?: de commit)? (?:in|as|auf|als|en|comme|como|with|mit|avec|con|ohne|without|sans|sin)\b"
            ),
        ),
        "avoid": (
            r"^(?:please )?(?:(?:try to )?avoid|steer clear|vermeide?|évite[sz]?|evita|evitad|huye)\b|\bvermeiden\b|^(?:尽量|尽可能|避免)|(?:できるだけ|なるべく|極力)",
        ),
        "new code": (
            r"\b(?:new|neue[rnsm]?|nouve\w+|nuev[oa]s?) (?:code|files?|dateien?|tests?|modules?|module|komponenten|components?|fichiers?|archivos|módulos)\b|\b(?:code nouveau|código nuevo|archivos nuevos)\b|新代码|新文件|新しいコード|新しいファイル",
        ),
        "goes": (
            r"\b(?:goes?|belongs?|lives?|kommt|kommen|gehör\w*|va|vont|doit|van|debe|put|leg\w*)\b|放|置|写在",
        ),
        "as is": (
            r"\bblei\w+,? (?:genau )?(?:so,? )?wie\b|\b(?:stays?|remains?) (?:exactly )?(?:as|the way|untouched|put)\b|\breste\w* (?:comme|telle?s?)\b|\b(?:se quedan?|quedan?) (?:como|tal)\b|原样|そのまま",
        ),
        "my": (
            r"\b(?:my|mine|our|mein\w*|unser\w*|mes|mon|ma|nos|mis?|nuestr[oa]s?)\b|我的|我们的|私の|僕の|うちの",
        ),
        "touch": (
            r"\b(?:touch\w*|anfass\w*|anrühr\w*|toca\w*|toqu\w*|edit\w*|chang\w*|änder\w*|modifi\w*|cambi\w*)\b|碰|动|改|触|変え|いじ",
        ),
        "not want": (
            (
                r"\bi (?:really )?(?:don'?t|do not) (?:want|need|like)\b.*\b(?:any|you)\b|\bich (?:will|möchte|brauche) (?:\S+ ){0,2}(?:kein\w*|nirgends|nichts|nicht, dass)\b|"
                r"\bje ne (?:veux|souhaite|voudrais) \w+ (?:aucune?|de|pas|jamais)\b|\bno quiero (?:\w+ )?(?:ning\w+|que|nada)\b|我不(?:想|要)(?:看到|见到|有|你)"
            ),
        ),
        "only mine": (
            r"\bonly (?:\S+ ){0,3}?what i\b|\bnur (?:\S+ ){0,3}?was ich\b|\bque ce que je\b|\b(?:solo|sólo) (?:\S+ ){0,2}?lo que (?:yo )?\w+|只\S{0,4}我\S{0,4}(?:说|指定|提到)|私が\S{1,8}(?:もの|ところ|部分|箇所)(?:だけ|のみ|以外)",
        ),
        "tool": (
            (
                r"\b(?:pnpm|npm|yarn|bun|deno|pip|uv|poetry|conda|pytest|unittest|ruff|black|flake8|prettier|eslint|vitest|jest|mocha|docker|podman|tabs?|spaces|"
                r"(?:single|double) quotes|(?:einfache|doppelte) anführungszeichen|leerzeichen|espaces|espacios|guillemets|comillas|snake_case|camelcase|pascalcase|typescript|"
                r"javascript|java|kotlin|python|rust|httpx|requests|pathlib|os\.path|f-strings?|dataclass\w*|pydantic|zod|tailwind|fish|bash|zsh|rg|ripgrep|grep|curl|wget|"
                r"vererbung|komposition|héritage|composition|inheritance|herencia|composición|async|promises|callbacks)\b|单引号|双引号|空格|缩进|シングルクォート|タブ|スペース|継承|组合|继承"
            ),
        ),
        "instead": (
            r"\b(?:instead of|rather than|over|statt|anstatt|anstelle|lieber|plutôt|au lieu de|en vez de|en lugar de|mejor)\b|, (?:and )?(?:not|nicht|pas|no)\b|而不是|不用|不要用|代替|ではなく|じゃなく|の代わり",
        ),
        "use": (
            r"\b(?:use|using|prefer|take|stick|nimm|nutz\w*|benutz\w*|verwend\w*|lieber|bevorzug\w*|utilise\w*|emploie\w*|préfère\w*|prend\w*|usa|utiliza|prefiere|emplea|usar|mejor)\b|用|使",
        ),
        "stay": (
            r"^(?:please |bitte )?(?:stay|remain|bleib\w*|reste[sz]?|quédate|permanece|no salgas|ne (?:sors|quitte)\w* pas)\b.*\b(?:branch|folder|directory|repo\w*|ordner|verzeichnis|branche|dossier|rama|carpeta|dépôt)\b",
            r"(?:待在|留在|不要离开)\S{0,10}(?:分支|目录)|(?:ブランチ|フォルダ)から(?:出|離れ)ない",
        ),
        "spare": (
            (
                r"\b(?:skip|drop|spare me|cut|spar(?:e)? dir|erspar\w* mir|épargne-moi|ahórra\w*|omite|laisse tomber) (?:\S+ )?(?:explanations?|preambles?|intros?|introductions?|pleasantries|"
                r"apologies|summar\w+|chit-?chat|small talk|fluff|erklärung\w*|einleitung\w*|floskeln|höflichkeit\w*|zusammenfassung\w*|explications|politesses|préambules?|explicaciones|introducciones|"
                r"cortesías|preámbulos?)\b|(?:不用|不必|不需要|别)(?:跟我)?(?:解释|客套|总结|寒暄|道歉)|(?:説明|前置き|挨拶|謝罪|要約)は?(?:不要|いらない|いりません|要りません|省)"
            ),
        ),
        "compatible": (
            r"\b(?:compat\w+|kompatib\w+|rückwärtskompatib\w+)\b|\b(?:must|has to) (?:still )?(?:work|run|build) (?:on|with|under)\b|兼容|互換|\bmuss (?:\S+ ){0,4}laufen\b",
        ),
        "must": (
            r"\b(?:must|has to|have to|keep|stay|remain|should|muss|müssen|soll\w*|doit|doivent|debe|deben|tiene que|tienen que|reste\w*)\b|必须|务必|要|保持|保っ|維持|必要|こと",
        ),
        "passive no": (
            (
                r"\bno se (?:toca|borra|cambia|modifica|mueve|sube|elimina|edita|instala|usa|hace|renombra|commitea|despliega)n?\b|\bon ne (?:\w+ )?(?:touche|supprime|modifie|change|pousse|déploie|installe|renomme|efface)\w* (?:pas|rien|plus|jamais)\b|"
                r"\btu n'y touches? (?:pas|jamais)\b|\b(?:wird|werden) (?:\S+ ){0,3}?(?:nicht|nichts|nie|niemals|kein\w*|keine \w+) (?:an)?ge(?:ändert|löscht|pusht|mergt|fasst|rührt|schoben)\b|什么(?:都|也)(?:别|不(?:要|许|准|能)|不(?=[装改动删加碰]))|不(?:做|加|引入|写|留|改|碰|装)任何|(?:绝|决|永)不"
            ),
        ),
        "imperative never": (
            r"^(?:bitte )?(?!(?:ich|du|er|sie|es|wir|man|das|der|die|in|auf|an|bei|im|am|mit|von|aus|nach|vor|für|seit|habe?|ist|war|wird|hat)\b)\w+ (?:(?:bitte|mir|mich|den|die|das|dem|der|deine?n?|meine?n?|eine?n?|in|auf|an|im|am|ja|bloß)(?: [^\s,]+){0,6}? )(?:niemals|nie|keinesfalls)\b(?! (?:wieder|so|ge\w+)\b)",
            r"^(?:por favor,? )?(?:nunca|jamás) (?:me |se |le |lo )?(?!(?:tienes|puedes|quieres|haces|eres|sabes|crees|debes|antes|estas|olvides|preocupes|dudes|pierdas|digas|te|entiendes|pasas|veas|tengas|temas)\b)\w{3,}[^\Wu](?<=[ea])s \w(?! (?:todavía|aún))",
            r"^(?:don'?t|do not|never) you (?:ever|dare)\b|^(?:bitte )?(?:gib|zeig|log|druck|verrat)\w* (?:\S+ ){0,3}?(?:nie|niemals)\b",
        ),
        "each task": (
            r"\b(?:on|for|per|in|to) (?:each|every) (?:\w+ )?(?:task|subtask|step|attempt|issue)\b|\b(?:pro|für jede|je) (?:aufgabe|schritt|versuch)\b|\b(?:par|pour chaque) (?:tâche|étape)\b|\b(?:por|para cada|en cada) (?:tarea|paso)\b|每个(?:任务|步骤)|(?:タスク|ステップ)ごと",
        ),
        "only, no": (
            r"\b(?:only|just|nur|seulement|uniquement|solo|sólo)\b[^,]*, (?:and )?(?:no|keine?|sans|sin|pas de|ohne|without)\b",
        ),
        "ends always": (r"\b(?:always|immer|toujours|siempre)$|(?:一直|永远)(?:这样|如此)$",),
        "first": (r"\b(?:first|erst|zuerst|d'abord|primero)\b|先",),
        "convention": (
            (
                r"\b(?:our|my|the team'?s?|house) (?:\w+ )?(?:convention|standard|style|policy) (?:is|says|requires)\b|\b(?:unsere?|meine?) (?:konvention|regel|standard) (?:ist|lautet)\b|"
                r"\b(?:notre|ma|la) (?:convention|règle) (?:est|c'est)\b|\b(?:nuestra|mi|la) (?:convención|norma|regla) es\b|我们的(?:规范|约定|惯例)(?:是|要求)|(?:規約|慣習|ルール)(?:は|として)"
            ),
        ),
        "names": (
            r"\b(?:(?:file|variable|branch|function|class|test|column) ?names|(?:datei|variablen|branch|funktions|klassen|spalten)namen|noms de (?:fichiers?|variables?|branches?|fonctions?)|nombres de (?:archivos?|variables?|ramas?|funciones?))\b",
        ),
        "may, but not": (
            r"\b(?:you (?:can|may)|darfst du|du darfst|tu peux|puedes)\b[^.]*\b(?:but (?:not|never)|aber (?:nicht|nie\w*)|mais (?:pas|jamais)|pero (?:no|nunca))\b|可以\S*[，,]?但(?:是)?(?:不|别)|(?:て|で)もいい(?:です)?が\S*(?:ない|禁止)",
        ),
        "anything": (
            r"\b(?:anything|everything) (?:that|which|touching|related|about)\b|\balles,? was\b|\btout ce qui\b|\btodo lo que\b|凡是|所有涉及|に(?:関わる|関する|関係する)",
        ),
        "to me": (
            r"\b(?:show|ask|tell|from|past|by|with|to) me\b|\bzeigst? (?:du )?(?:es )?mir\b|\b(?:frag\w*|sag\w*) (?:du )?(?:mich|mir)\b|\b\w+-(?:le-)?moi\b|\bme (?:lo |la )?(?:enseñas|muestras|preguntas|consultas|avisas)\b|给我看|问我|私に",
        ),
        "nowhere": (
            r"\b(?:nowhere|nirgends|nirgendwo|nulle part|en ning[uú]n (?:sitio|lugar|lado|archivo))\b|どこにも",
        ),
    }
)
"""The signs of a rule, each with its words in six languages."""

RULES: tuple[frozenset[str], ...] = tuple(
    frozenset(each.split(" + "))
    for each in (
        "made + short", "made + limit + size", "reply + short", "reply + size", "money + limit", "money + no",
        "made + each + order", "order + each made", "each + action + order", "each + made + only", "not allowed",
        "said + no + action", "said + no + made", "said + only", "until + no + action", "mine", "nobody may", "you may only",
        "address", "ask me + if", "ask me + each", "no thing + only", "stays", "all goes", "nowhere", "no + money",
        "each + made + ask me",
        "product + limit + size", "effort + limit + time", "only, no", "ends always + first", "convention", "names + each", "may, but not", "anything + to me", "every turn + made", "every turn + product", "frozen", "bare no",
        "unsure + ask", "level + tell", "everywhere", "all made in", "avoid", "new code + only",
        "new code + goes", "as is + my", "my + touch + no", "not want", "only mine", "tool + instead + use", "tool + only", "stay", "spare", "compatible + must",
        "passive no", "imperative never", "each task + limit",
    )
)  # fmt: skip
"""The signs that make a rule where they stand in one sentence."""

PROGRAM = (
    (
        r"\b(?:users?|admins?|visitors?|pages?|button|form|fields?|endpoint|api|login|search|popup|dialog|menu|header|title|sidebar|(?<!pull )requests?|"
        r"server|job|queue|rows?|table|click\w*|returns?|fail\w*|crash\w*|errors?|broken|slow|wrong|why|algorithm|screen|cache|response time|visible|sticky|"
        r"this (?!backward|repo|session|project|rule|conversation|run|task)\w+|these|here)\b"
    ),
    (
        r"\b(?:nutzer\w*|benutzer\w*|admins|seiten?|knopf|formular|feld|felder|endpunkt|titel|anfragen?|warteschlange|tabelle|zeile|klick\w*|sichtbar|"
        r"fehl\w*|fehler|kaputt|langsam|falsch|warum|wieso|woran|diese[rsmn]? (?!repo|sitzung|projekt|regel|session)\w+|hier)\b"
    ),
    (
        r"\b(?:utilisateurs?|admins|bouton|formulaire|champ|titre|requêtes?|serveur|file|tableau|cliqu\w*|échou\w*|erreurs?|lente?s?|"
        r"faux|visible|en-tête|pourquoi|l'api|ici|ce(?:t|tte)? (?!dépôt|session|projet|règle|conversation|séance)\w+)\b"
    ),
    (
        r"\b(?:usuarios?|administradores|botón|formulario|campo|título|petici[oó]n(?:es)?|servidor|cola|tabla|clic|falla\w*|fallan|error(?:es)?|lent[oa]|"
        r"mal|visible|cabecera|por qué|la api|aquí|est[ea] (?!repo|sesión|proyecto|regla|conversación)\w+)\b"
    ),
    (
        r"用户|页面|按钮|表单|接口|标题|后台任务|定时任务|队列|服务器|点击|失败|报错|超时|错误|很慢|为什么|这个|那个|这里|哪|メニュー|ユーザー|ページ|画面|ボタン|フォーム|"
        r"タイトル(?!行)|サーバー|ジョブ|API|ログイン|エラー|失敗|遅|表示|なぜ|この|その|ここ"
    ),
)
"""Words of what the program does, or what is wrong with it: signs beside them rule nothing."""

LONGEST_SIGNED = 160
"""Characters of a sentence in which signs belong together."""


LEAD = (
    r"(?:(?:please|pls|plz|also|and|but|so|ok|okay|no|nope|yes|hey|btw|note|important|remember|reminder|attention|warning|rules?|"
    r"oh|well|then|just|whatever you do|in general|generally|careful|wait|stop|first|second|finally|claude|codex|bitte|und|aber|nein|ja|außerdem|wichtig|"
    r"achtung|also|dabei|s'il (?:te|vous) pla[iî]t|merci de|donc|alors|du coup|et|mais|non|oui|attention|aussi|por favor|y|pero|sí|también|"
    r"ojo|importante|porfa|surtout|sobre todo|请|但是?|并且|而且|另外|同时|还有|注意|不|ただし|また|なお|ちなみに|そして|でも|いいえ|注意)"
    r"(?:[,:!，：！、]\s*|\s+|(?<=[\u3000-\u9fff]))){0,4}¡?"
)
"""The words that may come before a rule in a sentence or a clause."""

CLAUSE = r"(?:^|[,:(–—]\s+|\s-\s+|(?<=[，、：,])|\b(?:and|but|so|und|aber|et|mais|y|pero)\s+)"
