"""CSS colours as people name them."""

import colorsys
import re
from functools import cache

Rgb = tuple[int, int, int]

# The names a goal uses; several may mean one colour.
NAMED: dict[str, Rgb] = {
    "black": (0, 0, 0), "white": (255, 255, 255), "gray": (128, 128, 128), "grey": (128, 128, 128),
    "silver": (192, 192, 192), "red": (255, 0, 0), "maroon": (128, 0, 0), "yellow": (255, 255, 0),
    "olive": (128, 128, 0), "lime": (0, 255, 0), "green": (0, 128, 0), "aqua": (0, 255, 255), "cyan": (0, 255, 255),
    "teal": (0, 128, 128), "blue": (0, 0, 255), "navy": (0, 0, 128), "fuchsia": (255, 0, 255),
    "magenta": (255, 0, 255), "purple": (128, 0, 128), "orange": (255, 165, 0), "pink": (255, 192, 203),
    "brown": (165, 42, 42), "gold": (255, 215, 0), "violet": (238, 130, 238), "indigo": (75, 0, 130),
    "beige": (245, 245, 220), "turquoise": (64, 224, 208), "coral": (255, 127, 80), "salmon": (250, 128, 114),
    "khaki": (240, 230, 140), "crimson": (220, 20, 60), "tan": (210, 180, 140), "lavender": (230, 230, 250),
}  # fmt: skip
# Where each family of hues begins, in degrees.
_HUES = ((15, "red"), (45, "orange"), (70, "yellow"), (165, "green"), (200, "cyan"), (260, "blue"), (330, "purple"))
# Below this saturation an eye sees gray.
_GRAY_SATURATION = 0.12


@cache
def rgb(css: str) -> Rgb | None:
    """Return the channels of "#rgb", "#rrggbb", "rgb(...)" or a known name; None for others and for transparent."""
    text = css.strip().lower()
    if text in NAMED:
        return NAMED[text]
    if re.fullmatch(r"#[0-9a-f]{3}", text):
        text = "#" + "".join(c * 2 for c in text[1:])
    if re.fullmatch(r"#[0-9a-f]{6}", text):
        return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
    parts = re.findall(r"[\d.]+", text) if text.startswith("rgb") else []
    if len(parts) < 3 or (len(parts) > 3 and float(parts[3]) == 0):
        return None
    return int(float(parts[0])), int(float(parts[1])), int(float(parts[2]))


@cache
def names(css: str) -> frozenset[str]:
    """Return the names of the nearest named colour: {"aqua", "cyan"}; empty where the text is no colour."""
    channels = rgb(css)
    if channels is None:
        return frozenset()
    nearest = min(NAMED.values(), key=lambda other: _distance(channels, other))
    return frozenset(name for name, value in NAMED.items() if value == nearest)


@cache
def family(css: str) -> str | None:
    """Return the family of a colour's hue (red, orange, yellow, green, cyan, blue, purple), or "gray"; else None."""
    channels = rgb(css)
    if channels is None:
        return None
    hue, _, saturation = colorsys.rgb_to_hls(*(c / 255 for c in channels))
    if saturation < _GRAY_SATURATION:
        return "gray"
    return next((name for limit, name in _HUES if hue * 360 < limit), "red")


def distance(css: str, wanted: frozenset[str]) -> float:
    """Return how far a colour is from the nearest of these named ones; 0 where there is nothing to compare."""
    channels = rgb(css)
    return min((_distance(channels, NAMED[name]) for name in wanted), default=0.0) if channels else 0.0


def _distance(a: Rgb, b: Rgb) -> float:
    return float(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))
