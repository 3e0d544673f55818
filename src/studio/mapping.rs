//! The table of the retarget editor: which bones stand for a role on either side, why, and how far apart both stand; and
//! profiles of it.

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
    /// Whose it is on the skeleton that the clip was made for; `None` where nothing stands beside the character.
    pub source: Option<RoleRow>,
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
    /// Why the clip that stands beside the character cannot be played yet.
    pub fault: Option<String>,
    /// The user's file that the clip is from: its skeleton can be mapped and posed too.
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
    /// Bones of the clip's file that can be given a role; none where it is no user's file.
    pub source_bones: Vec<(NodeIndex, String)>,
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

    /// The decision on whether hands reach where the source's reach.
    pub fn edit_reach(&self, reach_hands: bool) -> Edit {
        Edit::Retarget(Box::new(RetargetPoses { reach_hands, ..self.poses.clone() }))
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
        let poses = self.history.current().of(open.character).retarget.clone();
        let file = stage.and_then(|s| s.file.clone());
        let mut panel = RetargetPanel {
            beside: stage.map(|s| s.title.clone()),
            fault: self
                .posing
                .unmapped
                .as_ref()
                .filter(|_| stage.is_some_and(|s| !s.fits()))
                .map(|(_, why)| why.clone()),
            of_source: self.posing.of_source && file.is_some(),
            file,
            shows_clip: self.posing.shows_clip,
            poses,
            rows: Vec::new(),
            bones: self.bones_with_names(),
            source_bones: stage.map(Stage::bones).unwrap_or_default(),
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
        let edits = self.history.current().of(open.character);
        let named = |node| (node, rigged.character.skeleton.name(node).to_owned());
        Some(RoleRow {
            role,
            is_essential: Role::ESSENTIAL.contains(&role),
            bone: rigged.humanoid.node(role).map(named),
            by_user: edits.roles.contains_key(&role),
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
        let source = stage.map(|stage| {
            let skeleton = &stage.source.skeleton;
            let named = |node| (node, skeleton.name(node).to_owned());
            let bone = stage.source.humanoid.node(role).map(named);
            RoleRow { bone, by_user: stage.is_by_user(role), ..row.clone() }
        });
        let is_nobodys = |row: &RoleRow| row.bone.is_none() && !row.by_user;
        if !row.is_essential && is_nobodys(&row) && source.as_ref().is_none_or(is_nobodys) {
            return None;
        }
        let (why, is_sure) = self.why(&row, source.as_ref());
        Some(MapRow {
            is_mapped: row.bone.is_some() && source.as_ref().is_some_and(|s| s.bone.is_some()),
            angle_deg: stage.and_then(|stage| stage.angles.get(&role)).copied(),
            is_turned: pose.rotation(role).is_some(),
            role: row,
            source,
            why,
            is_sure,
        })
    }

    /// Where a mapping comes from, and whether it is more than a guess.
    fn why(&self, row: &RoleRow, source: Option<&RoleRow>) -> (String, bool) {
        let convention = self.evaluated().map(|e| e.detection.humanoid.convention);
        let convention = convention.unwrap_or_default();
        let said = match (row.bone.is_some(), row.by_user) {
            (false, true) => "You chose no bone: clips do not move it".to_owned(),
            (false, false) => "This character has no such bone: clips do not move it".to_owned(),
            (true, _) if source.is_some_and(|s| s.bone.is_none() && s.by_user) => {
                "You chose no bone of the clip: it moves with its neighbours".to_owned()
            }
            (true, _) if source.is_some_and(|s| s.bone.is_none()) => {
                "The clip's skeleton has no such bone: it moves with its neighbours".to_owned()
            }
            (true, false) if source.is_some_and(|s| s.by_user) => {
                "You chose the clip's bone".to_owned()
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
        let is_chosen = row.by_user || source.is_some_and(|s| s.by_user);
        (said, is_chosen || !is_guess)
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
        if let Some(refused) = self.refuses(place) {
            return self.notice(NoticeKind::Error, refused);
        }
        if !replace && place.exists() {
            let then = Command::File(FileCommand::SaveMap { path: path.clone(), replace: true });
            return self.ask(Question::Replace { path, then: Box::new(then) });
        }
        let edits = self.history.current().of(open.character);
        let text = map_of(edits, loaded, &open.evaluated.detection.humanoid).write();
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
