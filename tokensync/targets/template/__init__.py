"""Whatever a team's own templates render."""

from tokensync.generate.request import Target
from tokensync.targets.template.options import TemplateOptions

TARGET = Target("template", "files of your own templates", TemplateOptions)
