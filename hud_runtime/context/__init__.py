"""The context of a model: what is sent to it, what is cut from it, and what takes its place when it is full.

In: a session's log, and what a model is going to read. Out: deliveries and what they cost, summaries in place of a
conversation, and outputs that are shortened.
"""
