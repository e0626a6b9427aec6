"""The command ``tokensync contrast``: the contrast of two colours in every theme."""

import click

import tokensync


@click.command("contrast")
@click.argument("foreground")
@click.argument("background")
@click.option("-c", "--config", help="The configuration file (default: the nearest).")
def contrast(foreground, background, config):
    """Print the contrast of two tokens in each theme, for example of theme/text theme/surface."""
    project = tokensync.load_project(config)
    graph = tokensync.load_graph(project)
    by_name = {"/".join((key.collection, *key.names)): key for key in graph.tokens}
    for name in (foreground, background):
        if name not in by_name:
            raise click.UsageError(f"{name}: no such token; see tokensync tokens list")
    for theme in tokensync.themes_of(project, graph):
        values = tokensync.resolve(graph, theme)
        pair = [luminance(values[by_name[name]]) for name in (foreground, background)]
        click.echo(f"{theme.name:12} {(max(pair) + 0.05) / (min(pair) + 0.05):5.2f}")


def luminance(color):
    """Return the relative luminance of a colour (WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance)."""
    if not isinstance(color, tokensync.Color):
        raise click.UsageError(f"{color}: not a colour; choose another token")
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (color.red, color.green, color.blue)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
