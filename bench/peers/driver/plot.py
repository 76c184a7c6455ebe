"""Plots as SVG: horizontal bars on a logarithmic axis, in panels side by side."""

import math
from xml.sax.saxutils import escape

LABEL = 150     # width of the peers' names
PANEL = 210     # width of a panel, with the figure after the bar
ROW = 20
HEAD = 46
COLOURS = {"floor": "#9aa0a6", "lanyard": "#1a7f5a"}
OTHER = "#5b7db1"


def shown(value):
    """Formats a figure with about three significant digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def axis(values):
    """The powers of ten that the values lie between."""
    low = math.floor(math.log10(min(values)))
    high = math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def text(x, y, words, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>'


def bars(title, peers, panels):
    """An SVG with a row for each (name, title) of peers, and a panel for each (title, {name: value})."""
    width = LABEL + PANEL * len(panels) + 10
    height = HEAD + ROW * len(peers) + 12
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" role="img">',
           f"<title>{escape(title)}</title>",
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
           text(8, 16, title, 'font-weight="bold"')]
    for row, (_, name) in enumerate(peers):
        out.append(text(LABEL - 8, HEAD + ROW * row + 14, name, 'text-anchor="end"'))
    for number, (name, values) in enumerate(panels):
        left = LABEL + PANEL * number
        out.append(text(left, 36, name, 'fill="#444444"'))
        known = [value for value in values.values() if value > 0]
        if not known:
            continue
        low, high = axis(known)
        full = PANEL - 70
        for power in range(low, high + 1):
            x = left + full * (power - low) / (high - low)
            out.append(f'<line x1="{x:.1f}" y1="{HEAD - 4}" x2="{x:.1f}" y2="{height - 10}" stroke="#e3e3e3"/>')
        for row, (peer, _) in enumerate(peers):
            value = values.get(peer)
            y = HEAD + ROW * row
            if not value:
                out.append(text(left + 2, y + 14, "–", 'fill="#999999"'))
                continue
            length = max(1.0, full * (math.log10(value) - low) / (high - low))
            colour = COLOURS.get(peer, OTHER)
            out.append(f'<rect x="{left}" y="{y + 3}" width="{length:.1f}" height="{ROW - 6}" fill="{colour}"/>')
            out.append(text(left + length + 4, y + 14, shown(value)))
    return "\n".join(out + ["</svg>", ""])
