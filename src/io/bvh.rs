//! BVH: a skeleton of offsets and one clip of Euler angles, as motion capture writes it.
//!
//! Based on: Biovision Hierarchy as described by Meredith & Maddock, Motion Capture File Formats Explained, 2001.

use std::path::Path;
use std::sync::Arc;

use glam::{Quat, Vec3};

use super::axes;
use super::error::ReadError;
use crate::math::{Similarity, Transform};
use crate::model::{Character, Clip, Interpolation, Node, NodeIndex, Skeleton, Track, TrackValues};
use crate::work::Work;

/// Deepest hierarchy and most nodes that are read: more is no body.
const MOST_NODES: usize = 4096;
/// Most frames: five hours at 60 a second.
const MOST_FRAMES: usize = 1_080_000;

/// One degree of freedom of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Channel {
    Position(usize),
    Rotation(usize),
}

/// A joint as the hierarchy states it.
#[derive(Debug)]
struct Joint {
    name: String,
    parent: Option<usize>,
    offset: Vec3,
    channels: Vec<Channel>,
}

/// Reads a BVH file: a character without skin whose only clip is named after the file.
///
/// # Errors
/// [`ReadError`] where the file cannot be read or is not BVH.
pub fn read(path: &Path, work: &Work) -> Result<Character, ReadError> {
    let text = super::read_text(path)?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    parse(&text, &stem, &path.display().to_string(), work)
}

/// Reads the text of a BVH file. `clip` names its clip, `name` is what messages call the file.
///
/// # Errors
/// [`ReadError::Bvh`] with the place and what is wrong there.
pub fn parse(text: &str, clip: &str, name: &str, work: &Work) -> Result<Character, ReadError> {
    // Some programs begin a text with a mark of its encoding.
    let text = text.trim_start_matches('\u{feff}');
    let mut words = Words { words: text.split_whitespace(), name };
    words.expect("HIERARCHY")?;
    let joints = hierarchy(&mut words)?;
    words.expect("MOTION")?;
    words.expect_with_colon("Frames")?;
    let n_frames = words.number()? as usize;
    words.expect("Frame")?;
    words.expect_with_colon("Time")?;
    let step = f64::from(words.number()?);
    if n_frames == 0 || n_frames > MOST_FRAMES || !(step > 0.0 && step < 10.0) {
        return Err(fault(name, "its number of frames or their time is out of bounds"));
    }
    let n_channels: usize = joints.iter().map(|j| j.channels.len()).sum();
    let mut values = Vec::new();
    for frame in 0..n_frames {
        if frame % 1024 == 0 {
            work.tick("read", frame as u64, n_frames as u64)?;
        }
        for _ in 0..n_channels {
            values.push(words.number()?);
        }
    }
    let nodes = joints.iter().map(|joint| Node {
        name: joint.name.clone(),
        parent: joint.parent.map(NodeIndex::from_index),
        local: Transform::from_translation(joint.offset),
        source: None,
    });
    let skeleton =
        Skeleton::new(nodes.collect()).map_err(|_| fault(name, "its hierarchy is broken"))?;
    let clip = motion(&joints, &values, n_frames, step, clip);
    Ok(Character {
        name: clip.name.clone(),
        world_from_file: Similarity {
            scale: axes::metres_per_unit(height(&joints)),
            ..Similarity::default()
        },
        skeleton,
        clips: vec![Arc::new(clip)],
        ..Character::default()
    })
}

fn fault(name: &str, what: &'static str) -> ReadError {
    ReadError::Bvh { name: name.to_owned(), what }
}

struct Words<'a> {
    words: std::str::SplitWhitespace<'a>,
    name: &'a str,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<&'a str, ReadError> {
        self.words.next().ok_or_else(|| fault(self.name, "it ends before it should"))
    }

    fn expect(&mut self, word: &str) -> Result<(), ReadError> {
        if self.next()?.eq_ignore_ascii_case(word) {
            return Ok(());
        }
        self.misplaced()
    }

    /// A word and its colon, which some programs put a space before.
    fn expect_with_colon(&mut self, word: &str) -> Result<(), ReadError> {
        let next = self.next()?;
        match next.strip_suffix(':') {
            Some(bare) if bare.eq_ignore_ascii_case(word) => Ok(()),
            None if next.eq_ignore_ascii_case(word) => self.expect(":"),
            _ => self.misplaced(),
        }
    }

    fn misplaced(&self) -> Result<(), ReadError> {
        Err(fault(self.name, "HIERARCHY, MOTION, Frames: or Frame Time: is not where it should be"))
    }

    fn number(&mut self) -> Result<f32, ReadError> {
        let number = self.next()?.parse::<f32>().ok().filter(|v| v.is_finite());
        number.ok_or_else(|| fault(self.name, "a number is missing or is none"))
    }
}

