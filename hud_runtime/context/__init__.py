"""The context of a model: what is sent to it, what is omitted, and what replaces it when it is full.

In: a session's log, and a model's next request. Out: deliveries and their costs, summaries in place of a
conversation, and shortened outputs.
"""
