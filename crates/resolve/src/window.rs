//! The rows of a task from the first that is not delivered to the last that was read. Answers come in any order and leave in
//! the order of names.

use std::collections::{HashMap, VecDeque};

use doisift_core::Doi;

/// Maximum number of rows. Further rows wait until the first one is delivered.
const MAX_ROWS: usize = 4096;

struct WaitingName<A> {
    doi: Doi,
    answer: Option<A>,
}

pub(crate) struct AnswerQueue<A> {
    rows: VecDeque<WaitingName<A>>,
    /// Number of rows that have left.
    gone: usize,
    /// The rows that wait for the answer of a key, by their number from the start of the task.
    open: HashMap<String, Vec<usize>>,
}

impl<A: Clone> AnswerQueue<A> {
    pub fn new() -> Self {
        AnswerQueue {
            rows: VecDeque::new(),
            gone: 0,
            open: HashMap::new(),
        }
    }

    pub fn is_full(&self) -> bool {
        self.rows.len() >= MAX_ROWS
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the answer of a key is awaited.
    pub fn awaits(&self, key: &str) -> bool {
        self.open.contains_key(key)
    }

    /// Adds a row with its answer.
    pub fn push_answered(&mut self, doi: Doi, answer: A) {
        let answer = Some(answer);
        self.rows.push_back(WaitingName { doi, answer });
    }

    /// Adds a row that waits for the answer of its key.
    pub fn push_open(&mut self, doi: Doi) {
        let number = self.gone + self.rows.len();
        let key = doi.key().into_owned();
        self.open.entry(key).or_default().push(number);
        self.rows.push_back(WaitingName { doi, answer: None });
    }

    /// Gives its answer to all rows of a key.
    pub fn answer_rows(&mut self, key: &str, answer: &A) {
        for number in self.open.remove(key).unwrap_or_default() {
            if let Some(row) = self.rows.get_mut(number - self.gone) {
                row.answer = Some(answer.clone());
            }
        }
    }

    /// Takes the first row, if it has its answer.
    pub fn pop(&mut self) -> Option<(Doi, A)> {
        self.rows.front()?.answer.as_ref()?;
        let row = self.rows.pop_front()?;
        self.gone += 1;
        Some((row.doi, row.answer?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_leave_in_their_order_and_a_key_is_answered_once_for_all() {
        let doi = |name| Doi::new(name).unwrap();
        let mut window = AnswerQueue::new();
        window.push_open(doi("10.5555/a"));
        window.push_answered(doi("10.5555/b"), 2);
        window.push_open(doi("10.5555/A"));
        window.push_open(doi("10.5555/c"));
        assert!(window.awaits("10.5555/a") && window.pop().is_none());
        window.answer_rows("10.5555/c", &3);
        assert!(window.pop().is_none());
        window.answer_rows("10.5555/a", &1);
        assert!(!window.awaits("10.5555/a"));
        let rows: Vec<_> = std::iter::from_fn(|| window.pop()).collect();
        let shown = rows.iter().map(|(doi, answer)| (doi.as_str(), *answer));
        let expected = [
            ("10.5555/a", 1),
            ("10.5555/b", 2),
            ("10.5555/A", 1),
            ("10.5555/c", 3),
        ];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        assert!(window.is_empty());
        window.push_open(doi("10.5555/a"));
        window.answer_rows("10.5555/a", &4);
        assert_eq!(window.pop().map(|(_, answer)| answer), Some(4));
    }
}
