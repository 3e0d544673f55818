//! Why a chain does not move, when it does not: for the line under the sliders.

use std::fmt;

use super::body::BodyMotion;
use crate::math::rotation;
use crate::model::{Chain, Character, Clip, NodeIndex};

/// What keeps a chain still, the first thing to mend first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StillReason {
    /// It is left to the clips.
    SwitchedOff,
    /// The clip has tracks of its own on its joints, and they win.
    AuthoredTracks,
    /// All its links have no length.
    NoLength,
    /// No skin is weighted to its joints: it moves, but nothing shows it.
    NoSkin,
    /// Nothing plays, and idle sway is off.
    NoClip,
    /// The clip does not move what it hangs from.
    BodyStill,
    /// Its bend limit is next to nothing.
    BendLimit,
    /// Its frequency is so high that it follows the body like a stick.
    Stiff,
    /// Its damping is so high that it creeps.
    Overdamped,
    /// It lies on the floor along its whole length.
    OnFloor,
    /// The clip moves what it hangs from too little for its length.
    SmallMotion,
}

/// A reason with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stillness {
    /// Why.
    pub reason: StillReason,
    /// Name of the chain.
    pub chain: String,
    /// Name of the joint it hangs from.
    pub anchor: String,
    /// Name of what plays; empty where nothing does.
    pub clip: String,
}

impl fmt::Display for Stillness {
    /// One sentence, with what can be done.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chain, anchor, clip, .. } = self;
        match self.reason {
            StillReason::SwitchedOff => {
                write!(f, "{chain} is left to the clips: switch its springs on.")
            }
            StillReason::AuthoredTracks => write!(
                f,
                "{clip} animates {chain} itself, and its keys win over the springs in this clip."
            ),
            StillReason::NoLength => {
                write!(f, "All joints of {chain} stand in one place, so nothing can swing.")
            }
            StillReason::NoSkin => {
                write!(f, "{chain} swings, but no skin is weighted to its joints.")
            }
            StillReason::NoClip => {
                write!(f, "Nothing moves the body: play a clip, or try a test motion.")
            }
            StillReason::BodyStill => write!(
                f,
                "{clip} does not move {anchor}, which {chain} hangs from: try another clip or a test motion."
            ),
            StillReason::BendLimit => {
                write!(f, "The bend limit of {chain} is next to nothing: raise it.")
            }
            StillReason::Stiff => {
                write!(
                    f,
                    "The frequency of {chain} is so high that it follows like a stick: lower it."
                )
            }
            StillReason::Overdamped => {
                write!(f, "The damping of {chain} is so high that it only creeps: lower it.")
            }
            StillReason::OnFloor => {
                write!(
                    f,
                    "{chain} lies on the floor from end to end: raise its lift, or lower the floor."
                )
            }
            StillReason::SmallMotion => {
                write!(f, "{clip} moves {anchor} too little for {chain} to answer.")
            }
        }
    }
}

/// How a chain was seen to move, where it was watched.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Watched {
    /// Largest distance of two places of its tip in its anchor's frame, metres; see
    /// [`SettledPass::tip_travel_m`](super::SettledPass::tip_travel_m).
    pub tip_travel_m: f32,
    /// Whether every link's end lay on the floor; see [`Readout`](crate::motion::Readout).
    pub is_on_floor: bool,
}

/// A tip that travels less than this share of its chain's length does not move, for the eye.
const STILL_SHARE: f32 = 0.02;
/// An anchor that moves less than this share of the height, and turns less than half a degree, is still.
const STILL_HEIGHTS: f32 = 5e-4;
const STILL_RAD: f32 = 0.5 * std::f32::consts::PI / 180.0;

/// Why chain number `chain` of the character stands still in `motion` of `clip`; `None` where it moves, or where there
/// is no such chain. Without `watched` only what can be told beforehand is told.
///
/// Cost: O(substeps + influences).
pub fn why_still(
    motion: &BodyMotion,
    clip: Option<&Clip>,
    chain: usize,
    watched: Option<Watched>,
) -> Option<Stillness> {
    let rigged = motion.rigged();
    let subject = rigged.chains.get(chain)?;
    let reason = reason(motion, clip, subject, (chain, watched))?;
    let skeleton = &rigged.character.skeleton;
    let anchor = skeleton.nodes().get(subject.anchor.index());
    Some(Stillness {
        reason,
        chain: subject.name.clone(),
        anchor: anchor.map_or(String::new(), |n| n.name.clone()),
        clip: clip.map_or(String::new(), |c| c.name.clone()),
    })
}

fn reason(
    motion: &BodyMotion,
    clip: Option<&Clip>,
    chain: &Chain,
    (index, watched): (usize, Option<Watched>),
) -> Option<StillReason> {
    if !chain.is_driven {
        return Some(StillReason::SwitchedOff);
    }
    let Some(at) = motion.driven().iter().position(|d| d.chain == index) else {
        let is_animated = clip.is_some_and(|c| chain.joints.iter().any(|&j| c.animates(j)));
        return is_animated.then_some(StillReason::AuthoredTracks);
    };
    let topology = &motion.driven().get(at)?.topology;
    if topology.links.is_empty() {
        return Some(StillReason::NoLength);
    }
    if !carries_skin(&motion.rigged().character, &chain.joints) {
        return Some(StillReason::NoSkin);
    }
    let length_m = topology.length_m();
    if watched.is_some_and(|w| w.tip_travel_m >= STILL_SHARE * length_m) {
        return None;
    }
    let s = &chain.settings;
    if s.bend_limit_rad < 1.0_f32.to_radians() {
        return Some(StillReason::BendLimit);
    }
    let sways = s.sway_rad > 0.0;
    if !sways && motion.clock().duration_secs().is_none() {
        return Some(StillReason::NoClip);
    }
    if !sways && is_body_still(motion, at) {
        return Some(StillReason::BodyStill);
    }
    // From here on only what was seen tells: stiff tails may well swing.
    let watched = watched?;
    Some(if watched.is_on_floor {
        StillReason::OnFloor
    } else if s.frequency_hz.root.min(s.frequency_hz.tip) > 3.0 {
        StillReason::Stiff
    } else if s.damping_ratio.root.max(s.damping_ratio.tip) > 1.4 {
        StillReason::Overdamped
    } else {
        StillReason::SmallMotion
    })
}

