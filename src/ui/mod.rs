//! Floor 11: panels, widgets, theme.
//!
//! May use `math`, `model`, `studio`, `view` and egui. A panel gets a read-only struct that the studio made for it and
//! pushes commands.
//!
//! Architecture invariant: nothing here changes the document but by a command, computes geometry, or reads a file.

pub mod bone_picker;
pub mod card;
pub mod chain;
pub mod clip_menu;
pub mod colliders;
pub mod compare;
pub mod desk;
pub mod dialogs;
pub mod export;
pub mod hair;
pub mod history;
pub mod icons;
pub mod inspector;
pub mod keys;
pub mod menu;
pub mod outliner;
pub mod palette;
pub mod preferences;
pub mod retarget;
pub mod roles;
pub mod shelf;
pub mod springs;
pub mod status;
pub mod theme;
pub mod thresholds;
pub mod tool_bar;
pub mod tools;
pub mod transport;
pub mod turn_hand;
pub mod view_bar;
pub mod viewport;
pub mod widgets;

use crate::studio::{Command, UserCommand};

/// What panels ask for during one frame, in order.
#[derive(Debug, Default)]
pub struct Asked {
    /// For the studio.
    pub commands: Vec<Command>,
    /// By name, as from a menu.
    pub by_name: Vec<UserCommand>,
}

impl Asked {
    /// Asks the studio.
    pub fn push(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Asks the studio, before a drag that ends in this frame is committed: the last value belongs to the drag.
    pub fn before_commit(&mut self, command: Command) {
        let commit = self.commands.iter().position(|c| matches!(c, Command::Commit));
        self.commands.insert(commit.unwrap_or(self.commands.len()), command);
    }

    /// Asks by name.
    pub fn user(&mut self, command: UserCommand) {
        self.by_name.push(command);
    }
}
