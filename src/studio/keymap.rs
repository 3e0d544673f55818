//! Keys as text: `Ctrl+Shift+Z`, `Space`, `?`; which of them asks for what. The window translates them; here they are only
//! compared.

use std::collections::BTreeMap;

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

/// Keys with a sign that people know better than their names.
const SIGNS: [(&str, &str); 18] = [
    ("ArrowLeft", "←"),
    ("ArrowRight", "→"),
    ("ArrowUp", "↑"),
    ("ArrowDown", "↓"),
    ("Comma", ","),
    ("Period", "."),
    ("Slash", "/"),
    ("Backslash", "\\"),
    ("Pipe", "|"),
    ("Questionmark", "?"),
    ("OpenBracket", "["),
    ("CloseBracket", "]"),
    ("Backtick", "`"),
    ("Minus", "-"),
    ("Plus", "+"),
    ("Equals", "="),
    ("Semicolon", ";"),
    ("Quote", "'"),
];

/// A chord as people read it: `Ctrl+,`, `Shift+←`.
pub fn readable(keys: &str) -> String {
    let mut chord = Chord::parse(keys);
    if let Some((_, sign)) = SIGNS.iter().find(|(name, _)| *name == chord.key) {
        chord.key = (*sign).to_owned();
    }
    chord.to_string()
}

impl std::fmt::Display for Chord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (is_held, name) in [(self.ctrl, "Ctrl+"), (self.shift, "Shift+"), (self.alt, "Alt+")] {
            if is_held {
                f.write_str(name)?;
            }
        }
        f.write_str(&self.key)
    }
}

/// The keys in force: the table's, and in their place what the user has chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keymap {
    /// By the ids of the table.
    chosen: BTreeMap<String, Vec<String>>,
}

impl Keymap {
    /// The table's keys with the user's in their place. Ids that the table does not have mean nothing.
    pub fn new(chosen: BTreeMap<String, Vec<String>>) -> Self {
        Self { chosen }
    }

    /// What the user has chosen.
    pub fn chosen(&self) -> &BTreeMap<String, Vec<String>> {
        &self.chosen
    }

    /// The keys of a command.
    pub fn keys(&self, command: UserCommand) -> Vec<&str> {
        let row = command.row();
        match self.chosen.get(row.id) {
            Some(keys) => keys.iter().map(String::as_str).collect(),
            None => row.keys.to_vec(),
        }
    }

    /// The key of a command that is shown beside it; nothing where it has none.
    pub fn first(&self, command: UserCommand) -> &str {
        self.keys(command).first().copied().unwrap_or_default()
    }

    /// What a chord asks for.
    pub fn command_of(&self, chord: &Chord) -> Option<UserCommand> {
        let has = |command| self.keys(command).iter().any(|keys| Chord::parse(keys) == *chord);
        TABLE.iter().map(|row| row.command).find(|&command| has(command))
    }

    /// The same with one key for a command; who had that key before has it no more.
    #[must_use]
    pub fn with(mut self, command: UserCommand, chord: &Chord) -> Self {
        if let Some(other) = self.command_of(chord).filter(|&other| other != command) {
            let left = self.keys(other).into_iter().filter(|keys| Chord::parse(keys) != *chord);
            let left = left.map(str::to_owned).collect();
            self.chosen.insert(other.row().id.to_owned(), left);
        }
        self.chosen.insert(command.row().id.to_owned(), vec![chord.to_string()]);
        self
    }

    /// The same with the table's keys for a command.
    #[must_use]
    pub fn without(mut self, command: UserCommand) -> Self {
        self.chosen.remove(command.row().id);
        self
    }
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
    fn chords_are_read_with_all_their_modifiers_and_written_as_read() {
        let chord = Chord::parse("Ctrl+Shift+Z");
        assert!(chord.ctrl && chord.shift && !chord.alt && chord.key == "Z");
        assert_eq!(chord.to_string(), "Ctrl+Shift+Z");
        let keys = Keymap::default();
        assert_eq!(keys.command_of(&chord), Some(UserCommand::Redo));
        assert_eq!(keys.command_of(&Chord::parse("Ctrl+Alt+F12")), None);
    }

    #[test]
    fn keys_with_a_sign_are_shown_by_it() {
        assert_eq!(readable("Ctrl+Comma"), "Ctrl+,");
        assert_eq!(readable("Shift+ArrowLeft"), "Shift+←");
        assert_eq!(readable("Ctrl+Shift+Z"), "Ctrl+Shift+Z");
        for row in TABLE {
            for keys in row.keys {
                assert!(!readable(keys).contains("Arrow"), "{keys}");
            }
        }
    }

    #[test]
    fn a_chosen_key_is_taken_from_who_had_it() {
        let space = Chord::parse("Space");
        let keys = Keymap::default().with(UserCommand::Rewind, &space);
        assert_eq!(keys.command_of(&space), Some(UserCommand::Rewind));
        assert_eq!(keys.first(UserCommand::PlayPause), "");
        let again = Keymap::new(keys.chosen().clone());
        assert_eq!(again, keys);
        let reset = keys.without(UserCommand::Rewind).without(UserCommand::PlayPause);
        assert_eq!(reset, Keymap::default());
        // One of several keys goes alone.
        let y = Chord::parse("Ctrl+Y");
        let keys = Keymap::default().with(UserCommand::Rewind, &y);
        assert_eq!(keys.keys(UserCommand::Redo), ["Ctrl+Shift+Z"]);
    }
}
