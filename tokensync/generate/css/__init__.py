"""CSS custom properties: ``:root`` with the defaults, then what themes and the system's appearances show otherwise.

``blocks_of`` gives the blocks to any target that writes CSS; see ``cascade`` for what they declare and why.
"""

from tokensync.generate.css.blocks import Block, blocks_of
from tokensync.generate.css.files import generate
from tokensync.generate.css.spelling import Spelling, sheet_of

__all__ = ["Block", "Spelling", "blocks_of", "generate", "sheet_of"]