fn hierarchy(words: &mut Words<'_>) -> Result<Vec<Joint>, ReadError> {
    let mut joints: Vec<Joint> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        if joints.len() > MOST_NODES {
            return Err(fault(words.name, "it has more joints than any body"));
        }
        match words.next()?.to_ascii_uppercase().as_str() {
            "ROOT" | "JOINT" => {
                let name = words.next()?.to_owned();
                joints.push(Joint {
                    name,
                    parent: open.last().copied(),
                    offset: Vec3::ZERO,
                    channels: Vec::new(),
                });
            }
            "END" => {
                words.expect("Site")?;
                let of = open.last().and_then(|&i| joints.get(i)).map(|j| j.name.clone());
                joints.push(Joint {
                    name: format!("{}_end", of.unwrap_or_default()),
                    parent: open.last().copied(),
                    offset: Vec3::ZERO,
                    channels: Vec::new(),
                });
            }
            "{" if joints.len() > open.last().map_or(0, |&i| i + 1) => open.push(joints.len() - 1),
            "}" => {
                open.pop().ok_or_else(|| fault(words.name, "its braces do not match"))?;
                if open.is_empty() {
                    return Ok(joints);
                }
            }
            "OFFSET" => {
                let offset = Vec3::new(words.number()?, words.number()?, words.number()?);
                let at = open.last().and_then(|&i| joints.get_mut(i));
                at.ok_or_else(|| fault(words.name, "an offset belongs to no joint"))?.offset =
                    offset;
            }
            "CHANNELS" => {
                let n = words.number()? as usize;
                let channels = (0..n.min(6)).map(|_| channel(words)).collect::<Result<_, _>>()?;
                let at = open.last().and_then(|&i| joints.get_mut(i));
                at.ok_or_else(|| fault(words.name, "channels belong to no joint"))?.channels =
                    channels;
            }
            _ => return Err(fault(words.name, "its hierarchy has a word that is not BVH's")),
        }
    }
}

fn channel(words: &mut Words<'_>) -> Result<Channel, ReadError> {
    let word = words.next()?.to_ascii_lowercase();
    let axis = match word.chars().next() {
        Some('x') => 0,
        Some('y') => 1,
        Some('z') => 2,
        _ => return Err(fault(words.name, "a channel is none of BVH's six")),
    };
    if word.ends_with("position") {
        return Ok(Channel::Position(axis));
    }
    if word.ends_with("rotation") {
        return Ok(Channel::Rotation(axis));
    }
    Err(fault(words.name, "a channel is none of BVH's six"))
}

/// Height of the rest pose in the file's unit.
fn height(joints: &[Joint]) -> f32 {
    let mut heights: Vec<f32> = Vec::new();
    for joint in joints {
        let below = joint.parent.and_then(|p| heights.get(p)).copied();
        heights.push(below.map_or(0.0, |y| y + joint.offset.y));
    }
    let top = heights.iter().copied().fold(f32::MIN, f32::max);
    top - heights.iter().copied().fold(f32::MAX, f32::min)
}

