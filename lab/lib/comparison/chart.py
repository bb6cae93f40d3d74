"""The chart: a panel for each text, a bar for each tool's wall time. It has its own colours for light and dark pages."""
import statistics
from xml.sax.saxutils import escape

from comparison.report import seconds

WIDTH, GAP = 920, 24
FIGURE = 112
#: A bar of more than so many medians is broken, so that the others are not too short to see.
LONGEST = 6
ROW, BAR, HEAD = 19, 13, 34
STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 13px; }
.figure { font-size: 11px; fill: #57606a; }
.own { fill: #1a7f37; }
.other { fill: #8c959f; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .figure { fill: #9da7b3; }
  .own { fill: #3fb950; }
  .other { fill: #6e7681; }
}
"""


def draw(results, about="Seconds that each tool takes for the names of a text; shorter is better", columns=2, label_width=132):
    """-> the chart as SVG: a panel for each title and its rows"""
    lines, top, width = [], 0, (WIDTH - GAP * (columns - 1)) // columns
    for start in range(0, len(results), columns):
        panels = results[start : start + columns]
        for column, (text, rows) in enumerate(panels):
            lines += panel(text, rows, column * (width + GAP), top, width, label_width)
        top += HEAD + GAP + ROW * max(len(rows) for _, rows in panels)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" viewBox="0 0 {WIDTH} {top}" role="img">'
    return "\n".join([head, f"<title>{about}</title>", f"<style>{STYLE}</style>", *lines, "</svg>", ""])


def panel(text, rows, left, top, width, label_width):
    times = [row.wall for row in rows if row.runs] or [1]
    longest = min(max(times), LONGEST * statistics.median(times))
    scale = (width - label_width - FIGURE) / longest
    yield label("title", left, top + 18, text.title.replace("`", ""))
    for number, row in enumerate(rows):
        middle = top + HEAD + number * ROW + ROW // 2
        yield label("name", left + label_width - 8, middle + 4, row.tool, ' text-anchor="end"')
        length = max(min(row.wall, longest) * scale, 1) if row.runs else 0
        yield from bar("own" if row.is_own else "other", left + label_width, middle - BAR // 2, length, row.runs and row.wall > longest)
        yield label("figure", round(left + label_width + length + 5, 1), middle + 4, figure(row))


def bar(kind, x, y, length, is_broken):
    if is_broken:
        yield from bar(kind, x + length - 8, y, 8, False)
        length -= 12
    yield f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>'


def figure(row):
    if not row.runs:
        return row.failed.partition(":")[0][:24]
    share = f", recall {row.recall:.2f}" if row.recall is not None else ""
    return f"{seconds(row.wall)} {row.unit}{share}"


def label(kind, x, y, words, more=""):
    return f'<text class="{kind}" x="{x}" y="{y}"{more}>{escape(words)}</text>'
