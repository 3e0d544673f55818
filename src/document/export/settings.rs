//! What the user says about an export.

use serde::{Deserialize, Serialize};

use super::Target;
use crate::bake::{Reduction, RootPlacement};
use crate::io::Contents;

/// How many files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExportFiles {
    /// One, with every clip in it.
    #[default]
    One,
    /// One for each clip, named by the clip's name.
    PerClip,
}

/// What becomes of the file's own clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OwnClips {
    /// The appendages' tracks join them.
    #[default]
    Join,
    /// They stay as they are; a copy with `_baked` behind its name has the appendages' tracks.
    Copy,
}

/// All that decides what is written, besides the edits of the characters (joint axes, names and influences are theirs).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportSettings {
    /// The program it is for.
    pub target: Target,
    /// The whole file, or skeletons and clips alone.
    #[serde(with = "contents")]
    pub contents: Contents,
    /// One file or many.
    pub files: ExportFiles,
    /// What becomes of the file's own clips.
    pub own_clips: OwnClips,
    /// Whether a report is put beside the file: [`report`](super::report).
    pub report: bool,
    /// Where travel goes in clips that the file does not have. Default: on the hips, as the clips have it.
    #[serde(with = "root")]
    pub root: RootPlacement,
    /// Name of a clip that the file does not have: `{clip}`, `{title}`, `{file}`, and `{loop}`, which is `-loop` for
    /// clips that loop. The file's own clips keep their names.
    pub pattern: String,
    /// Keys a second, 1 to 1000. Default 30.
    pub rate_hz: f64,
    /// A key is dropped where the others show the joint within this angle, degrees; 0 (default) keeps all.
    pub reduce_deg: f32,
    /// The same for translations, millimetres.
    pub reduce_mm: f32,
    /// Whether a file that is no VRM becomes one (version 1), for which it must have every humanoid role. Default off.
    pub as_vrm: bool,
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self {
            target: Target::default(),
            contents: Contents::All,
            files: ExportFiles::One,
            own_clips: OwnClips::Join,
            report: false,
            root: RootPlacement::Hips,
            pattern: "{clip}".into(),
            rate_hz: 30.0,
            reduce_deg: 0.0,
            reduce_mm: 0.0,
            as_vrm: false,
        }
    }
}

impl ExportSettings {
    /// Default settings for a program.
    pub fn for_target(target: Target) -> Self {
        Self { target, pattern: target.clip_pattern().into(), ..Self::default() }
    }

    /// Bounds of key reduction in the units of a file of which one unit is `metres_per_unit`.
    pub fn reduction(&self, metres_per_unit: f32) -> Reduction {
        let distance = self.reduce_mm.max(0.0) * 1e-3 / metres_per_unit.max(1e-9);
        Reduction { angle_rad: self.reduce_deg.max(0.0).to_radians(), distance }
    }
}

/// What a name pattern is filled in with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameParts<'a> {
    /// The file's name without folder and extension.
    pub file: &'a str,
    /// The clip's name.
    pub clip: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Whether it loops.
    pub looping: bool,
}

impl NameParts<'_> {
    /// `pattern` filled in, with a number behind it where that name `is_taken`. An empty result is the clip's name.
    pub fn name(&self, pattern: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let name = pattern
            .replace("{file}", self.file)
            .replace("{clip}", self.clip)
            .replace("{title}", self.title)
            .replace("{loop}", if self.looping { "-loop" } else { "" });
        let name = if name.trim().is_empty() { self.clip.to_owned() } else { name };
        if !is_taken(&name) {
            return name;
        }
        (2..).map(|n| format!("{name}_{n}")).find(|n| !is_taken(n)).unwrap_or(name)
    }
}

/// A clip's name as a file's: without what some system forbids in names, never empty.
pub fn file_safe(name: &str) -> String {
    let is_bad = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let name: String = name.chars().map(|c| if is_bad(c) { '_' } else { c }).collect();
    let name = name.trim().trim_end_matches('.').trim_start_matches('.').to_owned();
    if name.is_empty() { "clip".into() } else { name }
}

/// [`Contents`] by name.
mod contents {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::io::Contents;

    pub(super) fn serialize<S: Serializer>(value: &Contents, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match value {
            Contents::All => "all",
            Contents::ClipsOnly => "clips",
        })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Contents, D::Error> {
        match String::deserialize(from)?.as_str() {
            "all" => Ok(Contents::All),
            "clips" => Ok(Contents::ClipsOnly),
            other => Err(serde::de::Error::unknown_variant(other, &["all", "clips"])),
        }
    }
}

/// [`RootPlacement`] by name.
mod root {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::bake::RootPlacement;

    pub(super) fn serialize<S: Serializer>(
        value: &RootPlacement,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(match value {
            RootPlacement::InPlace => "in-place",
            RootPlacement::Root => "root",
            RootPlacement::Hips => "hips",
        })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<RootPlacement, D::Error> {
        match String::deserialize(from)?.as_str() {
            "in-place" => Ok(RootPlacement::InPlace),
            "root" => Ok(RootPlacement::Root),
            "hips" => Ok(RootPlacement::Hips),
            other => Err(serde::de::Error::unknown_variant(other, &["in-place", "root", "hips"])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_and_numbered_where_they_are_taken() {
        let parts = NameParts { file: "fox", clip: "Walk_Loop", title: "Walk", looping: true };
        let name = |pattern: &str, taken: &[&str]| parts.name(pattern, |n| taken.contains(&n));
        assert_eq!(name("{file}_{title}{loop}", &[]), "fox_Walk-loop");
        assert_eq!(name("{clip}", &["Walk_Loop", "Walk_Loop_2"]), "Walk_Loop_3");
        assert_eq!(name(" ", &[]), "Walk_Loop");
    }

    #[test]
    fn file_names_hold_nothing_that_a_system_forbids() {
        assert_eq!(file_safe("Armature|Walk: fast?"), "Armature_Walk_ fast_");
        assert_eq!(file_safe("../.."), "_");
        assert_eq!(file_safe(" . "), "clip");
        assert_eq!(file_safe("歩く"), "歩く");
    }

    #[test]
    fn settings_come_back_from_ron_and_missing_ones_are_the_defaults() {
        let mut settings = ExportSettings::for_target(Target::Godot);
        settings.root = RootPlacement::InPlace;
        settings.contents = Contents::ClipsOnly;
        let text = ron::to_string(&settings).unwrap();
        assert_eq!(ron::from_str::<ExportSettings>(&text).unwrap(), settings);
        assert_eq!(ron::from_str::<ExportSettings>("()").unwrap(), ExportSettings::default());
    }
}
