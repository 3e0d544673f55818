//! Keys as text: `Ctrl+Shift+Z`, `Space`, `?`. The window translates them; here they are only compared.

use super::table::{TABLE, UserCommand};

/// A key with its modifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chord {
    /// Control, or Command on a Mac.
    pub ctrl: bool,
    /// Shift.
    pub shift: bool,
    /// Alt.
    pub alt: bool,
    /// The key's name, as the keyboard has it: `Z`, `Space`, `ArrowLeft`.
    pub key: String,
}

impl Chord {
    /// The chord that `text` names.
    pub fn parse(text: &str) -> Self {
        let mut chord = Self::default();
        let mut rest = text;
        loop {
            match rest.split_once('+') {
                Some(("Ctrl", after)) => (chord.ctrl, rest) = (true, after),
                Some(("Shift", after)) => (chord.shift, rest) = (true, after),
                Some(("Alt", after)) => (chord.alt, rest) = (true, after),
                _ => break,
            }
        }
        chord.key = rest.to_owned();
        chord
    }
}

/// What a chord asks for.
pub fn command_of(chord: &Chord) -> Option<UserCommand> {
    TABLE
        .iter()
        .find(|row| row.keys.iter().any(|keys| Chord::parse(keys) == *chord))
        .map(|row| row.command)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_commands_share_a_key() {
        let mut seen = BTreeSet::new();
        for row in TABLE {
            for keys in row.keys {
                assert!(seen.insert(Chord::parse(keys)), "{keys} stands twice");
            }
        }
    }

    #[test]
    fn every_command_stands_once_with_a_text() {
        let mut ids = BTreeSet::new();
        for row in TABLE {
            assert!(ids.insert(row.id), "{} stands twice", row.id);
            assert!(!row.text.is_empty() && !row.about.is_empty(), "{}", row.id);
            assert!(!row.text.ends_with('.'), "{}: no full stop on single sentences", row.id);
        }
    }

    #[test]
    fn chords_are_read_with_all_their_modifiers() {
        let chord = Chord::parse("Ctrl+Shift+Z");
        assert!(chord.ctrl && chord.shift && !chord.alt && chord.key == "Z");
        assert_eq!(command_of(&chord), Some(UserCommand::Redo));
        assert_eq!(command_of(&Chord::parse("Ctrl+Alt+F12")), None);
    }
}
