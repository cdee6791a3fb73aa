"""Conformance with the specifications, beside remark, and with law 1 on many generated trees.

``make conformance`` prints the table, ``make fuzz N=60000`` looks for a tree that is not read back.
The ordinary tests run none of this: it takes minutes, Node.js, and the npm registry.
"""
