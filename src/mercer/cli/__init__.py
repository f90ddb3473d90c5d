"""Commands. A leaf: it may import everything, and nothing imports it."""

__all__: list[str] = []
