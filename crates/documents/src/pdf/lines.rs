//! Makes lines of text of the strings of a page, in the order in which it shows them.

use super::geometry::Point;

/// The minimum gap that is a blank, in sizes of the font. Blanks of justified text shrink to about 0.2. Kerning has up to
/// a tenth.
const MIN_BLANK_WIDTH: f64 = 0.15;
/// The maximum width of an invisible blank, in sizes of the font. Some publishers put one at each place where a URL may
/// break.
pub(super) const MAX_INVISIBLE_WIDTH: f64 = 0.05;
/// The maximum gap in a line. Columns are farther apart.
const MAX_LINE_GAP: f64 = 2.5;
/// The maximum distance of a note mark or index from its line.
const MAX_RAISED_DISTANCE: f64 = 0.6;
/// The minimum distance of a note mark or index from its line.
const MIN_RAISED_DISTANCE: f64 = 0.12;

/// A string that a page shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextSpan<'t> {
    pub(super) text: &'t str,
    pub(super) start: Point,
    pub(super) end: Point,
    /// Start and end of its visible part; `None` if it is blank.
    pub(super) seen: Option<(Point, Point)>,
    /// The direction of writing, of length 1.
    pub(super) along: Point,
    /// The size of the font on the page.
    pub(super) size: f64,
}

/// A line of text.
#[derive(Clone, Debug)]
pub(super) struct TextLine {
    pub(super) text: String,
    pub(super) start: Point,
    pub(super) end: Point,
    pub(super) along: Point,
    pub(super) size: f64,
    /// The end of its visible part.
    seen_end: Option<Point>,
    /// The last string, and its start. Some writers show a string twice to make it bold.
    last: (usize, Point),
}

/// The lines of a page so far.
#[derive(Debug, Default)]
pub(super) struct PageLines {
    pub(super) lines: Vec<TextLine>,
}

impl PageLines {
    /// Adds a string.
    pub(super) fn add(&mut self, span: &TextSpan<'_>) {
        let joined = self
            .lines
            .last_mut()
            .is_some_and(|line| line.add_span(span));
        if !joined && !span.text.trim().is_empty() {
            self.lines.push(TextLine::new(span));
        }
    }
}

impl TextLine {
    fn new(span: &TextSpan<'_>) -> TextLine {
        TextLine {
            text: span.text.to_owned(),
            start: span.start,
            end: span.end,
            along: span.along,
            size: span.size,
            seen_end: span.seen.map(|(_, end)| end),
            last: (0, span.start),
        }
    }

    /// Whether the visible part of `span` starts where the visible part of the line ends.
    fn touches(&self, span: &TextSpan<'_>, size: f64) -> bool {
        let ends = self.seen_end.zip(span.seen);
        ends.is_some_and(|(end, (start, _))| start.minus(end).length() < MAX_INVISIBLE_WIDTH * size)
    }

    /// Adds `span` if it continues the line.
    fn add_span(&mut self, span: &TextSpan<'_>) -> bool {
        let size = self.size.max(span.size);
        let step = span.start.minus(self.end);
        let (gap, rise) = (
            step.dot(self.along),
            step.dot(self.along.rotated_left()).abs(),
        );
        let is_same_line = self.along.dot(span.along) > 0.99
            && rise < MAX_RAISED_DISTANCE * size
            && (gap < MAX_LINE_GAP * size && gap > -size || self.text.is_empty());
        if !is_same_line {
            return self.repeats(span);
        }
        if self.repeats(span) {
            return true;
        }
        let is_raised = rise > MIN_RAISED_DISTANCE * size;
        let has_blank = self.text.ends_with(' ') || span.text.starts_with(' ');
        let mut text = span.text;
        if has_blank && self.touches(span, size) {
            self.text.truncate(self.text.trim_end_matches(' ').len());
            text = text.trim_start_matches(' ');
        } else if (gap > MIN_BLANK_WIDTH * size || is_raised) && !has_blank {
            self.text.push(' ');
        }
        self.last = (self.text.len(), span.start);
        self.text.push_str(text);
        self.seen_end = span.seen.map(|(_, end)| end).or(self.seen_end);
        self.move_end(span, is_raised);
        self.size = size;
        true
    }

