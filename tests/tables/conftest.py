"""What the tests of tables ask for: a file with some content."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Writes text or bytes to a file and gives its path."""

    def written(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written
