"""``make foresight``: how much of what comes next a HUD names, and what else would have named it.

At each turn of a recorded session: of the files edited, commands run and errors met in the next ten turns, how
many does the text name that an agent would have had instead of its history? ``_story.py`` reads a session turn by
turn, ``_tellers.py`` says what is told within so many tokens, ``_names.py`` what it is to be named, ``_score.py``
counts, and ``_orders.py`` tries another order of worth.
"""
