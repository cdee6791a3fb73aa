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
    "mind worry forget hesitate bother know think see care understand believe remember get gets got saw been had have "
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

# --- French ---

_FR_NO_ORDER = r"(?:t'inquiète|vous inquiétez|oublie|oubliez|hésite|hésitez|t'en fais|marche|fonctionne|passe|charge)"
_FR_DO = (
    r"(?:utilis|écri|lanc|exécut|demand|fai|gard|vérifi|comment|répond|met|test|ajout|travaill|emploi|modifi|rédig|"
    r"préfèr|chang)\w{0,3}"
)


@dataclass(frozen=True, slots=True)
class RulePatterns:
    """The forms of rules in a language, by their place in a sentence."""

    start: tuple[str, ...] = ()
    clause: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    lifts: tuple[str, ...] = ()
    """The forms that lift one: the group ``what`` is what is allowed, or no longer asked for."""


LANGUAGES: Mapping[str, RulePatterns] = MappingProxyType(
    {
        "English": RulePatterns(
            start=(
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
                r"you (?:can|may|have|get)(?: (?:spend|use))? (?:at most|no more than|up to|until)\b",
                rf"{_OURS} (?:in|under|below|of) (?:at most |under )?(?:one|two|three|four|five|\d+)\b",
                r"no \w+(?: \w+)?(?:,| and| or) no \w+",
                r"(?:they|it|that|these|those) (?:stays?|remains?)(?: exactly)? (?:as (?:they are|it is|is)|untouched|unchanged|put)\b",
                r"i want you to (?:first )?ask\b",
                r"you (?:can|may) (?:\S+ ){1,6}but (?:not|never) \w+ (?:in|to|on|under)\b",
                rf"you (?:can'?t|cannot) (?:{_ACTIONS}) .+ (?:for this|in this (?:repo\w*|project|session|task))",
                r"i (?:want|prefer|like) (?:only )?(?:small|short|atomic|separate|clean|minimal|brief|concise) (?:commits|answers|replies|diffs|prs|comments|changes)\b",
                r"i (?:already |clearly |explicitly )?said (?!(?:that|it|this|so|yes|before|earlier|above|i|you|we)\b)\w+",
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
                r"don'?t you dare\b|(?:never|don'?t) ever\b",
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
                r"\bnew (?:policy|rule)\b",
                r"\b(?:at most|no more than|max(?:imum)?(?: of)?) (?:[$€£] ?\d|\d+ ?(?:dollars?|bucks|euros?|usd|cents)\b)",
                r"\bfor the (?:rest|remainder) of (?:this|the) (?:session|conversation|chat|day|run)\b",
                r"\b(?:ground|house|hard) rules?\b|\bcode freeze\b",
                r"\b(?:unless|until|except when) (?:i|we) (?:explicitly )?(?:say|ask|tell|approve|agree|confirm|give|ok|okay|allow)\b",
                r"\bwithout (?:asking (?:me|first)|my (?:explicit )?(?:ok|okay|approval|permission|consent|go|review)|telling me|checking with me|my say)\b",
                r"\bwhatever (?:else )?you (?:do|change|edit|touch|add|write|build|try)\b",
                r"\b(?:everything|anything) (?:that )?you (?:do|change|touch|write|add)\b",
                r"\b(?:if|when|whenever)(?: you(?:'re| are))? (?:not sure|unsure|in doubt),? (?:\w+ )?ask\b",
                r"\b(?:from now on|from here on|going forward)\b(?! (?:the|our|its?) )",
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
                rf"{_DE_ORDER}\b(?: \S+){{0,4}}? (?:immer|stets|nur|ausschließlich)\b",
                r"mach(?:e|en sie)? (?:bitte )?(?:nie|niemals|nichts|keine[nrms]?) ",
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
            lifts=(
                r"\b(?:du|sie) (?:darfst|dürfen|kannst|können)(?: jetzt| nun| wieder)? (?P<what>.+)",
                r"(?P<what>.{1,80}?) (?:ist|sind) (?:jetzt|nun|wieder) (?:erlaubt|ok|okay|in ordnung)",
                r"\b(?:du|sie) (?:musst|müssen) (?P<what>.{1,80}?) nicht mehr\b",
            ),
        ),
        "French": RulePatterns(
            start=(
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
            lifts=(
                r"\b(?:tu peux|vous pouvez)(?: maintenant| de nouveau| à nouveau)? (?P<what>.+)",
                r"(?P<what>.{1,80}?) (?:est|sont) (?:maintenant|de nouveau|à nouveau) (?:permise?s?|autorisée?s?)",
                r"\b(?:tu n'as|vous n'avez) plus besoin de (?P<what>.+)",
            ),
        ),
        "Spanish": RulePatterns(
            start=(
                r"nada de (?!eso\b|esto\b|lo\b|momento\b|nada\b|particular\b)\w+",
                r"(?:usa|utiliza|emplea) \S+(?: \S+)?,? (?:y )?no \S+$",
                r"(?:los|las|el|la) \w+ (?:siempre|nunca|solo|sólo) (?:con|en|desde|por|bajo)\b",
                rf"(?:nunca|jamás|siempre) (?:m[eo] )?(?:{_ES_ORDER}|{_ES_DO})\b",
                r"sin (?:nuev[oa]s|más|ning[uú]n\w* nuev[oa]|dependencias|commits?|cambios en|paquetes)\b",
                r"nada de (?:nuev[oa]s|commits?|push\w*|dependencias|cambios|paquetes)\b",
                r"(?:prohibido|prohibida|prohibidos|prohibidas)\b",
                r"ning[uú]n[oa]? (?:nuev[oa]|dependencia|commit|cambio|paquete)\b",
                r"(?:antes|después) de (?:cada\b|.+\b(?:me |siempre )*(?:pregunta|consulta|avisa|confirma|pide)\w*)",
                r"(?:todos |todas )?(?:los mensajes de commit|los commits|los comentarios|las respuestas) (?:van|deben|siempre|tienen|en|han de)\b",
            ),
            clause=(
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
            lifts=(
                r"\b(?:ya )?(?:puedes|pueden|puede)(?: ahora| ya| de nuevo)? (?P<what>.+)",
                r"(?P<what>.{1,80}?) (?:ya )?(?:está|están) (?:permitid[oa]s?)(?: ahora| de nuevo)?",
                r"\bya no (?:hace falta|tienes que|hay que) (?P<what>.+)",
            ),
        ),
        "Chinese": RulePatterns(
            clause=(
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
                r"(?:你)?只(?:能|准|许|允许|可以)(?:修改|编辑|使用|用|改|动|在|碰)",
                r"\S{1,30}?不(?:能|可以|许|准)(?:改|动|碰|删|提交|推送)(?=[，,。!！]|$)",
                r"\S{0,20}?(?:之前|前|以前)(?:请|必须|都|要|一定要|务必)?(?:先)(?:问|征求|跟|和|经过|给)我",
                r"(?:先|必须先)(?:问|征求|经过)我",
                r"(?:提交信息|注释|回答|回复|commit ?message)\S{0,3}(?:一律|都|统一|要|必须|请|用)",
                r"每次\S{1,20}(?:之前|前|都)(?:要|必须|都|先)",
                r"(?:整个|本次)(?:会话|任务)",
                r"只(?:使用|用)(?![了一两过])",
                r"(?:测试|代码|注释|文档)(?:里|中)?(?:都)?(?:不要|不准|不得|别)",
                r"(?:不确定|拿不准|有疑问)\S{0,6}问我",
                r"(?:无论|不管)你?(?:做|改|写|动)什么",
            ),
            anywhere=(
                r"最多(?:只能)?(?:花|用)\S{0,4}(?:块|元|美元|分钟|小时)",
                r"(?:总)?预算(?:是|为|[:：])? ?\S?\d",
            ),
            end=(r"(?:是|被)?(?:严格)?禁止(?:的)?", r"保持\S{1,20}不变"),
            lifts=(
                r"(?:现在|已经)?(?:你)?(?:又)?可以(?P<what>.{1,80}?)了?",
                r"(?:不用|不必|不需要)再(?P<what>.{1,80}?)了?",
            ),
        ),
        "Japanese": RulePatterns(
            clause=(
                r"(?:今後(?:は|、)?|これからは|以後(?:は|、)|以降は|このセッション(?:では|中))",
                r"(?:コメント|コミット(?:メッセージ)?|回答|返事|返信|説明)は(?:すべて|全て|必ず|常に)?\S{1,8}で(?:統一|書|お願い|返|し)",
                r"\S{1,30}(?:する|の|した|入れる|変える|消す)前に(?:は)?(?:必ず|毎回|一度)",
                r"(?:勝手に|許可なく|私(?:に|の)(?:確認|許可|承認|了承)(?:なし|せず|を得ず|なく))",
            ),
            anywhere=(
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
            lifts=(
                r"(?:もう|今は)?(?P<what>.{1,80}?)(?:し)?て(?:も)?(?:いい|良い|よい|構いません|かまいません|大丈夫)(?:です|よ|ですよ)?",
            ),
        ),
    }
)
"""The forms of rules, and of lifting them, by language. Letters are compared without regard to case."""


LEAD = (
    r"(?:(?:please|pls|plz|also|and|but|so|ok|okay|no|nope|yes|hey|btw|note|important|remember|reminder|attention|warning|rules?|"
    r"oh|well|then|just|whatever you do|in general|generally|careful|wait|stop|first|second|finally|claude|codex|bitte|und|aber|nein|ja|außerdem|wichtig|"
    r"achtung|also|dabei|s'il (?:te|vous) pla[iî]t|merci de|donc|alors|du coup|et|mais|non|oui|attention|aussi|por favor|y|pero|sí|también|"
    r"ojo|importante|porfa|surtout|sobre todo|请|但是?|并且|而且|另外|同时|还有|注意|不|ただし|また|なお|ちなみに|そして|でも|いいえ|注意)"
    r"(?:[,:!，：！、]\s*|\s+|(?<=[\u3000-\u9fff]))){0,4}"
)
"""The words that may come before a rule in a sentence or a clause."""

CLAUSE = r"(?:^|[,:(–—]\s+|\s-\s+|(?<=[，、：,])|\b(?:and|but|so|und|aber|et|mais|y|pero)\s+)"
