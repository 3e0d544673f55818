//! A clip of the catalogue on the document's character: its own as it is, any other retargeted.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::evaluate::Evaluated;
use super::mapping::source_roles;
use crate::clips::retarget::{RetargetError, RetargetOptions, RetargetRig, Retargeter};
use crate::clips::{EditedBody, PackedClip, edited};
use crate::detect::Detection;
use crate::library::{ClipEntry, ClipOrigin, ClipSource};
use crate::math::rotation;
use crate::measure::{PelvisLift, sample_times};
use crate::model::{
    BindPose, Character, Clip, HumanoidMap, Interpolation, Mesh, NodeIndex, Pose, RegionKind,
    RetargetPoses, Role, SurfaceVertex, Track, TrackValues, WorldPose,
};
use crate::recipes;
use crate::work::{Stopped, Work};

/// A clip that cannot be played on a character.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// The two skeletons do not fit.
    #[error("clip \"{clip}\" cannot be played on \"{character}\"")]
    Retarget {
        /// The clip.
        clip: String,
        /// The character.
        character: String,
        /// Why.
        #[source]
        source: RetargetError,
    },
    /// The catalogue names what is not there.
    #[error("clip \"{clip}\" is gone")]
    Gone {
        /// The clip.
        clip: String,
    },
    /// Cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Clips of the catalogue on one character: its rig is read once, and all bundled clips share a retargeter.
///
/// Skin of found appendages counts as no support: a tail must not lift the feet (spec 3.1). Rotations are measured from
/// the poses that the document's decisions name, and so are the roles of clip files.
#[derive(Debug)]
pub struct ClipsOn<'a> {
    character: &'a Character,
    detection: &'a Detection,
    poses: &'a RetargetPoses,
    target: RetargetRig,
    bundled: OnceLock<Result<Retargeter, RetargetError>>,
}

impl<'a> ClipsOn<'a> {
    /// For a character, whose own clips `Own` means. Cost: O(V).
    pub fn new(character: &'a Character, evaluated: &'a Evaluated) -> Self {
        Self::supported(character, evaluated, Support::Body)
    }

    /// The same with appendages counted as support, as a viewer does that does not know them: to show what they lift.
    fn counting_appendages(character: &'a Character, evaluated: &'a Evaluated) -> Self {
        Self::supported(character, evaluated, Support::Everything)
    }

    /// The same without skin to stand on: for who asks how both stand, not for clips. Cost: O(V), and little of it.
    pub fn without_skin(character: &'a Character, evaluated: &'a Evaluated) -> Self {
        Self::supported(character, evaluated, Support::Nothing)
    }

    fn supported(character: &'a Character, evaluated: &'a Evaluated, support: Support) -> Self {
        let (detection, poses) = (evaluated.detection.as_ref(), &evaluated.retarget);
        let target = own_rig(character, detection, support).posed(poses.own.clone());
        Self { character, detection, poses, target, bundled: OnceLock::new() }
    }

    /// Where `entry` comes from and the character, side by side: its retargeter, and its clip as it was made. `None` for
    /// the character's own clips, which nothing is done to.
    ///
    /// # Errors
    /// As [`ClipsOn::clip`].
    fn beside(&self, entry: &ClipEntry) -> Result<Option<(Retargeter, Arc<Clip>)>, ClipError> {
        let Some((source, clip)) = self.source(entry)? else { return Ok(None) };
        Ok(Some((self.onto(entry, source)?, clip)))
    }

    /// The rig that a clip was made for, and the clip; `None` for the character's own.
    ///
    /// # Errors
    /// [`ClipError::Gone`].
    pub fn source(&self, entry: &ClipEntry) -> Result<Option<(RetargetRig, Arc<Clip>)>, ClipError> {
        let gone = || ClipError::Gone { clip: entry.name.clone() };
        Ok(match &entry.source {
            ClipSource::Own(_) => None,
            ClipSource::Of(source, clip) => {
                let file = file_of(&entry.origin).unwrap_or_default();
                let rig = foreign_rig(source, &source_roles(self.poses, &file, source));
                Some((rig.posed(self.poses.of_source(&file)), clip.clone()))
            }
            ClipSource::Recipe(name) => {
                let canonical = recipes::skeleton();
                let rig = foreign_rig(&canonical.character, &canonical.humanoid);
                Some((rig, recipes::clip(name).ok_or_else(gone)?))
            }
        })
    }

