"""The edits of this example, as somebody would make them in an editor. Run it in this folder: python3 edit.py"""

import json
from pathlib import Path

TOKENS = Path(__file__).parent / "tokens" / "tideline"


def edited(path):
    """The content of a token file, which is written back when the edit is done."""
    return json.loads((TOKENS / path).read_text(encoding="utf-8"))


def keep(path, content):
    """Write a token file; ``tokensync format`` lays it out."""
    (TOKENS / path).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


palette = edited("palette/value.tokens.json")
light, dark = edited("theme/light.tokens.json"), edited("theme/dark.tokens.json")
space = edited("space/value.tokens.json")

# Another value: the red of warnings gets darker.
palette["palette"]["coral"]["500"]["$value"] = {
    "colorSpace": "srgb",
    "components": [0.72, 0.22, 0.16],
    "hex": "#b83829",
}

# Another alias, in one mode: captions are lighter in the dark.
dark["theme"]["text"]["quiet"]["$value"] = "{palette.paper.100}"

# Another name: what stands under the new path carries the id of the old one, so that it stays the same variable.
for mode in (light, dark):
    mode["theme"]["warning"] = mode["theme"].pop("alert")

# A new token, which has no id yet.
light["theme"]["accent"]["strong"] = {
    "$type": "color",
    "$value": "{palette.tide.500}",
    "$description": "Links under the pointer",
}
dark["theme"]["accent"]["strong"] = {"$type": "color", "$value": "{palette.paper.50}"}

# A token goes.
del space["space"]["gap"]["l"]

keep("palette/value.tokens.json", palette)
keep("theme/light.tokens.json", light)
keep("theme/dark.tokens.json", dark)
keep("space/value.tokens.json", space)
