"""Made below."""

__all__: list[str] = []
