//! Undo and redo of whole values.
//!
//! A step keeps the value before it; no edit needs an inverse. Values are small (decisions, not meshes), so thousands
//! fit; the oldest steps go once all together take more than a number of bytes.

use std::collections::VecDeque;

/// How much memory a value takes, its shared parts counted in full.
pub trait HeapSize {
    /// Bytes, about.
    fn heap_bytes(&self) -> usize;
}

/// A value on one of the stacks.
#[derive(Clone, Debug)]
struct Step<T> {
    label: String,
    value: T,
    bytes: usize,
}

/// A value, what it was, and what it may become again.
#[derive(Clone, Debug)]
pub struct History<T> {
    current: T,
    undo: VecDeque<Step<T>>,
    redo: Vec<Step<T>>,
    /// A drag in progress: its label and the value it began with.
    open: Option<Step<T>>,
    /// Bytes on both stacks.
    bytes: usize,
    most_bytes: usize,
}

impl<T: Clone + PartialEq + HeapSize> History<T> {
    /// 256 MB.
    pub const MOST_BYTES: usize = 256 << 20;

    /// A history that begins with `value`.
    pub fn new(value: T) -> Self {
        Self::with_limit(value, Self::MOST_BYTES)
    }

    /// A history that keeps at most `most_bytes` of past and future values, though always the last one.
    pub fn with_limit(value: T, most_bytes: usize) -> Self {
        Self {
            current: value,
            undo: VecDeque::new(),
            redo: Vec::new(),
            open: None,
            bytes: 0,
            most_bytes,
        }
    }

    /// The value as it is.
    pub fn current(&self) -> &T {
        &self.current
    }

    /// Whether a drag is open.
    pub fn is_dragging(&self) -> bool {
        self.open.is_some()
    }

    /// Label of the step that [`undo`](Self::undo) would take back.
    pub fn undo_label(&self) -> Option<&str> {
        self.undo.back().map(|s| s.label.as_str())
    }

    /// Label of the step that [`redo`](Self::redo) would do again.
    pub fn redo_label(&self) -> Option<&str> {
        self.redo.last().map(|s| s.label.as_str())
    }

    /// Labels of all steps, the oldest first: those done, then those taken back.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.undo.iter().chain(self.redo.iter().rev()).map(|s| s.label.as_str())
    }

    /// How many of the steps are done.
    pub fn n_done(&self) -> usize {
        self.undo.len()
    }

    /// Takes steps back, or does them again, until `n` are done. Whether anything changed.
    pub fn go_to(&mut self, n: usize) -> bool {
        let n = n.min(self.undo.len() + self.redo.len());
        let mut changed = false;
        while self.undo.len() > n || self.open.is_some() {
            changed |= self.undo();
        }
        while self.undo.len() < n && self.redo() {
            changed = true;
        }
        changed
    }

    /// Bytes that past and future values take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// One step: the value becomes `value`. No step where nothing differs. Within a drag it is part of the drag.
    pub fn set(&mut self, label: impl Into<String>, value: T) {
        if self.open.is_some() {
            self.current = value;
            return;
        }
        let before = std::mem::replace(&mut self.current, value);
        self.push(label.into(), before);
    }

    /// A drag begins: what follows, up to [`commit`](Self::commit), is one step. A drag that was open is committed.
    pub fn begin(&mut self, label: impl Into<String>) {
        self.commit();
        self.open = Some(Step { label: label.into(), value: self.current.clone(), bytes: 0 });
    }

    /// The drag ends: one step, or none where nothing differs.
    pub fn commit(&mut self) {
        if let Some(step) = self.open.take() {
            self.push(step.label, step.value);
        }
    }

    /// The drag is given up: back to the value it began with.
    pub fn abort(&mut self) {
        if let Some(step) = self.open.take() {
            self.current = step.value;
        }
    }

    /// Takes the last step back; gives up a drag instead where one is open. Whether anything changed.
    pub fn undo(&mut self) -> bool {
        if self.open.is_some() {
            self.abort();
            return true;
        }
        let Some(step) = self.undo.pop_back() else { return false };
        self.bytes -= step.bytes;
        let after = std::mem::replace(&mut self.current, step.value);
        let bytes = after.heap_bytes();
        self.bytes += bytes;
        self.redo.push(Step { label: step.label, value: after, bytes });
        true
    }

    /// Does the last step that was taken back again. Whether there was one; none during a drag.
    pub fn redo(&mut self) -> bool {
        if self.open.is_some() {
            return false;
        }
        let Some(step) = self.redo.pop() else { return false };
        self.bytes -= step.bytes;
        let before = std::mem::replace(&mut self.current, step.value);
        let bytes = before.heap_bytes();
        self.bytes += bytes;
        self.undo.push_back(Step { label: step.label, value: before, bytes });
        true
    }

    fn push(&mut self, label: String, before: T) {
        if before == self.current {
            return;
        }
        self.bytes -= self.redo.drain(..).map(|s| s.bytes).sum::<usize>();
        let bytes = before.heap_bytes();
        self.bytes += bytes;
        self.undo.push_back(Step { label, value: before, bytes });
        while self.bytes > self.most_bytes && self.undo.len() > 1 {
            if let Some(oldest) = self.undo.pop_front() {
                self.bytes -= oldest.bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl HeapSize for u32 {
        fn heap_bytes(&self) -> usize {
            100
        }
    }

    #[test]
    fn a_drag_is_one_step_and_a_drag_that_changes_nothing_is_none() {
        let mut history = History::new(1_u32);
        history.begin("move");
        history.set("", 2);
        history.set("", 3);
        history.commit();
        assert_eq!((*history.current(), history.undo_label()), (3, Some("move")));
        history.begin("move");
        history.set("", 9);
        history.set("", 3);
        history.commit();
        assert!(history.undo());
        assert_eq!((*history.current(), history.redo_label()), (1, Some("move")));
        assert!(!history.undo());
        history.begin("drag");
        history.set("", 7);
        assert!(history.undo(), "undo during a drag gives the drag up");
        assert_eq!(*history.current(), 1);
    }

    #[test]
    fn the_oldest_steps_go_when_memory_is_short() {
        let mut history = History::with_limit(0_u32, 250);
        for i in 1..=5 {
            history.set("step", i);
        }
        assert_eq!(history.bytes(), 200);
        while history.undo() {}
        assert_eq!(*history.current(), 3);
    }

    proptest! {
        /// Against a plain list of values with a cursor.
        #[test]
        fn undo_and_redo_walk_the_list_of_values(commands in prop::collection::vec(0_u32..12, 0..200)) {
            let mut history = History::new(100_u32);
            let (mut list, mut at) = (vec![100_u32], 0_usize);
            for command in commands {
                match command {
                    0..=2 => {
                        prop_assert_eq!(history.undo(), at > 0);
                        at = at.saturating_sub(1);
                    }
                    3 | 4 => {
                        let can = at + 1 < list.len();
                        prop_assert_eq!(history.redo(), can);
                        at += usize::from(can);
                    }
                    value => {
                        history.set("set", value);
                        if list[at] != value {
                            list.truncate(at + 1);
                            list.push(value);
                            at += 1;
                        }
                    }
                }
                prop_assert_eq!(*history.current(), list[at]);
                prop_assert_eq!(history.bytes(), 100 * (list.len() - 1));
            }
            while history.undo() {}
            prop_assert_eq!(*history.current(), 100);
            while history.redo() {}
            prop_assert_eq!(history.current(), list.last().unwrap());
        }
    }
}
