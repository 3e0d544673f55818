//! A clip of the catalogue on the document's character: its own as it is, any other retargeted.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::clips::retarget::{RetargetError, RetargetOptions, RetargetRig, Retargeter};
use crate::clips::{EditedBody, PackedClip, edited};
use crate::detect::{Detection, roles};
use crate::library::{ClipEntry, ClipSource};
use crate::math::rotation;
use crate::measure::{PelvisLift, sample_times};
use crate::model::{
    BindPose, Character, Clip, HumanoidMap, Interpolation, Mesh, NodeIndex, Pose, RegionKind, Role,
    SurfaceVertex, Track, TrackValues, WorldPose,
};
use crate::recipes;
use crate::work::{Stopped, Work};

/// A clip that cannot be played on a character.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// The two skeletons do not fit.
    #[error("clip \"{clip}\" cannot be played on \"{character}\": {source}")]
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
/// Skin of found appendages counts as no support: a tail must not lift the feet (spec 3.1).
#[derive(Debug)]
pub struct ClipsOn<'a> {
    character: &'a Character,
    detection: &'a Detection,
    target: RetargetRig,
    bundled: OnceLock<Result<Retargeter, RetargetError>>,
}

impl<'a> ClipsOn<'a> {
    /// For a character, whose own clips `Own` means. Cost: O(V).
    pub fn new(character: &'a Character, detection: &'a Detection) -> Self {
        let target = own_rig(character, detection, Support::Body);
        Self { character, detection, target, bundled: OnceLock::new() }
    }

    /// The same with appendages counted as support, as a viewer does that does not know them: to show what they lift.
    fn counting_appendages(character: &'a Character, detection: &'a Detection) -> Self {
        let target = own_rig(character, detection, Support::Everything);
        Self { character, detection, target, bundled: OnceLock::new() }
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
        let fault = |source| ClipError::Retarget {
            clip: entry.name.clone(),
            character: self.character.name.clone(),
            source,
        };
        let onto = |source: RetargetRig| {
            Retargeter::new(source, self.target.clone(), RetargetOptions::default())
        };
        let gone = || ClipError::Gone { clip: entry.name.clone() };
        Ok(match &entry.source {
            ClipSource::Own(_) => return Err(gone()),
            ClipSource::Of(source, clip) => {
                let rig = foreign_rig(source, &roles::humanoid(source));
                onto(rig).map_err(fault)?.clip(clip, work)?
            }
            ClipSource::Recipe(name) => {
                let clip = recipes::clip(name).ok_or_else(gone)?;
                let canonical = recipes::skeleton();
                let made = self
                    .bundled
                    .get_or_init(|| onto(foreign_rig(&canonical.character, &canonical.humanoid)));
                made.as_ref().map_err(|error| fault(*error))?.clip(&clip, work)?
            }
        })
    }
}

/// The clip of `entry` on the nodes of `character`: one clip of [`ClipsOn`].
///
/// # Errors
/// As [`ClipsOn::clip`].
pub fn clip_on(
    character: &Character,
    detection: &Detection,
    entry: &ClipEntry,
    work: &Work,
) -> Result<Arc<Clip>, ClipError> {
    ClipsOn::new(character, detection).clip(entry, work)
}

/// How much higher the pelvis would stand in a clip if the appendages counted as body (spec 3.1), at `n_samples` times.
///
/// None where nothing stands off the body, or the clip is the character's own: nobody grounds that.
///
/// # Errors
/// As [`ClipsOn::clip`].
pub fn pelvis_lift(
    character: &Character,
    detection: &Detection,
    entry: &ClipEntry,
    n_samples: usize,
    work: &Work,
) -> Result<Option<Vec<PelvisLift>>, ClipError> {
    let stands_off = detection.regions.iter().any(|region| region.kind != RegionKind::Body);
    let hips = detection.humanoid.node(Role::Hips);
    let (Some(hips), true) = (hips, stands_off && !matches!(entry.source, ClipSource::Own(_)))
    else {
        return Ok(None);
    };
    let times = sample_times(entry.duration_secs, entry.looping, n_samples);
    let heights = |clips: &ClipsOn<'_>| -> Result<Vec<f32>, ClipError> {
        let packed = PackedClip::new(&*clips.clip(entry, work)?, &detection.bind.pose);
        let (mut pose, mut world) = (Pose::default(), WorldPose::default());
        let height = |&time: &f64| {
            packed.sample(time, &mut pose);
            pose.to_world(&character.skeleton, &character.root_matrix(), &mut world);
            world.matrix(hips).translation.y
        };
        Ok(times.iter().map(height).collect())
    };
    let excluded = heights(&ClipsOn::new(character, detection))?;
    let counted = heights(&ClipsOn::counting_appendages(character, detection))?;
    let floor = detection.body.floor_m;
    let lifts = times.iter().zip(counted.into_iter().zip(excluded)).map(
        |(&time_s, (counted, excluded))| PelvisLift {
            time_s,
            tail_counted_m: counted - floor,
            tail_excluded_m: excluded - floor,
            extra_m: counted - excluded,
        },
    );
    Ok(Some(lifts.collect()))
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
        canonical_from_file: character.world_from_file.rotation,
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
}

/// The rig of a character as clips are taken to it: skin of appendages carries nobody, neither that of found regions
/// nor that of chains the file brings along (spec 3.1). Cost: O(V).
pub fn body_rig(character: &Character, detection: &Detection) -> RetargetRig {
    own_rig(character, detection, Support::Body)
}

fn own_rig(character: &Character, detection: &Detection, support: Support) -> RetargetRig {
    let left_out = match support {
        Support::Body => appendage_skin(character, detection),
        Support::Everything => BTreeSet::new(),
    };
    RetargetRig::of(character, &detection.bind, &detection.humanoid, Some(&detection.body), |v| {
        !left_out.contains(&v)
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
