//! Messages to the user: what happened, to what, what to do.

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

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// To put it away by.
    pub id: NoticeId,
    /// How much it matters.
    pub kind: NoticeKind,
    /// What happened.
    pub text: String,
}

/// The messages that are shown, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    shown: Vec<Notice>,
    next: u64,
}

impl Notices {
    /// Messages that are kept at most; the oldest goes first.
    const MOST: usize = 5;

    /// Shows a message. One that says the same as another replaces it.
    pub(super) fn add(&mut self, kind: NoticeKind, text: impl Into<String>) {
        let text = text.into();
        self.shown.retain(|n| n.text != text);
        self.shown.push(Notice { id: NoticeId(self.next), kind, text });
        self.next += 1;
        if self.shown.len() > Self::MOST {
            self.shown.remove(0);
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
}
