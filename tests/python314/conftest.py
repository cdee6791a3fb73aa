"""Files that only Python 3.14 can parse."""

collect_ignore = ["t_strings.py"]
