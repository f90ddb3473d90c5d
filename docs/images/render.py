"""Draws the pictures of the lectures' pages: runs their examples, and packs each picture into few colours.

python docs/images/render.py
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

IMAGES = Path(__file__).parent / "lectures"
EXAMPLES = Path(__file__).parents[2] / "examples"
TOPICS = (
    *("smo", "soft_margin", "gamma", "losses", "kkt"),
    *("neighbours", "windows", "local_regression", "gaussian_process", "relevance"),
)
# Enough for the shades of these pictures; a page of them stays light.
COLOURS = 256

IMAGES.mkdir(exist_ok=True)
with tempfile.TemporaryDirectory() as drawn:
    for topic in TOPICS:
        subprocess.run([sys.executable, str(EXAMPLES / f"plot_{topic}.py"), drawn], check=True)
    for picture in sorted(Path(drawn).iterdir()):
        if picture.suffix == ".png":
            with Image.open(picture) as image:
                # Means, so that the colours of small markers are kept beside those of wide areas.
                few = image.convert("RGB").quantize(COLOURS, kmeans=3)
                few.save(IMAGES / picture.name, optimize=True)
        else:
            shutil.copy(picture, IMAGES)