    /// What takes clips of `source` to the character.
    ///
    /// # Errors
    /// As [`ClipsOn::clip`].
    pub fn onto(&self, entry: &ClipEntry, source: RetargetRig) -> Result<Retargeter, ClipError> {
        Retargeter::new(source, self.target.clone(), self.options())
            .map_err(|error| self.fault(entry, error))
    }

    fn options(&self) -> RetargetOptions {
        RetargetOptions { reach_hands: self.poses.reach_hands, ..RetargetOptions::default() }
    }

    fn fault(&self, entry: &ClipEntry, source: RetargetError) -> ClipError {
        let (clip, character) = (entry.name.clone(), self.character.name.clone());
        ClipError::Retarget { clip, character, source }
    }

    /// The clip of an entry on the character.
    ///
    /// # Errors
    /// [`ClipError::Retarget`] where one of the skeletons is no humanoid.
    ///
    /// Cost: O(keys × joints); nothing for the character's own clips.
    pub fn clip(&self, entry: &ClipEntry, work: &Work) -> Result<Arc<Clip>, ClipError> {
        let (character, detection) = (self.character, self.detection);
        let gone = || ClipError::Gone { clip: entry.name.clone() };
        if let ClipSource::Own(index) = &entry.source {
            let own = character.clips.get(index.0 as usize).ok_or_else(gone)?;
            return Ok(with_edit(looping(own, entry.looping), character, detection, entry));
        }
        let mut clip = self.retargeted(entry, work)?;
        clip.tracks.extend(held(character, detection, &clip));
        let clip = Arc::new(Clip { looping: entry.looping, ..clip });
        Ok(with_edit(clip, character, detection, entry))
    }

    /// The clip as the retargeter gives it.
    fn retargeted(&self, entry: &ClipEntry, work: &Work) -> Result<Clip, ClipError> {
        let gone = || ClipError::Gone { clip: entry.name.clone() };
        if let ClipSource::Recipe(name) = &entry.source {
            let clip = recipes::clip(name).ok_or_else(gone)?;
            return Ok(self.of_bundled(entry)?.clip(&clip, work)?);
        }
        let (source, clip) = self.source(entry)?.ok_or_else(gone)?;
        Ok(self.onto(entry, source)?.clip(&clip, work)?)
    }

    /// What takes bundled clips, of which `entry` is one, to the character.
    fn of_bundled(&self, entry: &ClipEntry) -> Result<&Retargeter, ClipError> {
        let made = self.bundled.get_or_init(|| {
            let canonical = recipes::skeleton();
            let source = foreign_rig(&canonical.character, &canonical.humanoid);
            Retargeter::new(source, self.target.clone(), self.options())
        });
        made.as_ref().map_err(|error| self.fault(entry, *error))
    }

    /// Whether the clip of an entry can be played on the character, without working it out.
    ///
    /// # Errors
    /// As [`ClipsOn::clip`].
    ///
    /// Cost: that of a look at the skeleton of a user's file; nothing for other clips.
    pub fn fits(&self, entry: &ClipEntry) -> Result<(), ClipError> {
        match &entry.source {
            ClipSource::Own(_) => Ok(()),
            ClipSource::Recipe(_) => self.of_bundled(entry).map(drop),
            ClipSource::Of(..) => self.beside(entry).map(drop),
        }
    }
}

/// Name of the user's file that a clip comes from, as retarget poses are kept by.
pub fn file_of(origin: &ClipOrigin) -> Option<String> {
    match origin {
        ClipOrigin::User(path) => Some(path.file_name()?.to_string_lossy().into_owned()),
        ClipOrigin::File | ClipOrigin::Bundled => None,
    }
}

/// The clip of `entry` on the nodes of `character`: one clip of [`ClipsOn`].
///
/// # Errors
/// As [`ClipsOn::clip`].
pub fn clip_on(
    character: &Character,
    evaluated: &Evaluated,
    entry: &ClipEntry,
    work: &Work,
) -> Result<Arc<Clip>, ClipError> {
    ClipsOn::new(character, evaluated).clip(entry, work)
}

