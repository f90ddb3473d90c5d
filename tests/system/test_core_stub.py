"""The stub of the core says what the compiled module has: classes, members of enums, methods and their parameters."""

import ast
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mercer import _core

STUB = Path(__file__).parents[2] / "src" / "mercer" / "_core.pyi"


@dataclass
class Parameters:
    """Names in order, and how many of the last have a default. A parameter that can have no name is "_"."""

    names: tuple[str, ...]
    defaults: int

    @classmethod
    def of(cls, function):
        unnamed = tuple("self" if parameter.arg == "self" else "_" for parameter in function.args.posonlyargs)
        named = tuple(parameter.arg for parameter in function.args.args)
        return cls(unnamed + named, len(function.args.defaults))

    def __eq__(self, other):
        alike = (a == b or "_" in (a, b) for a, b in zip(self.names, other.names, strict=False))
        return len(self.names) == len(other.names) and self.defaults == other.defaults and all(alike)


@dataclass
class Members:
    """What a class or the module has, by name."""

    values: set[str] = field(default_factory=set)
    functions: dict[str, list[Parameters]] = field(default_factory=dict)
    kinds: dict[str, set[str]] = field(default_factory=dict)
    classes: dict[str, "Members"] = field(default_factory=dict)


def members_of(body, known=None):
    """What the statements of a stub define. Overloads count once where only their types differ."""
    found = Members()
    known = {} if known is None else known
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name, decorator_list=decorators):
                parameters = Parameters.of(statement)
                overloads = found.functions.setdefault(name, [])
                if parameters not in overloads:
                    overloads.append(parameters)
                found.kinds[name] = {decorator.id for decorator in decorators} - {"overload"}
            case ast.ClassDef(name=name, bases=bases):
                own = members_of(statement.body, known)
                for base in (known[base.id] for base in bases if isinstance(base, ast.Name) and base.id in known):
                    own.functions = base.functions | own.functions
                    own.kinds = base.kinds | own.kinds
                known[name] = own
                if not name.startswith("_"):
                    found.classes[name] = own
            case ast.Assign(targets=[ast.Name(id=name)]):
                found.values.add(name)
    return found


def members_of_source(source):
    return members_of(ast.parse(source).body)


@pytest.fixture(scope="module")
def generated():
    stubgen = pytest.importorskip("nanobind.stubgen")
    stubs = stubgen.StubGen(_core, include_docstrings=False, quiet=True)
    stubs.put(_core)
    return members_of_source(stubs.get())


@pytest.fixture(scope="module")
def written():
    return members_of_source(STUB.read_text())


def test_the_stub_has_the_classes_and_functions_of_the_core(written, generated):
    assert sorted(written.classes) == sorted(generated.classes)
    assert written.functions == generated.functions


def test_the_classes_of_the_stub_have_the_members_of_those_of_the_core(written, generated):
    for name, expected in generated.classes.items():
        found = written.classes[name]
        assert (name, found.values) == (name, expected.values)
        assert (name, found.functions) == (name, expected.functions)
        assert (name, found.kinds) == (name, expected.kinds)


STATED = "class A:\n    @property\n    def size(self): ...\n    def f(self, x, y=1): ...\ndef g(x): ..."


@pytest.mark.parametrize(
    ("source", "alike"),
    [
        (STATED, True),
        ("class _B:\n    @property\n    def size(self): ...\n" + STATED.replace("A:", "A(_B):"), True),
        (STATED.replace("self, x", "self, arg, /").replace("arg, /, y=1", "arg, y=1, /"), True),
        (STATED.replace("x, y=1", "x, z=1"), False),
        (STATED.replace("x, y=1", "x, y"), False),
        (STATED.replace("x, y=1", "x"), False),
        (STATED.replace("@property", "@staticmethod"), False),
        (STATED.replace("size", "length"), False),
        (STATED.replace("class A:", "class A:\n    RED = 0"), False),
        (STATED.replace("class A", "class B"), False),
    ],
)
def test_what_differs_is_found(source, alike):
    assert (members_of_source(source) == members_of_source(STATED)) is alike


def test_overloads_that_differ_in_types_count_once():
    overloaded = "@overload\ndef f(x: int): ...\n@overload\ndef f(x: float): ..."
    assert members_of_source(overloaded) == members_of_source("def f(x): ...")
    assert members_of_source(overloaded.replace("x: int", "y: int")) != members_of_source("def f(x): ...")
