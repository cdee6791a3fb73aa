"""The engines that hold open models to a schema, as functions that judge texts.

``make engines`` installs them in an environment of their own. xgrammar's compiler needs no torch, only
its masks do, which are not asked for here: where torch is not there, names stand in for it.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

Judge = Callable[[str], bool]
"""Tells whether a text is one that the engine lets a model write."""


class CompileError(Exception):
    """What an engine does not take."""


class _Absent(types.ModuleType):
    """A module of which only names are asked for."""

    __version__ = "2.9.0"
    __path__: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__init__": lambda self, *_args, **_more: None})
        setattr(self, name, made)
        return made


def _xgrammar() -> Any:
    pytest.importorskip("tvm_ffi", reason="xgrammar is not installed")  # it looks for torch too
    for name in ("torch", "transformers", "triton", "triton.language"):
        if name not in sys.modules and importlib.util.find_spec(name.partition(".")[0]) is None:
            module = _Absent(name)
            module.__spec__ = importlib.machinery.ModuleSpec(name, None)
            sys.modules[name] = module
    pytest.importorskip("xgrammar", reason="xgrammar is not installed")
    import xgrammar
    import xgrammar.testing

    return xgrammar


def _of_xgrammar(make: Callable[[Any], Any]) -> Judge:
    module = _xgrammar()
    try:
        grammar = make(module.Grammar)
    except Exception as error:
        raise CompileError(str(error)) from error
    return lambda text: module.testing._is_grammar_accept_string(grammar, text)


def xgrammar_schema(schema: dict[str, Any]) -> Judge:
    """Compile a schema with xgrammar, as vLLM and SGLang do by default."""
    return _of_xgrammar(lambda each: each.from_json_schema(json.dumps(schema), strict_mode=True))


def _of_llguidance(grammar: str) -> Judge:
    module = pytest.importorskip("llguidance", reason="llguidance is not installed")
    tokens = module.LLTokenizer("byte")
    made = module.LLMatcher(tokens, grammar, log_level=0)
    if made.is_error():
        raise CompileError(made.get_error())

    def judge(text: str) -> bool:
        matcher = module.LLMatcher(tokens, grammar, log_level=0)
        ids = tokens.tokenize_str(text)
        if matcher.validate_tokens(ids) < len(ids):
            return False
        return bool(matcher.consume_tokens(ids) and matcher.is_accepting())

    return judge


def llguidance_schema(schema: dict[str, Any]) -> Judge:
    """Compile a schema with llguidance, which vLLM, SGLang and llama.cpp can use."""
    module = pytest.importorskip("llguidance", reason="llguidance is not installed")
    return _of_llguidance(module.LLMatcher.grammar_from_json_schema(json.dumps(schema)))


def outlines_schema(schema: dict[str, Any]) -> Judge:
    """Compile a schema with outlines-core: to a regular expression, which unrolls recursion a few times."""
    module = pytest.importorskip("outlines_core", reason="outlines-core is not installed")
    try:
        pattern = re.compile(module.json_schema.build_regex_from_schema(json.dumps(schema)))
    except (ValueError, TypeError, RuntimeError) as error:
        raise CompileError(str(error)) from error
    return lambda text: pattern.fullmatch(text) is not None