/// Whether what carries a driven chain, or the chain it forks from, stays where it is all through the clip.
fn is_body_still(motion: &BodyMotion, mut at: usize) -> bool {
    while let Some(fork) = motion.driven().get(at).and_then(|d| d.fork) {
        at = fork.chain;
    }
    let Some(first) = motion.anchors_at(0).get(at) else { return true };
    let room = STILL_HEIGHTS * motion.rigged().body.height_m;
    (1..=motion.clock().n_steps()).filter_map(|n| motion.anchors_at(n).get(at)).all(|anchor| {
        anchor.head.distance(first.head) < room
            && rotation::angle_between(anchor.frame, first.frame) < STILL_RAD
    })
}

/// Whether any vertex is weighted to one of the joints, or any mesh hangs from one of them or below.
fn carries_skin(character: &Character, joints: &[NodeIndex]) -> bool {
    let skeleton = &character.skeleton;
    let is_below = |node: NodeIndex| {
        std::iter::once(node).chain(skeleton.ancestors(node)).any(|n| joints.contains(&n))
    };
    let hangs = character.instances.iter().any(|i| i.skin.is_none() && is_below(i.node));
    hangs
        || character.instances.iter().any(|instance| {
            let n_vertices = character.mesh_of(instance).map_or(0, |m| m.n_vertices());
            let mut carries = false;
            (0..n_vertices).any(|v| {
                character.for_each_influence(instance, v, |node, weight| {
                    carries |= weight > 0.0 && joints.contains(&node);
                });
                carries
            })
        })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{Quat, Vec3};

    use super::super::tests::{hips_clip, walk_at};
    use super::super::{SettledPass, TracksOnChains};
    use super::*;
    use crate::model::{
        Interpolation, MeshIndex, MeshInstance, Rigged, SpringSettings, Track, TrackValues,
    };
    use crate::motion::tests::TailSpec;
    use crate::work::Work;

    fn told(change: impl Fn(&mut Rigged, &mut Option<Clip>)) -> Option<StillReason> {
        let mut rigged = TailSpec::fox().rigged(SpringSettings::default());
        rigged.character.meshes = vec![crate::model::Mesh::default()];
        rigged.character.instances = vec![MeshInstance {
            mesh: MeshIndex(0),
            node: rigged.chains[0].joints[2],
            skin: None,
            is_visible: true,
        }];
        let mut clip = Some(hips_clip(&rigged, 1.0, true, walk_at));
        change(&mut rigged, &mut clip);
        let motion = BodyMotion::new(Arc::new(rigged), clip.as_ref(), TracksOnChains::Win);
        let pass = SettledPass::run(&motion, &Work::default()).unwrap();
        let is_driven = !motion.driven().is_empty();
        let watched =
            is_driven.then(|| Watched { tip_travel_m: pass.tip_travel_m(0), is_on_floor: false });
        let why = why_still(&motion, clip.as_ref(), 0, watched);
        if let Some(why) = &why {
            let sentence = why.to_string();
            assert!(sentence.ends_with('.') && sentence.len() > 30, "{sentence}");
        }
        why.map(|w| w.reason)
    }

    #[test]
    fn a_tail_that_swings_needs_no_excuse() {
        assert_eq!(told(|_, _| {}), None);
    }

    #[test]
    fn each_reason_is_found() {
        use StillReason as R;
        assert_eq!(told(|r, _| r.chains[0].is_driven = false), Some(R::SwitchedOff));
        assert_eq!(told(|r, _| r.character.instances.clear()), Some(R::NoSkin));
        assert_eq!(told(|_, clip| *clip = None), Some(R::NoClip));
        assert_eq!(told(|r, _| r.chains[0].settings.bend_limit_rad = 0.0), Some(R::BendLimit));
        let authored = |r: &mut Rigged, clip: &mut Option<Clip>| {
            clip.as_mut().unwrap().tracks.push(Track {
                node: r.chains[0].joints[1],
                times: vec![0.0],
                values: TrackValues::Rotation(vec![Quat::IDENTITY]),
                interpolation: Interpolation::Linear,
            });
        };
        assert_eq!(told(authored), Some(R::AuthoredTracks));
        let still = |r: &mut Rigged, clip: &mut Option<Clip>| {
            *clip = Some(hips_clip(r, 1.0, true, |_| (Quat::IDENTITY, Vec3::ZERO)));
        };
        assert_eq!(told(still), Some(R::BodyStill));
        let little = |r: &mut Rigged, clip: &mut Option<Clip>| {
            *clip = Some(hips_clip(r, 1.0, true, |s| {
                let (q, p) = walk_at(s);
                (Quat::IDENTITY.slerp(q, 0.05), p * 0.1)
            }));
        };
        assert_eq!(told(little), Some(R::SmallMotion));
        let stiff = |r: &mut Rigged, clip: &mut Option<Clip>| {
            little(r, clip);
            r.chains[0].settings.frequency_hz = crate::model::Curve::constant(8.0);
        };
        assert_eq!(told(stiff), Some(R::Stiff));
    }
}