/// How much higher the pelvis would stand in a clip if the appendages counted as body (spec 3.1), at `n_samples` times.
///
/// The character's own clips are played as they are: what is told is how far a program that keeps all skin above the
/// floor would lift them more than one that leaves the appendages out. None where nothing stands off the body, or where
/// it is no body that could be grounded.
///
/// # Errors
/// As [`ClipsOn::clip`].
pub fn pelvis_lift(
    character: &Character,
    evaluated: &Evaluated,
    entry: &ClipEntry,
    n_samples: usize,
    work: &Work,
) -> Result<Option<Vec<PelvisLift>>, ClipError> {
    let detection = &evaluated.detection;
    let stands_off = detection.regions.iter().any(|region| region.kind != RegionKind::Body);
    let (Some(hips), true) = (detection.humanoid.node(Role::Hips), stands_off) else {
        return Ok(None);
    };
    let times = sample_times(entry.duration_secs, entry.looping, n_samples);
    let heights = |clip: &Clip| -> Vec<f32> {
        let packed = PackedClip::new(clip, &detection.bind.pose);
        let (mut pose, mut world) = (Pose::default(), WorldPose::default());
        let height = |&time: &f64| {
            packed.sample(time, &mut pose);
            pose.to_world(&character.skeleton, &character.root_matrix(), &mut world);
            world.matrix(hips).translation.y
        };
        times.iter().map(height).collect()
    };
    let clips = ClipsOn::new(character, evaluated);
    let counting = ClipsOn::counting_appendages(character, evaluated);
    let clip = clips.clip(entry, work)?;
    let excluded = heights(&clip);
    let (counted, lift) = match clips.beside(entry)? {
        Some((made, source)) => {
            let lift = made.lift(&source, work)?;
            let at = |&time: &f64| lift_at(&lift, entry.edit.from_secs + time * entry.edit.speed);
            let counted = counting.clip(entry, work)?;
            (heights(&counted), times.iter().map(at).collect::<Vec<f32>>())
        }
        None => {
            let how = RetargetOptions::default();
            let made = Retargeter::new(clips.target.clone(), counting.target.clone(), how);
            let Ok(made) = made else { return Ok(None) };
            let false_lift = made.lift(&clip, work)?;
            let raised = times.iter().zip(&excluded).map(|(&t, y)| y + lift_at(&false_lift, t));
            (raised.collect(), vec![0.0; times.len()])
        }
    };
    let floor = detection.body.floor_m;
    let rows = times.iter().zip(lift).zip(counted.into_iter().zip(excluded));
    let lifts = rows.map(|((&time_s, lift_m), (counted, excluded))| PelvisLift {
        time_s,
        tail_counted_m: counted - floor,
        tail_excluded_m: excluded - floor,
        extra_m: counted - excluded,
        lift_m,
    });
    Ok(Some(lifts.collect()))
}

/// The lift at `time`, from those at a clip's keys.
fn lift_at(lift: &[(f64, f32)], time: f64) -> f32 {
    let after = lift.partition_point(|(t, _)| *t <= time);
    let key = |i: usize| lift.get(i).copied();
    match (after.checked_sub(1).and_then(key), key(after)) {
        (Some((t, a)), Some((u, b))) if u > t => a + (b - a) * ((time - t) / (u - t)) as f32,
        (Some((_, value)), _) | (None, Some((_, value))) => value,
        (None, None) => 0.0,
    }
}

/// The clip with the entry's edit applied to it.
fn with_edit(
    clip: Arc<Clip>,
    character: &Character,
    detection: &Detection,
    entry: &ClipEntry,
) -> Arc<Clip> {
    if entry.edit.is_none() {
        return clip;
    }
    let body = EditedBody {
        skeleton: &character.skeleton,
        neutral: &detection.bind.pose,
        humanoid: &detection.humanoid,
        // As roles say: the plane between left and right is theirs, wherever the body is said to face.
        canonical_from_file: detection.frame.world_from_body.conjugate()
            * character.world_from_file.rotation,
    };
    Arc::new(edited(&clip, &body, &entry.edit))
}

