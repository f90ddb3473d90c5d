"""Registries are data: entries with names of their own, and nothing that pytest would run."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

PATHS = sorted(Path(__file__).parent.glob("*_registry.py"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_registry_is_data_only(path):
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    assert not [node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    imported = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    imported += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    assert "pytest" not in imported
    assert not [module for module in imported if module.startswith("tests.contracts.test_")]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_entries_of_a_registry_have_names_of_their_own(path):
    registry = import_module(f"tests.contracts.{path.stem}")
    names = [registry.named(entry) for entry in registry.ENTRIES]
    assert len(set(names)) == len(names) > 0


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_registry_has_tests_over_all_its_entries(path):
    tests = sorted(path.parent.glob(f"test_all_{path.stem.removesuffix('_registry')}s*.py"))
    assert any(path.stem in test.read_text(encoding="utf-8") for test in tests)
