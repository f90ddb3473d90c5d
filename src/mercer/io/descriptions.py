"""What the nodes of a model say, without the classes and arrays that they are about."""

from __future__ import annotations

from typing import Any

__all__ = ["described"]

# Levels of estimators within estimators that are told.
_MOST_DEPTH = 10


def described(node: Any, depth: int = 0) -> dict[str, Any]:
    """An estimator's name, its parameters and the attributes that it has; of a pipeline, its steps."""
    if not isinstance(node, dict) or not isinstance(node.get("estimator"), str) or depth > _MOST_DEPTH:
        return {}
    parameters, fitted = node.get("parameters"), node.get("fitted")
    found: dict[str, Any] = {"estimator": node["estimator"]}
    parameters = parameters if isinstance(parameters, dict) else {}
    found["parameters"] = {name: _plain(value) for name, value in parameters.items() if name != "steps"}
    found["attributes"] = sorted(fitted) if isinstance(fitted, dict) else []
    steps = parameters.get("steps")
    if isinstance(steps, list):
        found["steps"] = [
            {"name": one["tuple"][0], **described(one["tuple"][1], depth + 1)}
            for one in steps
            if isinstance(one, dict) and isinstance(one.get("tuple"), list) and len(one["tuple"]) == 2
        ]
    return found


def _plain(node: Any) -> Any:
    """A value that a person reads: numbers, texts, and names of what else there is."""
    if not isinstance(node, dict):
        return [_plain(one) for one in node] if isinstance(node, list) else node
    tag = next(iter(node), "")
    if tag in ("number", "type", "dtype", "path", "kernel"):
        return node[tag]
    if tag == "scalar":
        return node.get("value")
    if tag == "tuple" and isinstance(node[tag], list):
        return [_plain(one) for one in node[tag]]
    if tag == "dict" and isinstance(node[tag], list):
        pairs = [one for one in node[tag] if isinstance(one, list) and len(one) == 2]
        return {str(_plain(key)): _plain(value) for key, value in pairs}
    return f"<{tag} {node[tag]}>" if isinstance(node.get(tag), str) else f"<{tag}>"