/// Tracks of one key for what a retargeted clip does not move but the file was saved with out of its bind pose: the
/// clip was made for the bind pose, and any program that plays it plays it over the file's own.
///
/// Joints of chains that the file has are left out: they are the springs' or the file's own.
fn held(character: &Character, detection: &Detection, clip: &Clip) -> Vec<Track> {
    let skeleton = &character.skeleton;
    let chains: BTreeSet<NodeIndex> =
        detection.existing.iter().flat_map(|chain| chain.joints.iter().copied()).collect();
    let is_of_chain = |node: NodeIndex| {
        std::iter::once(node).chain(skeleton.ancestors(node)).any(|n| chains.contains(&n))
    };
    let mut tracks = Vec::new();
    for node in skeleton.indices().filter(|&n| !is_of_chain(n) && !clip.animates(n)) {
        let (now, wanted) = (skeleton.node(node).local, detection.bind.pose.local(node));
        let mut hold = |values| {
            tracks.push(Track {
                node,
                times: vec![0.0],
                values,
                interpolation: Interpolation::Linear,
            });
        };
        if rotation::angle_between(now.rotation, wanted.rotation) > 1e-4 {
            hold(TrackValues::Rotation(vec![wanted.rotation]));
        }
        let size = wanted.translation.length().max(1e-6);
        if now.translation.distance(wanted.translation) > 1e-4 * size {
            hold(TrackValues::Translation(vec![wanted.translation]));
        }
        if now.scale.distance(wanted.scale) > 1e-4 * wanted.scale.length() {
            hold(TrackValues::Scale(vec![wanted.scale]));
        }
    }
    tracks
}

/// The clip with the catalogue's word on whether it loops.
fn looping(clip: &Arc<Clip>, looping: bool) -> Arc<Clip> {
    if clip.looping == looping {
        return clip.clone();
    }
    Arc::new(Clip { looping, ..Clip::clone(clip) })
}

/// The rig a library clip was made for.
fn foreign_rig(character: &Character, humanoid: &HumanoidMap) -> RetargetRig {
    let bind = BindPose::of(character, humanoid.node(Role::Hips));
    RetargetRig::of(character, &bind, humanoid, None, |_| true)
}

/// What the body may stand on.
#[derive(Clone, Copy, PartialEq)]
enum Support {
    /// Skin that belongs to no appendage.
    Body,
    /// All skin.
    Everything,
    /// No skin.
    Nothing,
}

/// The rig of a character as clips are taken to it: skin of appendages carries nobody, neither that of found regions
/// nor that of chains the file brings along (spec 3.1). Cost: O(V).
pub fn body_rig(character: &Character, detection: &Detection) -> RetargetRig {
    own_rig(character, detection, Support::Body)
}

fn own_rig(character: &Character, detection: &Detection, support: Support) -> RetargetRig {
    let left_out = match support {
        Support::Body => appendage_skin(character, detection),
        Support::Everything | Support::Nothing => BTreeSet::new(),
    };
    RetargetRig::of(character, &detection.bind, &detection.humanoid, Some(&detection.body), |v| {
        support != Support::Nothing && !left_out.contains(&v)
    })
}

/// Skin of regions that stand off the body, and skin that joints of existing chains move most.
fn appendage_skin(character: &Character, detection: &Detection) -> BTreeSet<SurfaceVertex> {
    let mut skin: BTreeSet<SurfaceVertex> = detection
        .regions
        .iter()
        .filter(|region| region.kind != RegionKind::Body)
        .flat_map(|region| region.vertices.iter().copied())
        .collect();
    let chains: BTreeSet<NodeIndex> =
        detection.existing.iter().flat_map(|chain| chain.joints.iter().copied()).collect();
    if chains.is_empty() {
        return skin;
    }
    let offsets = character.surface_offsets();
    for ((_, instance), &first) in character.instances().zip(&offsets) {
        let n_vertices = character.mesh_of(instance).map_or(0, Mesh::n_vertices);
        for vertex in 0..n_vertices {
            let mut most = (NodeIndex::default(), 0.0);
            character.for_each_influence(instance, vertex, |node, weight| {
                if weight > most.1 {
                    most = (node, weight);
                }
            });
            if most.1 > 0.0 && chains.contains(&most.0) {
                skin.insert(SurfaceVertex::from_index(first as usize + vertex));
            }
        }
    }
    skin
}
