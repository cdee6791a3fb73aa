"""All that ujsx stores, renders, sends and exports, compared with hashes: ``make golden``."""
