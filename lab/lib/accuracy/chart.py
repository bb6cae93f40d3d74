"""The chart: two panels, a row for each tool, a dot for each class and a line at the mean. It has its own colours for light and dark pages."""
from accuracy.report import mean, share
from comparison.chart import STYLE, WIDTH, label

COLUMN, GAP, LABEL, FIGURE = (WIDTH - 132 - 24) // 2, 24, 132, 44
ROW, HEAD = 26, 44
MORE = """
circle.own { fill: #1a7f37; opacity: 0.35; }
circle.other { fill: #8c959f; opacity: 0.35; }
.scale { stroke: #8c959f; stroke-width: 0.5; opacity: 0.5; }
.mean { stroke: #24292f; stroke-width: 2; }
@media (prefers-color-scheme: dark) { .mean { stroke: #e6edf3; } }
"""


def draw(results):
    """-> the chart as SVG"""
    height = HEAD + ROW * len(results) + 8
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">'
    lines = [head, "<title>Recall and precision of each tool: a dot for each class of texts, a line at the mean</title>", f"<style>{STYLE}{MORE}</style>"]
    for number, tool in enumerate(results):
        lines.append(label("name", LABEL - 8, HEAD + number * ROW + ROW // 2 + 4, tool, ' text-anchor="end"'))
    for column, figure in enumerate(("recall", "precision")):
        lines += panel(results, figure, LABEL + column * (COLUMN + GAP), height)
    return "\n".join([*lines, "</svg>", ""])


def panel(results, figure, left, height):
    width = COLUMN - FIGURE
    yield label("title", left, 14, figure.capitalize())
    for part in range(5):
        x = left + width * part / 4
        yield label("figure", round(x, 1), 34, f"{part / 4:g}", ' text-anchor="middle"')
        yield f'<line class="scale" x1="{x:.1f}" y1="{HEAD - 4}" x2="{x:.1f}" y2="{height - 8}"/>'
    for number, (tool, result) in enumerate(results.items()):
        middle, kind = HEAD + number * ROW + ROW // 2, "own" if tool == "doisift" else "other"
        scores = [score for score in result["classes"].values() if score.wanted]
        for score in scores:
            if (value := getattr(score, figure)) is not None:
                yield f'<circle class="{kind}" cx="{left + width * value:.1f}" cy="{middle}" r="4"/>'
        if (whole := mean(scores, figure)) is not None:
            x = left + width * whole
            yield f'<line class="mean" x1="{x:.1f}" y1="{middle - 9}" x2="{x:.1f}" y2="{middle + 9}"/>'
            yield label("figure", left + width + 10, middle + 4, share(whole))
