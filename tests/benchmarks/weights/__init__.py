"""``make weights``: the weights of ``ujsx.tokens`` fitted anew, from wheels on the package index.

``_texts.py`` makes texts by kind, ``_fit.py`` fits classes and weights to what o200k counts of them, and ``__main__.py`` prints
the tables, and how far they are off on texts that they were not fitted to.
"""
