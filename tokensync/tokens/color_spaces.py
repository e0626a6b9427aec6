"""The colour spaces that are sRGB in other coordinates (dtcg.md section 4)."""

from __future__ import annotations

from colorsys import hls_to_rgb

POLAR = ("hsl", "hwb")
SPACES = ("srgb", "srgb-linear", *POLAR)


def in_srgb(space: str, first: float, second: float, third: float) -> tuple[float, float, float]:
    """The components of a colour of one of these spaces as red, green and blue from 0 to 1."""
    match space:
        case "srgb-linear":
            return _encoded(first), _encoded(second), _encoded(third)
        case "hsl":
            return hls_to_rgb(first / 360, third / 100, second / 100)
        case "hwb":
            white, black = second / 100, third / 100
            if white + black >= 1:
                gray = white / (white + black)
                return gray, gray, gray
            red, green, blue = (each * (1 - white - black) + white for each in hls_to_rgb(first / 360, 0.5, 1.0))
            return red, green, blue
        case _:
            return first, second, third


def _encoded(linear: float) -> float:
    """The sRGB transfer function (IEC 61966-2-1)."""
    return linear * 12.92 if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
