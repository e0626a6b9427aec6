"""Conversions of sRGB to and from the colour spaces of modifiers (CSS Color 4, sections 10 and 17).

coloraide has all of them, and judges them in tests. But it converts a few thousand colours a second, and a source may
modify each of its colours in each theme.
"""

from __future__ import annotations

from colorsys import hls_to_rgb, rgb_to_hls
from math import atan2, cos, degrees, hypot, radians, sin

Components = tuple[float, float, float]
_Matrix = tuple[Components, Components, Components]

SPACES = frozenset({"srgb", "display-p3", "hsl", "lch"})
"""The colour spaces of CSS that this module converts. Saturation and lightness are from 0 to 1, as in coloraide."""


def of_srgb(space: str, color: Components) -> Components:
    """Return the components of a colour in sRGB in another space."""
    match space:
        case "hsl":
            hue, lightness, saturation = rgb_to_hls(*color)
            return hue * 360, saturation, lightness
        case "lch":
            return _of_lab(_lab(_times(_SRGB_TO_D50, _linear(color))))
        case "display-p3":
            return _encoded(_times(_SRGB_TO_P3, _linear(color)))
    return color


def to_srgb(space: str, components: Components) -> Components:
    """Return the components of a colour in sRGB, which are not from 0 to 1 outside of it."""
    match space:
        case "hsl":
            hue, saturation, lightness = components
            return hls_to_rgb(hue % 360 / 360, lightness, saturation)
        case "lch":
            return _encoded(_times(_D50_TO_SRGB, _xyz(_to_lab(components))))
        case "display-p3":
            return _encoded(_times(_P3_TO_SRGB, _linear(components)))
    return components


def _times(matrix: _Matrix, vector: Components) -> Components:
    first, second, third = vector
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return (
        a * first + b * second + c * third,
        d * first + e * second + f * third,
        g * first + h * second + i * third,
    )


def _product(left: _Matrix, right: _Matrix) -> _Matrix:
    columns = [_times(left, column) for column in zip(*right, strict=True)]
    first, second, third = zip(*columns, strict=True)
    return first, second, third


_SRGB_TO_XYZ: _Matrix = (
    (506752 / 1228815, 87881 / 245763, 12673 / 70218),
    (87098 / 409605, 175762 / 245763, 12673 / 175545),
    (7918 / 409605, 87881 / 737289, 1001167 / 1053270),
)
_XYZ_TO_SRGB: _Matrix = (
    (12831 / 3959, -329 / 214, -1974 / 3959),
    (-851781 / 878810, 1648619 / 878810, 36519 / 878810),
    (705 / 12673, -2585 / 12673, 705 / 667),
)
_P3_TO_XYZ: _Matrix = (
    (608311 / 1250200, 189793 / 714400, 198249 / 1000160),
    (35783 / 156275, 247089 / 357200, 198249 / 2500400),
    (0.0, 32229 / 714400, 5220557 / 5000800),
)
_XYZ_TO_P3: _Matrix = (
    (446124 / 178915, -333277 / 357830, -72051 / 178915),
    (-14852 / 17905, 63121 / 35810, 423 / 17905),
    (11844 / 330415, -50337 / 660830, 316169 / 330415),
)
_D65_TO_D50: _Matrix = (
    (1.0479297925449969, 0.022946870601609652, -0.05019226628920524),
    (0.02962780877005599, 0.9904344267538799, -0.017073799063418826),
    (-0.009243040646204504, 0.015055191490298152, 0.7518742814281371),
)
_D50_TO_D65: _Matrix = (
    (0.955473421488075, -0.02309845494876471, 0.06325924320057072),
    (-0.0283697093338637, 1.0099953980813041, 0.021041441191917323),
    (0.012314014864481998, -0.020507649298898964, 1.330365926242124),
)
_WHITE: Components = (0.3457 / 0.3585, 1.0, (1.0 - 0.3457 - 0.3585) / 0.3585)
"""The reference white D50."""
_SRGB_TO_D50, _D50_TO_SRGB = _product(_D65_TO_D50, _SRGB_TO_XYZ), _product(_XYZ_TO_SRGB, _D50_TO_D65)
_SRGB_TO_P3, _P3_TO_SRGB = _product(_XYZ_TO_P3, _SRGB_TO_XYZ), _product(_XYZ_TO_SRGB, _P3_TO_XYZ)

_EPSILON, _KAPPA = 216 / 24389, 24389 / 27


def _linear(color: Components) -> Components:
    first, second, third = map(_linear_channel, color)
    return first, second, third


def _linear_channel(channel: float) -> float:
    size = abs(channel)
    result = size / 12.92 if size <= 0.04045 else ((size + 0.055) / 1.055) ** 2.4
    return result if channel >= 0 else -result


def _encoded(color: Components) -> Components:
    first, second, third = map(_encoded_channel, color)
    return first, second, third


def _encoded_channel(channel: float) -> float:
    size = abs(channel)
    result = size * 12.92 if size <= 0.0031308 else 1.055 * size ** (1 / 2.4) - 0.055
    return result if channel >= 0 else -result


def _lab(xyz: Components) -> Components:
    first, second, third = (
        value ** (1 / 3) if value > _EPSILON else (_KAPPA * value + 16) / 116
        for value in (each / white for each, white in zip(xyz, _WHITE, strict=True))
    )
    return 116 * second - 16, 500 * (first - second), 200 * (second - third)


def _xyz(lab: Components) -> Components:
    middle = (lab[0] + 16) / 116
    first, second, third = (
        (each**3 if each**3 > _EPSILON else (116 * each - 16) / _KAPPA) * white
        for each, white in zip((middle + lab[1] / 500, middle, middle - lab[2] / 200), _WHITE, strict=True)
    )
    return first, second, third


def _of_lab(lab: Components) -> Components:
    return lab[0], hypot(lab[1], lab[2]), degrees(atan2(lab[2], lab[1])) % 360


def _to_lab(lch: Components) -> Components:
    hue = radians(lch[2])
    return lch[0], lch[1] * cos(hue), lch[1] * sin(hue)
