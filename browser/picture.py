"""Pictures of a page without what must not be seen. Knows neither browsers, models nor benchmarks."""

from collections.abc import Iterable
from io import BytesIO

from PIL import Image, ImageDraw

from browser.observation import Box

MASK = (128, 128, 128)
# A border or a shadow drawn outside the box shows nothing, but text can lie over an edge.
MARGIN = 1


def mask(png: bytes, boxes: Iterable[Box]) -> bytes:
    """Return the picture with these rectangles, in its pixels, painted over."""
    with Image.open(BytesIO(png)) as image:
        canvas = image.convert("RGB")
    draw = ImageDraw.Draw(canvas)
    for box in boxes:
        right, bottom = box.x + box.width + MARGIN, box.y + box.height + MARGIN
        draw.rectangle((box.x - MARGIN, box.y - MARGIN, right, bottom), fill=MASK)
    out = BytesIO()
    canvas.save(out, "PNG")
    return out.getvalue()
