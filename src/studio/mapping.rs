//! The table of the retarget editor: which bone stands for which, why, and how far apart both stand; and profiles of it.

use std::path::Path;

use super::Command;
use super::command::{Changes, Edit};
use super::files::{FileCommand, Question};
use super::notices::NoticeKind;
use super::panels::RoleRow;
use super::posing::Stage;
use super::shown::joint_rows;
use super::state::{Studio, chain};
use super::words;
use crate::detect::roles::RoleProfile;
use crate::document::map_of;
use crate::io::{self, Overwrite};
use crate::model::{NamingConvention, NodeIndex, RetargetPose, RetargetPoses, Role};

/// A role in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct MapRow {
    /// The role, and whose it is on the character.
    pub role: RoleRow,
    /// Whose it is on the skeleton that the clip was made for.
    pub source: Option<String>,
    /// Whether both have it.
    pub is_mapped: bool,
    /// How far apart the two bones point in the pose that rotations are measured from, degrees.
    pub angle_deg: Option<f32>,
    /// Where the mapping comes from, or why there is none.
    pub why: String,
    /// Whether it is more than a guess.
    pub is_sure: bool,
    /// Whether a hand has turned it.
    pub is_turned: bool,
}

/// The panel of the editor.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetPanel {
    /// What stands beside the character; `None` where nothing that plays is retargeted.
    pub beside: Option<String>,
    /// The user's file that the clip is from: its skeleton can be posed too.
    pub file: Option<String>,
    /// Whether that one's pose is edited.
    pub of_source: bool,
    /// Whether the clip is shown, not the pose.
    pub shows_clip: bool,
    /// All poses, as decided.
    pub poses: RetargetPoses,
    /// Roles that either has, and those that matter.
    pub rows: Vec<MapRow>,
    /// Bones that can be given a role.
    pub bones: Vec<(NodeIndex, String)>,
    /// The role of the selected bone.
    pub selected: Option<Role>,
}

impl RetargetPanel {
    fn edited_file(&self) -> Option<&str> {
        self.file.as_deref().filter(|_| self.of_source)
    }

    /// The pose that is edited.
    pub fn pose(&self) -> RetargetPose {
        match self.edited_file() {
            Some(file) => self.poses.of_source(file),
            None => self.poses.own.clone(),
        }
    }

    /// The decision for another pose in its place.
    pub fn edit(&self, pose: RetargetPose) -> Edit {
        Edit::Retarget(Box::new(self.poses.clone().with(self.edited_file(), pose)))
    }
}

impl Studio {
    /// The panel of the editor; `None` while it is closed.
    pub fn retarget_panel(&self) -> Option<RetargetPanel> {
        let open = self.open.as_ref().filter(|_| self.posing.is_open)?;
        let stage = self.staged();
        let poses = self.history.current().character(open.character).retarget;
        let file = stage.and_then(|s| s.file.clone());
        let mut panel = RetargetPanel {
            beside: stage.map(|s| s.title.clone()),
            of_source: self.posing.of_source && file.is_some(),
            file,
            shows_clip: self.posing.shows_clip,
            poses,
            rows: Vec::new(),
            bones: self.bones_with_names(),
            selected: self.selected_role(),
        };
        let pose = panel.pose();
        let rows = Role::ALL.iter().filter_map(|&role| self.map_row(role, stage, &pose));
        panel.rows = rows.collect();
        Some(panel)
    }

    /// Whose a role is.
    pub(super) fn role_row(&self, role: Role) -> Option<RoleRow> {
        let open = self.open.as_ref()?;
        let rigged = &open.evaluated.rigged;
        let edits = self.history.current().characters.get(&open.character);
        let named = |node| (node, rigged.character.skeleton.name(node).to_owned());
        Some(RoleRow {
            role,
            is_essential: Role::ESSENTIAL.contains(&role),
            bone: rigged.humanoid.node(role).map(named),
            by_user: edits.is_some_and(|edits| edits.roles.contains_key(&role)),
        })
    }

