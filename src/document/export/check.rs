//! "Play exported file": what was written, read back as any program reads it, played with physics off, beside the
//! preview.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::Quat;
use serde::Serialize;

use super::run::plan;
use super::settings::ExportSettings;
use crate::bake::BakeClip;
use crate::clips::PackedClip;
use crate::document::{ClipError, Document, Evaluated, JointRef};
use crate::io::{ReadError, read_bytes_as_is};
use crate::library::ClipEntry;
use crate::math::rotation;
use crate::model::{Character, NodeIndex, Pose, Rigged, WorldPose};
use crate::perform::{BodyMotion, SettledPass, TracksOnChains};
use crate::work::{Stopped, Work};

/// How far one exported clip is from its preview.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipCheck {
    /// Name of the clip.
    pub name: String,
    /// Largest difference of a joint's local rotation, degrees.
    pub largest_deg: f32,
    /// Largest distance of a joint from where the preview has it, metres, in the world.
    pub largest_m: f32,
    /// The joint that turns most otherwise.
    pub joint: String,
    /// When it does.
    pub time_s: f64,
}

/// What playing an exported file shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExportCheck {
    /// Each clip that was to be in it and is.
    pub clips: Vec<ClipCheck>,
    /// Clips that are not in it.
    pub missing: Vec<String>,
    /// Joints that the preview moves and the file does not have.
    pub missing_joints: Vec<String>,
}

impl ExportCheck {
    /// Largest difference of all clips: degrees and metres.
    pub fn largest(&self) -> (f32, f32) {
        self.clips.iter().fold((0.0, 0.0), |(deg, m), clip| {
            (f32::max(deg, clip.largest_deg), f32::max(m, clip.largest_m))
        })
    }
}

/// An exported file that cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// It cannot be read back.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A clip cannot be played on the character.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// Cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Reads `written` back, plays each of `entries` from its keys alone and compares with the preview's settled pass: at the
/// keys and half-way between them.
///
/// `settings` and the name are those it was exported with. Joints are matched by path.
///
/// # Errors
/// [`CheckError`] where the file cannot be read, a clip does not fit, or the work was cancelled.
///
/// Cost: reading the file, and one settled pass for each clip.
pub fn check_export(
    (written, base_dir): (Vec<u8>, Option<&Path>),
    document: &Document,
    (character, evaluated): (u32, &Evaluated),
    entries: &[&ClipEntry],
    (settings, stem): (&ExportSettings, &str),
    work: &Work,
) -> Result<ExportCheck, CheckError> {
    let plan = plan(document, (character, evaluated), entries, (settings, stem), work)?;
    let loaded = read_bytes_as_is(written, stem, base_dir, work)?;
    let rigged = &evaluated.rigged;
    let (file, pairs) = loaded
        .characters
        .iter()
        .map(|c| (c, pairs(rigged, c)))
        .max_by_key(|(_, pairs)| pairs.len())
        .unwrap_or_else(|| (&rigged.character, Vec::new()));
    let mut check = ExportCheck {
        missing_joints: rigged
            .chains
            .iter()
            .filter(|c| c.is_driven)
            .flat_map(|c| c.joints.iter().copied())
            .filter(|joint| !pairs.iter().any(|(own, _)| own == joint))
            .map(|joint| rigged.character.skeleton.name(joint).to_owned())
            .collect(),
        ..ExportCheck::default()
    };
    for (n, clip) in plan.clips.iter().enumerate() {
        work.tick("check", n as u64, plan.clips.len() as u64)?;
        let name = &clip.clip.name;
        // Names may repeat in a file: what joined one of its clips stands where that one does.
        let at_its_place = clip.joins.and_then(|c| file.clips.get(c.0 as usize));
        let exported = at_its_place.filter(|c| c.name == *name).or_else(|| {
            let earlier = plan.clips.iter().take(n).filter(|c| c.clip.name == *name).count();
            let by_name = file.clips.iter().filter(|c| c.name == *name).nth(earlier);
            // In a file of its own a clip has the number that it has among all.
            let is_alone = plan.clips.len() == 1;
            let numbered = || file.clips.iter().rev().find(|c| is_numbered(&c.name, name));
            by_name.or_else(|| is_alone.then(numbered).flatten())
        });
        let Some(exported) = exported else {
            check.missing.push(name.clone());
            continue;
        };
        let preview = preview(rigged, clip, settings, work)?;
        let packed = PackedClip::new(exported, &Pose::loaded(&file.skeleton));
        check.clips.push(compare(&preview, (file, &packed), &pairs, (name, settings.rate_hz)));
    }
    Ok(check)
}

