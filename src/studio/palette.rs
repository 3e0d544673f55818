//! The command palette: everything with a name, found by a few letters.

use std::collections::BTreeSet;

use super::command::{Command, PlayCommand, Selection};
use super::fuzzy::Search;
use super::state::{Studio, samples};
use super::table::{TABLE, UserCommand};
use super::words::counted;

/// What a line of the palette does.
#[derive(Clone, Debug, PartialEq)]
pub enum PaletteAct {
    /// A command of the table.
    User(UserCommand),
    /// Anything else.
    Studio(Command),
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq)]
pub struct PaletteLine {
    /// What is searched and shown.
    pub title: String,
    /// What kind of thing it is.
    pub group: &'static str,
    /// Its keys, or a note.
    pub note: String,
    /// What it does.
    pub act: PaletteAct,
}

impl Studio {
    /// The lines that fit `typed`, the best first, at most `most`.
    pub fn palette(&self, typed: &str, most: usize) -> Vec<PaletteLine> {
        let search = Search::new(typed);
        let mut found: Vec<(i64, PaletteLine)> = self
            .palette_lines()
            .into_iter()
            .filter_map(|line| Some((search.score(&line.title)?, line)))
            .collect();
        if !search.is_empty() {
            found.sort_by_key(|(score, _)| -score);
        }
        found.into_iter().take(most).map(|(_, line)| line).collect()
    }

    fn palette_lines(&self) -> Vec<PaletteLine> {
        let line = |title: &str, group, note: String, act| PaletteLine {
            title: title.to_owned(),
            group,
            note,
            act,
        };
        let mut lines: Vec<PaletteLine> = TABLE
            .iter()
            // One is open, the other is held.
            .filter(|row| !matches!(row.command, UserCommand::Palette | UserCommand::HoldBefore))
            .map(|row| {
                let keys = self.keymap.first(row.command).to_owned();
                line(row.text, "Command", keys, PaletteAct::User(row.command))
            })
            .collect();
        let outliner = self.outliner();
        let select = |selection| PaletteAct::Studio(Command::Select(selection));
        for row in &outliner.regions {
            let note = super::words::treatment(row.verdict).to_owned();
            lines.push(line(&row.name, "Region", note, select(Selection::Region(row.id))));
        }
        let (mut seen, mut places) = (BTreeSet::new(), Vec::new());
        for (place, title) in self.transport().clips.iter().enumerate() {
            // The character's own clip stands for a bundled one of its name.
            if !seen.insert(title.clone()) {
                continue;
            }
            places.push(place);
            let act = PaletteAct::Studio(Command::Play(PlayCommand::Clip(Some(place))));
            lines.push(line(title, "Clip", String::new(), act));
        }
        if !places.is_empty() && !self.is_sweeping() {
            let title = format!("Sweep: play {} through", counted(places.len(), "clip", "clips"));
            let act = PaletteAct::Studio(Command::Sweep(places));
            lines.push(line(&title, "Command", "worst first in the library".to_owned(), act));
        }
        for row in &outliner.chains {
            let act = select(Selection::Chain(row.index));
            lines.push(line(&row.name, "Chain", String::new(), act));
        }
        for row in &outliner.colliders {
            let act = select(Selection::Collider(row.index));
            lines.push(line(&row.name, "Collider", row.about.clone(), act));
        }
        for row in &outliner.joints {
            lines.push(line(&row.name, "Bone", String::new(), select(Selection::Joint(row.node))));
        }
        for (name, about) in samples() {
            let act = PaletteAct::Studio(Command::Open(format!("sample:{name}")));
            lines.push(line(&format!("Open the {name}"), "Sample", about.to_owned(), act));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studio::no_wake;

    #[test]
    fn a_few_letters_find_a_command_and_a_workspace() {
        let studio = Studio::new(no_wake());
        let first = |typed: &str| studio.palette(typed, 5).into_iter().next().unwrap();
        assert_eq!(first("undo").act, PaletteAct::User(UserCommand::Undo));
        assert_eq!(first("compare").act, PaletteAct::User(UserCommand::CompareWorkspace));
        assert!(studio.palette("qqqqqq", 5).is_empty());
        assert_eq!(studio.palette("", 3).len(), 3);
    }
}