    /// Moves the end of the line to the end of a span. A small raised span does not raise the line.
    fn move_end(&mut self, span: &TextSpan<'_>, is_raised: bool) {
        if is_raised && span.size < self.size {
            let forward = span.end.minus(self.end).dot(self.along);
            self.end = Point {
                x: self.end.x + forward * self.along.x,
                y: self.end.y + forward * self.along.y,
            };
        } else {
            self.end = span.end;
        }
    }

    /// Whether `span` repeats the last string.
    fn repeats(&self, span: &TextSpan<'_>) -> bool {
        let (at, start) = self.last;
        let text = span.text.trim();
        !text.is_empty()
            && self.text[at..].trim() == text
            && span.start.minus(start).length() < 0.12 * self.size
    }

    /// Returns the position of its start in the direction of writing.
    pub(super) fn starts_at(&self) -> f64 {
        self.start.dot(self.along)
    }

    pub(super) fn ends_at(&self) -> f64 {
        self.end.dot(self.along)
    }

    /// Returns its height on the page, seen in the direction of reading.
    pub(super) fn height(&self) -> f64 {
        self.start.dot(self.along.rotated_left())
    }

    /// Returns the mean width of its characters.
    pub(super) fn character(&self) -> f64 {
        (self.ends_at() - self.starts_at()) / self.text.chars().count().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns start and end of the visible part of `text` at `(x, y)`.
    fn seen(x: f64, y: f64, text: &str) -> Option<(Point, Point)> {
        let width = |text: &str| 5.0 * text.chars().count() as f64;
        let (front, end) = (
            width(text) - width(text.trim_start()),
            width(text.trim_end()),
        );
        let point = |x| Point { x, y };
        (!text.trim().is_empty()).then(|| (point(x + front), point(x + end)))
    }

    #[test]
    fn blanks_without_width_are_dropped() {
        assert_eq!(
            lines(&[(0.0, 0.0, "doi."), (20.0, 0.0, " "), (20.0, 0.0, "org/")]),
            ["doi.org/"]
        );
        assert_eq!(
            lines(&[
                (0.0, 0.0, "doi. "),
                (20.1, 0.0, "org/"),
                (35.0, 0.0, " 10.")
            ]),
            ["doi.org/10."]
        );
        assert_eq!(
            lines(&[(0.0, 0.0, "doi."), (20.0, 0.0, " "), (22.0, 0.0, "org/")]),
            ["doi. org/"]
        );
    }

    /// Makes lines of strings at `(x, y)`, of size 10 with characters of width 5.
    fn lines(spans: &[(f64, f64, &str)]) -> Vec<String> {
        let mut lines = PageLines::default();
        for (x, y, text) in spans {
            let width = 5.0 * text.chars().count() as f64;
            lines.add(&TextSpan {
                text,
                start: Point { x: *x, y: *y },
                end: Point {
                    x: x + width,
                    y: *y,
                },
                seen: seen(*x, *y, text),
                along: Point { x: 1.0, y: 0.0 },
                size: 10.0,
            });
        }
        lines.lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn strings_side_by_side_are_a_line() {
        assert_eq!(
            lines(&[(0.0, 0.0, "10.5555/"), (40.5, 0.0, "a")]),
            ["10.5555/a"]
        );
        assert_eq!(
            lines(&[(0.0, 0.0, "see"), (18.0, 0.0, "10.5555/a")]),
            ["see 10.5555/a"]
        );
        assert_eq!(
            lines(&[(0.0, 0.0, "10.5555/a"), (45.0, 4.0, "12")]),
            ["10.5555/a 12"]
        );
    }

    #[test]
    fn columns_and_lines_are_apart() {
        assert_eq!(
            lines(&[(0.0, 0.0, "left"), (50.0, 0.0, "right")]),
            ["left", "right"]
        );
        assert_eq!(
            lines(&[(0.0, 0.0, "one"), (0.0, -12.0, "two")]),
            ["one", "two"]
        );
        assert_eq!(
            lines(&[(0.0, 0.0, "one"), (14.0, -12.0, "two")]),
            ["one", "two"]
        );
    }

    #[test]
    fn a_string_that_is_shown_twice_is_one() {
        assert_eq!(
            lines(&[(0.0, 0.0, "10.5555/a"), (0.3, 0.0, "10.5555/a")]),
            ["10.5555/a"]
        );
    }
}
