"""``make weights``: the weights of ``ujsx.tokens`` fitted anew, from wheels on the package index.

``_texts.py`` makes texts by kind, ``_fit.py`` fits a weight for each byte to what o200k counts of them, and
``__main__.py`` prints the table, and how far it is off on texts that it was not fitted to.
"""