    /// Bones of the file, which can be given a role.
    pub(super) fn bones_with_names(&self) -> Vec<(NodeIndex, String)> {
        let Some(open) = &self.open else { return Vec::new() };
        let n_loaded = open.loaded().map_or(0, |loaded| loaded.skeleton.len());
        let rows = joint_rows(&open.evaluated.rigged).into_iter();
        rows.filter(|row| row.node.index() < n_loaded).map(|row| (row.node, row.name)).collect()
    }

    /// A row of the table; `None` for roles that nobody has or misses.
    fn map_row(&self, role: Role, stage: Option<&Stage>, pose: &RetargetPose) -> Option<MapRow> {
        let row = self.role_row(role)?;
        let source = stage.and_then(|stage| {
            let node = stage.source.humanoid.node(role)?;
            Some(stage.source.skeleton.name(node).to_owned())
        });
        if !row.is_essential && row.bone.is_none() && source.is_none() && !row.by_user {
            return None;
        }
        let (why, is_sure) = self.why(&row, source.is_some() || stage.is_none());
        Some(MapRow {
            is_mapped: row.bone.is_some() && source.is_some(),
            angle_deg: stage.and_then(|stage| stage.angles.get(&role)).copied(),
            is_turned: pose.rotation(role).is_some(),
            role: row,
            source,
            why,
            is_sure,
        })
    }

    /// Where a mapping comes from, and whether it is more than a guess.
    fn why(&self, row: &RoleRow, has_source: bool) -> (String, bool) {
        let convention = self.evaluated().map(|e| e.detection.humanoid.convention);
        let convention = convention.unwrap_or_default();
        let said = match (row.bone.is_some(), row.by_user) {
            (false, true) => "You chose no bone: clips do not move it".to_owned(),
            (false, false) => "This character has no such bone: clips do not move it".to_owned(),
            (true, _) if !has_source => {
                "The clip's skeleton has no such bone: it moves with its neighbours".to_owned()
            }
            (true, true) => "You chose this bone".to_owned(),
            (true, false) => match convention {
                NamingConvention::Vrm => "The file says so, or names it as VRM does".to_owned(),
                NamingConvention::Geometry | NamingConvention::None => {
                    "A guess by shape: names say nothing here".to_owned()
                }
                named => format!("By its name ({})", words::convention(named)),
            },
        };
        let is_guess = matches!(convention, NamingConvention::Geometry | NamingConvention::None);
        (said, row.by_user || !is_guess)
    }

    /// Where a mapping is likely to be saved: beside the project.
    pub fn suggested_map(&self) -> String {
        Path::new(&self.suggested()).with_extension("map.ron").display().to_string()
    }

    /// Saves roles and poses for the next character of this kind.
    pub(super) fn save_map(&mut self, path: String, replace: bool) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let Some(loaded) = open.loaded() else { return Changes::NONE };
        let place = Path::new(&path);
        if !replace && place.exists() {
            let then = Command::File(FileCommand::SaveMap { path: path.clone(), replace: true });
            return self.ask(Question::Replace { path, then: Box::new(then) });
        }
        let edits = self.history.current().character(open.character);
        let text = map_of(&edits, loaded, &open.evaluated.detection.humanoid).write();
        match io::save(place, text.as_bytes(), Overwrite::Force) {
            Ok(()) => {
                let name = words::file_name(&path);
                self.notice(NoticeKind::Info, format!("Saved {name}, also for `tailbone --map`"))
            }
            Err(error) => self.notice(NoticeKind::Error, format!("Not saved: {}", chain(&error))),
        }
    }

    /// Takes roles and poses from a file, as one step.
    pub(super) fn load_map(&mut self, path: &str) -> Changes {
        let Some(loaded) = self.open.as_ref().and_then(|open| open.loaded()) else {
            return Changes::NONE;
        };
        let profile = match io::read_text(Path::new(path)) {
            Ok(text) => text,
            Err(error) => return self.notice(NoticeKind::Error, chain(&error)),
        };
        match RoleProfile::read(&profile).and_then(|map| map.resolve(loaded)) {
            Ok(_) => self.edit(&Edit::Mapping { profile }),
            Err(error) => {
                let text = format!("{}: {}", words::file_name(path), chain(&error));
                self.notice(NoticeKind::Error, text)
            }
        }
    }
}