fn motion(joints: &[Joint], values: &[f32], n_frames: usize, step: f64, name: &str) -> Clip {
    let times: Vec<f32> = (0..n_frames).map(|k| (k as f64 * step) as f32).collect();
    let n_channels: usize = joints.iter().map(|j| j.channels.len()).sum();
    let mut tracks = Vec::new();
    let mut first = 0;
    for (index, joint) in joints.iter().enumerate() {
        let node = NodeIndex::from_index(index);
        let at = |frame: usize| {
            let from = frame * n_channels + first;
            let own = values.get(from..from + joint.channels.len()).unwrap_or_default();
            joint.channels.iter().copied().zip(own.iter().copied())
        };
        let moves = |c: &Channel| matches!(c, Channel::Position(_));
        let linear = |values| Track {
            node,
            times: times.clone(),
            values,
            interpolation: Interpolation::Linear,
        };
        if joint.channels.iter().any(moves) {
            let places = (0..n_frames).map(|frame| {
                at(frame).fold(joint.offset, |mut place, (channel, value)| {
                    if let Channel::Position(axis) = channel {
                        place = with(place, axis, value);
                    }
                    place
                })
            });
            tracks.push(linear(TrackValues::Translation(places.collect())));
        }
        if joint.channels.iter().any(|c| !moves(c)) {
            let mut before = Quat::IDENTITY;
            let turns = (0..n_frames).map(|frame| {
                let turn = at(frame).fold(Quat::IDENTITY, |turn, (channel, value)| match channel {
                    Channel::Rotation(axis) => {
                        turn * Quat::from_axis_angle(
                            with(Vec3::ZERO, axis, 1.0),
                            value.to_radians(),
                        )
                    }
                    Channel::Position(_) => turn,
                });
                // Neighbours on one side, so that any player takes the short way.
                before = if before.dot(turn) < 0.0 { -turn } else { turn };
                before
            });
            tracks.push(linear(TrackValues::Rotation(turns.collect())));
        }
        first += joint.channels.len();
    }
    Clip {
        name: name.to_owned(),
        duration_secs: f64::from(times.last().copied().unwrap_or_default()).min(Clip::LONGEST_SECS),
        looping: false,
        tracks,
        source: None,
    }
}

fn with(v: Vec3, axis: usize, value: f32) -> Vec3 {
    match axis {
        0 => Vec3::new(value, v.y, v.z),
        1 => Vec3::new(v.x, value, v.z),
        _ => Vec3::new(v.x, v.y, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "HIERARCHY ROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
        Yrotation JOINT Spine { OFFSET 0 60 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 110 0 } } } \
        MOTION Frames: 2 Frame Time: 0.5 0 90 0 0 0 0 0 0 0 1 91 2 90 0 0 0 90 0";

    #[test]
    fn a_hierarchy_and_its_motion_are_read() {
        let character = parse(TEXT, "clip", "x.bvh", &Work::default()).unwrap();
        assert_eq!(character.skeleton.len(), 3);
        assert_eq!(character.world_from_file.scale, 0.01);
        let clip = &character.clips[0];
        assert_eq!((clip.duration_secs, clip.tracks.len()), (0.5, 3));
        assert_eq!(
            clip.tracks[0].values,
            TrackValues::Translation(vec![Vec3::new(0.0, 90.0, 0.0), Vec3::new(1.0, 91.0, 2.0)])
        );
        let TrackValues::Rotation(turns) = &clip.tracks[1].values else { panic!() };
        assert!((turns[1] * Vec3::X - Vec3::Y).length() < 1e-6);
    }

    #[test]
    fn keywords_may_have_any_case_and_a_space_before_their_colon() {
        let same = |text: &str| {
            let read = parse(text, "clip", "x.bvh", &Work::default()).unwrap();
            let plain = parse(TEXT, "clip", "x.bvh", &Work::default()).unwrap();
            assert_eq!(read.skeleton.len(), plain.skeleton.len(), "{text}");
            assert_eq!(read.clips, plain.clips, "{text}");
        };
        same(&TEXT.to_lowercase());
        same(&TEXT.to_uppercase());
        same(&format!("\u{feff}{}", TEXT.replace(':', " :")));
        let text = TEXT.replace("Frames:", "Frames");
        assert!(parse(&text, "clip", "x.bvh", &Work::default()).is_err());
    }

    #[test]
    fn what_is_no_bvh_is_refused_and_never_panics() {
        for n in 0..TEXT.len() {
            let cut = parse(&TEXT[..n], "clip", "x.bvh", &Work::default());
            assert!(cut.is_err() || n + 3 > TEXT.len(), "cut at {n}");
        }
        for bad in ["", "HIERARCHY }", "HIERARCHY ROOT a OFFSET", "MOTION", "HIERARCHY { { {"] {
            assert!(parse(bad, "clip", "x.bvh", &Work::default()).is_err(), "{bad}");
        }
        let text = TEXT.replace("90 0 0 0 90", "nan 0 0 0 90");
        assert!(parse(&text, "clip", "x.bvh", &Work::default()).is_err());
    }
}
