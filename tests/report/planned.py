"""A handmade plan with every operation, and plans of one operation."""

from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateStyle,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteStyle,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateStyle,
    UpdateVariable,
)
from tokensync.plan.plan import Counts, Finding, Plan, PlannedBatch
from tokensync.plan.state import ModeState, ObjectValue, StyleState, VariableState

THEME, BRAND = "VariableCollectionId:1:1", "VariableCollectionId:2:1"
LIGHT, DARK = "1:0", "1:1"
BASE, MUTED, GAP, OLD = (f"VariableID:1:{number}" for number in range(2, 6))
SOFT = "variable:theme/accent/soft"

LABELS = {
    THEME: "theme",
    BRAND: "theme-brand",
    f"theme/{LIGHT}": "light",
    f"theme/{DARK}": "dark",
    "mode:theme/dim": "dim",
    f"{BRAND}/{LIGHT}": "theme-brand.light",
    BASE: "theme / accent/base",
    MUTED: "theme / text/muted",
    GAP: "theme / gap",
    OLD: "theme / accent/old",
    SOFT: "theme / accent/soft",
    "style:low": "effect-styles / low",
    "S:old": "text-styles / old",
    "collection:size": "size",
    "mode:size/value": "value",
    "S:body": "text-styles / body",
}


def color(text: str, alpha: float = 1) -> ObjectValue:
    """A colour from ``#rrggbb``."""
    return ObjectValue(*(round(int(text[at : at + 2], 16) / 255, 6) for at in (1, 3, 5)), alpha)


def alias(ref: str) -> ObjectValue:
    """A reference."""
    return ObjectValue(alias=ref)


SOFT_VARIABLE = VariableState(
    ref=SOFT,
    collection=THEME,
    name="accent/soft",
    type="COLOR",
    values={LIGHT: ObjectValue(color=alias(BASE), opacity=40), DARK: color("#0b6e7a")},
    description="Behind quiet buttons",
    scopes=("ALL_FILLS", "STROKE_COLOR"),
    code_syntax=(("WEB", "var(--accent-soft)"),),
)

BOUND = {"type": "VARIABLE_ALIAS", "id": GAP}
SHADOW = {"type": "DROP_SHADOW", "visible": True, "color": {"r": 0, "g": 0, "b": 0, "a": 0.5}, "radius": 4}

OPERATIONS = (
    CreateStyle(style=StyleState(ref="style:low", type="EFFECT", name="low", members={"effects": [SHADOW]})),
    UpdateStyle(
        ref="S:body",
        kind="TEXT",
        description=("", "Running text"),
        members={"fontSize": (16, BOUND), "lineHeight": ({"unit": "AUTO"}, {"unit": "PIXELS", "value": 24})},
    ),
    DeleteStyle(ref="S:old", kind="TEXT", name="old", digest="0" * 16),
    CreateCollection(ref="collection:size", name="Size", modes=(ModeState("mode:size/value", "Value"),)),
    CreateExtension(
        ref="collection:theme-b",
        name="B",
        parent=THEME,
        modes=(ModeState("mode:b/light", "Light", LIGHT),),
        hidden=True,
    ),
    UpdateCollection(ref=BRAND, name=("Brand", "Islander"), hidden=(False, True)),
    DeleteCollection(ref="VariableCollectionId:9:1", name="Old", digest="0" * 16),
    CreateMode(ref="mode:theme/dim", collection=THEME, name="Dim"),
    RenameMode(ref=DARK, collection=THEME, name=("Dark", "Night")),
    DeleteMode(ref="1:9", collection=THEME, name="Sepia", digest="0" * 16),
    CreateVariable(variable=SOFT_VARIABLE),
    UpdateVariable(
        ref=MUTED,
        name=("text/quiet", "text/muted"),
        description=("", "Quiet words"),
        scopes=(("ALL_SCOPES",), ("TEXT_FILL",)),
        hidden=(True, False),
        code_syntax=((("WEB", "var(--old)"),), (("WEB", "var(--text-muted)"), ("iOS", "textMuted"))),
    ),
    DeleteVariable(ref=OLD, name="accent/old", collection=THEME, digest="0" * 16),
    SetValue(variable=BASE, mode=LIGHT, before=color("#0b6e7a"), after=alias(MUTED)),
    SetValue(variable=BASE, mode="mode:theme/dim", after=color("#000000", 0.5)),
    SetValue(variable=GAP, mode=LIGHT, before=16, after=16.5),
    SetValue(variable=BASE, mode=f"{BRAND}/{LIGHT}", before=color("#ffffff")),
)

FINDINGS = (
    Finding("delete collection", "old", "the collection goes, with 3 variables"),
    Finding("delete mode", "theme/Sepia", "the mode goes, with its values", allowed=True),
    Finding("delete referred", "theme/accent/old", "2 variables refer to it"),
)

EVERYTHING = Plan(
    file="harbor",
    key="HarborDesignFile",
    fingerprint="f" * 64,
    operations=OPERATIONS,
    counts=Counts(2, 1, 1, 1, 1, 1, 1, 3, 1, 4, 1, 1, 1),
    findings=FINDINGS,
    batches=(PlannedBatch(1_234_567, 9), PlannedBatch(820, 1, "an extension follows the modes of its parent")),
    labels=LABELS,
    held_back=("theme / accent/unused",),
    notes=("theme / shadow: a shadow has no variable form; files keep it",),
)


def of(*operations: object, **labels: str) -> Plan:
    """Return a plan of these operations."""
    return Plan(file="harbor", key="k", fingerprint="f" * 64, operations=operations, labels={**LABELS, **labels})
