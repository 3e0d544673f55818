//! The Hair workspace without a screen: what is picked, what a fit would do, how strands swing under both rules.
//!
//! Nothing is ever picked by itself. What is decided is one [`Edit::Hair`](super::Edit); the rest is of the session.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::command::{Changes, Edit, PlayCommand};
use super::notices::NoticeKind;
use super::playback::Playback;
use super::state::Studio;
use crate::document::HairEdits;
use crate::measure::HairMeasurement;
use crate::model::{HairSettings, NodeIndex, Rigged, SurfaceVertex};
use crate::perform::TestMotion;

mod panel;
mod pick;
mod trial;

pub use panel::{HairLine, HairPanel, StrandRow};
pub use pick::{HairPick, PickBy};

/// What the Hair workspace asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HairCommand {
    /// Picks skin.
    Pick(HairPick),
    /// What clicks pick from now on.
    PickBy(PickBy),
    /// Whether each connected piece of what is picked is a strand of its own.
    EachPiece(bool),
    /// Number of joints of the next fit; `None` goes by the length.
    Joints(Option<u32>),
    /// What the next fit hangs from; `None` is the head.
    Attach(Option<NodeIndex>),
    /// Gives what is picked joints and weights of its own.
    Fit,
    /// Takes a picked strand's joints away again, by its place among the picked ones.
    Remove(usize),
    /// Copies a preset's settings.
    Preset(String),
    /// How all strands swing.
    Settings(Box<HairSettings>),
    /// Whether colliders are fitted to body and clothes.
    FitColliders(bool),
    /// Whether a chain is part of a skirt.
    Skirt {
        /// Its name.
        chain: String,
        /// Whether it is.
        is_on: bool,
    },
    /// Plays the head-turn test.
    HeadTurn,
    /// Moves the body at rest once, and lets hair settle.
    MoveThenRest,
    /// Shows the earlier rule beside.
    SideBySide(bool),
    /// Plays a face, from 0 to 1.
    Face {
        /// Name of the expression.
        name: String,
        /// How much of it.
        weight: f32,
    },
}

/// What the session keeps about hair; nothing of it is saved. What is picked is what tools have marked.
#[derive(Debug, Default)]
pub(super) struct HairDesk {
    by: PickBy,
    /// Where strands begin, as clicked, in what is picked.
    roots: Vec<SurfaceVertex>,
    each_piece: bool,
    joints: Option<u32>,
    attach: Option<NodeIndex>,
    proposals: Vec<pick::Proposal>,
    /// Parts of what is picked that no strand is proposed for.
    left_out: usize,
    /// Improved and earlier, and the rig they are of.
    measured: Option<(Arc<Rigged>, [HairMeasurement; 2])>,
    is_compared: bool,
    /// The same under the earlier rule, while both are shown.
    pub(super) earlier: Option<Playback>,
}

impl Studio {
    /// Does what the Hair workspace asks for.
    pub(super) fn hair(&mut self, command: HairCommand) -> Changes {
        match command {
            HairCommand::Pick(pick) => self.pick_hair(pick),
            HairCommand::PickBy(by) => {
                self.hair.by = by;
                Changes::DOCUMENT
            }
            HairCommand::EachPiece(is_on) => {
                self.hair.each_piece = is_on;
                self.propose()
            }
            HairCommand::Joints(joints) => {
                self.hair.joints = joints;
                self.propose()
            }
            HairCommand::Attach(node) => {
                self.hair.attach = node;
                self.propose()
            }
            HairCommand::Fit => self.fit_hair(),
            HairCommand::Remove(at) => self.decide_hair("remove a strand", |hair| {
                if at < hair.strands.len() {
                    hair.strands.remove(at);
                }
            }),
            HairCommand::Preset(name) => match HairSettings::preset(&name) {
                Some(settings) => self.decide_hair("choose a hair preset", |hair| {
                    hair.settings = settings;
                    hair.preset = Some(name);
                }),
                None => self.notice(NoticeKind::Error, format!("There is no preset {name}")),
            },
            HairCommand::Settings(settings) => match settings.validated() {
                Ok(settings) => self.decide_hair("tune hair", |hair| hair.settings = settings),
                Err(error) => self.notice(NoticeKind::Error, error.to_string()),
            },
            HairCommand::FitColliders(is_on) => {
                self.decide_hair("fit colliders", |hair| hair.fit_colliders = is_on)
            }
            HairCommand::Skirt { chain, is_on } => self.decide_hair("change skirts", |hair| {
                if is_on {
                    hair.skirts.insert(chain);
                } else {
                    hair.skirts.remove(&chain);
                }
            }),
            HairCommand::HeadTurn => self.play_head_turn(),
            HairCommand::MoveThenRest => {
                let changes = self.put_on(None);
                changes.and(self.play(PlayCommand::Test(TestMotion::HipSweep)))
            }
            HairCommand::SideBySide(is_on) => {
                self.hair.is_compared = is_on;
                self.follow_hair();
                Changes::SCENE.and(Changes::DOCUMENT)
            }
            HairCommand::Face { name, weight } => {
                if let Some(playback) = &mut self.playback {
                    playback.set_face(&name, weight);
                }
                self.show_pose();
                Changes::SCENE.and(Changes::DOCUMENT)
            }
        }
    }

    /// Another character: nothing that was picked on the old one means anything.
    pub(super) fn forget_hair(&mut self) {
        let by = self.hair.by;
        self.hair = HairDesk { by, ..HairDesk::default() };
    }

    /// Decides about hair; `label` is what the history calls it.
    fn decide_hair(&mut self, label: &str, change: impl FnOnce(&mut HairEdits)) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let mut hair = self.history.current().of(open.character).hair.clone();
        change(&mut hair);
        self.edit_as(label, &Edit::Hair(Box::new(hair)))
    }
}