/// Whether `written` is `name` with a number behind it, as [`NameParts`](super::NameParts) gives it.
fn is_numbered(written: &str, name: &str) -> bool {
    let number = written.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// What the studio plays.
struct Preview {
    motion: BodyMotion,
    pass: SettledPass,
}

fn preview(
    rigged: &Arc<Rigged>,
    clip: &BakeClip,
    settings: &ExportSettings,
    work: &Work,
) -> Result<Preview, Stopped> {
    let body = crate::bake::placed_clip(rigged, clip, Some(settings.root));
    let motion = BodyMotion::new(Arc::clone(rigged), Some(&body), TracksOnChains::default());
    let pass = SettledPass::run(&motion, work)?;
    Ok(Preview { motion, pass })
}

/// The preview against the file's keys.
fn compare(
    preview: &Preview,
    (file, packed): (&Character, &PackedClip),
    pairs: &[(NodeIndex, NodeIndex)],
    (name, rate_hz): (&str, f64),
) -> ClipCheck {
    let character = &preview.motion.rigged().character;
    let mut found = ClipCheck {
        name: name.to_owned(),
        largest_deg: 0.0,
        largest_m: 0.0,
        joint: String::new(),
        time_s: 0.0,
    };
    let duration = preview.motion.clock().duration_secs().unwrap_or(0.0);
    let n = (duration * rate_hz * 2.0).round().clamp(1.0, 1e6) as u64;
    let mut room: Vec<Quat> = Vec::new();
    let (mut a, mut b) = (Pose::default(), Pose::default());
    let (mut world_a, mut world_b) = (WorldPose::default(), WorldPose::default());
    // The file's axes and unit may have been read otherwise where it holds no mesh: seen from the preview's.
    let root = character.root_matrix();
    for k in 0..=n {
        let secs = duration * k as f64 / n as f64;
        preview.pass.pose_at(&preview.motion, secs, &mut room, &mut a);
        packed.sample(secs, &mut b);
        a.to_world(&character.skeleton, &root, &mut world_a);
        b.to_world(&file.skeleton, &root, &mut world_b);
        for &(own, other) in pairs {
            let turned = rotation::angle_between(a.local(own).rotation, b.local(other).rotation);
            if turned.to_degrees() > found.largest_deg {
                found.largest_deg = turned.to_degrees();
                found.joint = character.skeleton.name(own).to_owned();
                found.time_s = secs;
            }
            let (p, q) = (world_a.matrix(own).translation, world_b.matrix(other).translation);
            found.largest_m = found.largest_m.max(p.distance(q));
        }
    }
    found
}

/// Joints of the preview and of the file that have the same path, in order where several have.
fn pairs(rigged: &Rigged, file: &Character) -> Vec<(NodeIndex, NodeIndex)> {
    let mut of_path: BTreeMap<String, Vec<NodeIndex>> = BTreeMap::new();
    for node in file.skeleton.indices().rev() {
        of_path.entry(JointRef::of(file, node).path).or_default().push(node);
    }
    let character = &rigged.character;
    character
        .skeleton
        .indices()
        .filter_map(|node| {
            let same = of_path.get_mut(&JointRef::of(character, node).path)?;
            Some((node, same.pop()?))
        })
        .collect()
}
