//! Messages to the user: what happened, to what, what to do, with a button that does it.

use super::command::Command;

/// A message, for as long as it is shown.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct NoticeId(u64);

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Done.
    Info,
    /// Something was not as asked.
    Warning,
    /// Something could not be done.
    Error,
}

/// What can be done about a message.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeAction {
    /// As it stands on its button.
    pub label: &'static str,
    /// What it does; the message goes.
    pub command: Command,
}

impl NoticeAction {
    /// A button.
    pub fn new(label: &'static str, command: Command) -> Self {
        Self { label, command }
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// To put it away by.
    pub id: NoticeId,
    /// How much it matters.
    pub kind: NoticeKind,
    /// What happened.
    pub text: String,
    /// What can be done about it.
    pub actions: Vec<NoticeAction>,
}

/// The messages that are shown, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    shown: Vec<Notice>,
    next: u64,
}

impl Notices {
    /// Messages that are kept at most; the oldest goes first, one that offers something last.
    const MOST: usize = 5;

    /// Shows a message. One that says the same as another replaces it.
    pub(super) fn add(&mut self, kind: NoticeKind, text: impl Into<String>) {
        self.add_with(kind, text, Vec::new());
    }

    /// Shows a message with what can be done about it.
    pub(super) fn add_with(
        &mut self,
        kind: NoticeKind,
        text: impl Into<String>,
        actions: Vec<NoticeAction>,
    ) {
        let text = text.into();
        self.shown.retain(|n| n.text != text);
        self.shown.push(Notice { id: NoticeId(self.next), kind, text, actions });
        self.next += 1;
        if self.shown.len() > Self::MOST {
            let oldest = self.shown.iter().position(|n| n.actions.is_empty()).unwrap_or(0);
            self.shown.remove(oldest);
        }
    }

    /// Puts one away.
    pub(super) fn dismiss(&mut self, id: NoticeId) {
        self.shown.retain(|n| n.id != id);
    }

    /// All of them.
    pub(super) fn shown(&self) -> &[Notice] {
        &self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_message_stands_once_and_old_ones_go() {
        let mut notices = Notices::default();
        for i in 0..7 {
            notices.add(NoticeKind::Info, format!("{}", i % 6));
        }
        let texts: Vec<_> = notices.shown().iter().map(|n| n.text.as_str()).collect();
        assert_eq!(texts, ["2", "3", "4", "5", "0"]);
        let id = notices.shown()[1].id;
        notices.dismiss(id);
        assert_eq!(notices.shown().len(), 4);
    }

    #[test]
    fn what_offers_something_stays_longest() {
        let mut notices = Notices::default();
        let action = NoticeAction::new("Undo", Command::Undo);
        notices.add_with(NoticeKind::Info, "an offer", vec![action]);
        (0..9).for_each(|i| notices.add(NoticeKind::Info, format!("{i}")));
        assert_eq!(notices.shown()[0].text, "an offer");
    }
}
