"""Words with which a user only lets the agent go on, in many languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

IN_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "English": (
            "yes yep yeah yup y ok okay k sure fine good great perfect nice cool right correct exactly "
            "thanks thank you thx ty lgtm looks sounds to me go on ahead continue proceed carry keep going "
            "resume please do it that so next try again retry approve approved agreed accept now then and "
            "awesome excellent done hi hello hey got i see works work alright all no problem of course "
            "absolutely definitely this both a b c d e let lets us"
        ),
        "Interjections": "lol haha hehe hmm hm wow ooh oh ah aha ugh oops whoa huh yay nope no wait sorry",
        "German": "ja bitte danke weiter mach machen mal gut super genau gerne einfach passt klar",
        "French": "oui merci vas y allez continuez poursuis parfait d accord bien s il te plaît vous",
        "Spanish": "si sí gracias sigue continúa continua adelante vale perfecto dale por favor bien",
        "Portuguese": "sim obrigado obrigada segue prossiga beleza pode continuar",
        "Italian": "sì grazie avanti procedi continuate vai bene",
        "Dutch, Polish, Turkish": "ga verder graag dank je prima tak dalej kontynuuj dziękuję proszę evet devam et",
        "Russian, Ukrainian": "да давай продолжай продолжайте дальше хорошо спасибо пожалуйста ок так продовжуй дякую",
        "Chinese": "继续 繼續 好 好的 是 是的 可以 行 对 對 请 請 谢谢 謝謝 请继续 請繼續 继续吧 没问题",
        "Japanese": "はい 続けて 続けてください お願いします ありがとう ありがとうございます オッケー",
        "Korean": "네 예 계속 계속해 계속해줘 계속하세요 좋아요 감사합니다 진행해줘",
    }
)  # fmt: skip
"""By language, divided by spaces."""

CHOICES: Mapping[str, str] = MappingProxyType(
    {
        "English": "option options number choice variant all none neither either one two three four five the ones first second third last",
        "German": "beide alle keine keins erste zweite dritte letzte eins zwei drei die der das und",
        "French": "tous toutes les deux aucun première deuxième troisième dernière la le et choix",
        "Spanish, Portuguese": "ambos ambas todos todas ninguna primera segunda tercera última la el las los y opción opção",
        "Italian, Dutch": "entrambi tutti tutte nessuno prima seconda terza opzione beide allemaal geen eerste tweede optie",
        "Russian, Chinese, Japanese": "оба все первый второй вариант 第一个 第二个 都要 全部 两个都 両方 全部で 選択肢",
    }
)  # fmt: skip
"""Words that pick from what the agent offered, by language, divided by spaces."""

GOES_ON = frozenset(word for words in IN_LANGUAGES.values() for word in words.split())
"""Words that, alone or together, only say that the agent is to go on."""

ANSWERS = GOES_ON | {word for words in CHOICES.values() for word in words.split()}
"""The same, with those that pick from what the agent offered: "option 2", "all four"."""

AGREEMENT = frozenset([
    "yes", "yep", "yeah", "yup", "y", "ok", "okay", "k", "sure", "no", "nope", "nah", "right", "correct", "exactly",
    "both", "only", "just", "ja", "nein", "jein", "oui", "non", "si", "sí", "sim", "não", "sì", "nee", "tak", "nie",
    "evet", "hayır", "да", "нет", "так", "ні", "好", "好的", "是", "是的", "不", "对", "對", "はい", "いいえ", "네", "예", "아니요",
])  # fmt: skip
"""Words that an answer begins with: "yes, but only the first"."""
