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
    /// clips that loop. Another than the target's is for copies of the file's own clips too; those that are joined keep
    /// their names.
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

/// A name pattern has a field that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no field {{{field}}}; the fields are {{clip}}, {{title}}, {{file}} and {{loop}}")]
pub struct NoSuchField {
    /// What stands between the braces.
    pub field: String,
}

/// Whether all fields of a name pattern are there.
///
/// # Errors
/// [`NoSuchField`], the first that is not.
pub fn check_pattern(pattern: &str) -> Result<(), NoSuchField> {
    let known = NameParts::default();
    match fields(pattern).find(|(_, field)| field.is_some_and(|f| known.field(f).is_none())) {
        Some((_, Some(field))) => Err(NoSuchField { field: field.to_owned() }),
        _ => Ok(()),
    }
}

/// A pattern's pieces: text, and the field that follows it. A brace that is not closed is text.
fn fields(pattern: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(pattern);
    std::iter::from_fn(move || {
        let text = rest?;
        let field = text.split_once('{').and_then(|(before, behind)| {
            let (field, after) = behind.split_once('}')?;
            Some((before, field, after))
        });
        rest = field.map(|(_, _, after)| after);
        Some(field.map_or((text, None), |(before, field, _)| (before, Some(field))))
    })
}

impl NameParts<'_> {
    fn field(&self, field: &str) -> Option<&str> {
        Some(match field {
            "file" => self.file,
            "clip" => self.clip,
            "title" => self.title,
            "loop" if self.looping => "-loop",
            "loop" => "",
            _ => return None,
        })
    }

    /// `pattern` filled in, with a number behind it where that name `is_taken`. An empty result is the clip's name; a
    /// field that there is not stays as it stands.
    pub fn name(&self, pattern: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let mut name = String::new();
        for (text, field) in fields(pattern) {
            name.push_str(text);
            match field.map(|field| (field, self.field(field))) {
                Some((_, Some(value))) => name.push_str(value),
                Some((field, None)) => name.extend(["{", field, "}"]),
                None => {}
            }
        }
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
        assert_eq!(name("{a}{clip}{", &[]), "{a}Walk_Loop{");
        let odd = NameParts { clip: "{title}", title: "Walk", ..NameParts::default() };
        assert_eq!(odd.name("{clip}", |_| false), "{title}", "a clip's name is no pattern");
    }

    #[test]
    fn a_field_that_there_is_not_is_named() {
        assert_eq!(check_pattern("{file}_{clip}{loop} {title}"), Ok(()));
        assert_eq!(check_pattern("Walk {"), Ok(()));
        let said = check_pattern("{clip}_{fps}").unwrap_err().to_string();
        assert!(said.starts_with("there is no field {fps}; the fields are {clip},"), "{said}");
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
