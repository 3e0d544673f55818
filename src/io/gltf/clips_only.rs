//! A file of skeletons and clips alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::author;
use super::write::{CharacterEdits, Contents, WriteEdits, WrittenFile};
use crate::io::WriteError;
use crate::model::{BakedClip, Character, Clip, Node, NodeIndex, Track};

/// A fresh file of the characters' skeletons and their baked clips; of all their clips where none was baked.
///
/// Nodes and clips that several characters share in their file are one in this one, too.
pub(super) fn write(edits: &WriteEdits<'_>) -> Result<WrittenFile, WriteError> {
    let Some(first) = edits.characters.first() else {
        return Ok(WrittenFile { parts: Vec::new(), siblings: Vec::new() });
    };
    let mut bare = Character { name: first.rigged.character.name.clone(), ..Character::default() };
    let mut places = BTreeMap::new();
    for character in &edits.characters {
        append(&mut bare, character, &mut places);
    }
    let file = author::author(&bare, "Tailbone", None);
    file.write(&WriteEdits {
        contents: Contents::All,
        characters: Vec::new(),
        as_vrm: false,
        ..edits.clone()
    })
}

/// Adds one character. `places` knows where the file's nodes have come to stand.
fn append(bare: &mut Character, edits: &CharacterEdits<'_>, places: &mut BTreeMap<u32, NodeIndex>) {
    let character = &edits.rigged.character;
    let mut own: Vec<NodeIndex> = Vec::with_capacity(character.skeleton.len());
    for node in character.skeleton.nodes() {
        let known = node.source.and_then(|s| places.get(&s).copied());
        let place = known.unwrap_or_else(|| {
            let parent = node.parent.and_then(|p| own.get(p.index()).copied());
            let fresh = Node { parent, source: None, ..node.clone() };
            // Its parent stands before it, so it is never refused.
            bare.skeleton.push(fresh).unwrap_or_default()
        });
        if let Some(source) = node.source {
            places.insert(source, place);
        }
        own.push(place);
    }
    let clips: Vec<Clip> = match edits.baked {
        [] => character.clips.iter().map(|c| Clip::clone(c)).collect(),
        baked => baked.iter().map(|b| whole(character, b)).collect(),
    };
    for mut clip in clips {
        for track in &mut clip.tracks {
            track.node = own.get(track.node.index()).copied().unwrap_or_default();
        }
        let same = |c: &&mut Arc<Clip>| clip.source.is_some() && c.source == clip.source;
        match bare.clips.iter_mut().find(same) {
            Some(shared) => {
                let shared = Arc::make_mut(shared);
                let known: BTreeSet<_> = shared.tracks.iter().map(key).collect();
                shared.tracks.extend(clip.tracks.into_iter().filter(|t| !known.contains(&key(t))));
                shared.duration_secs = shared.duration_secs.max(clip.duration_secs);
            }
            None => bare.clips.push(clip.into()),
        }
    }
}

/// What a track animates.
fn key(track: &Track) -> (NodeIndex, &'static str) {
    (track.node, author::path(track))
}

/// A baked clip with the tracks of the clip it joins.
fn whole(character: &Character, baked: &BakedClip) -> Clip {
    let joined = baked.joins.and_then(|c| character.clips.get(c.0 as usize));
    let mut clip = baked.clip.clone();
    let Some(joined) = joined else { return clip };
    let added: BTreeSet<_> = clip.tracks.iter().map(key).collect();
    let kept = joined.tracks.iter().filter(|t| !added.contains(&key(t))).cloned();
    let mut tracks: Vec<Track> = kept.collect();
    tracks.append(&mut clip.tracks);
    Clip {
        tracks,
        duration_secs: clip.duration_secs.max(joined.duration_secs),
        source: joined.source,
        ..clip
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::math::Transform;
    use crate::model::{ClipIndex, Interpolation, Rigged, Skeleton, TrackValues};
    use crate::work::Work;

    fn turn(node: u32) -> Track {
        Track {
            node: NodeIndex(node),
            times: vec![0.0, 1.0],
            values: TrackValues::Rotation(vec![Quat::IDENTITY, Quat::from_rotation_x(0.5)]),
            interpolation: Interpolation::Linear,
        }
    }

    /// A character of the file's nodes `sources` below each other, with one clip of the file that turns the last.
    fn rigged(sources: &[u32]) -> Rigged {
        let node = |(i, &source): (usize, &u32)| Node {
            name: format!("node {source}"),
            parent: i.checked_sub(1).map(|p| NodeIndex(p as u32)),
            local: Transform::IDENTITY,
            source: Some(source),
        };
        let clip = Clip {
            name: "Dance".into(),
            duration_secs: 1.0,
            tracks: vec![turn(sources.len() as u32 - 1)],
            source: Some(4),
            ..Clip::default()
        };
        let nodes = sources.iter().enumerate().map(node).collect();
        let character = Character {
            skeleton: Skeleton::new(nodes).unwrap(),
            clips: vec![clip.into()],
            ..Character::default()
        };
        Rigged { character, ..Rigged::default() }
    }

    #[test]
    fn all_characters_and_what_they_share_are_written_once() {
        let (first, second) = (rigged(&[0, 1, 2]), rigged(&[0, 7, 8]));
        let tail = Clip { name: "Dance".into(), tracks: vec![turn(1)], ..Clip::default() };
        let baked = [BakedClip { clip: tail, joins: Some(ClipIndex(0)), origin: "file".into() }];
        let edits = WriteEdits {
            characters: vec![
                CharacterEdits { rigged: &first, baked: &baked },
                CharacterEdits { rigged: &second, baked: &[] },
            ],
            contents: Contents::ClipsOnly,
            ..WriteEdits::default()
        };
        let bytes = write(&edits).unwrap().to_bytes();
        let loaded = crate::io::read_bytes(bytes, "clips", None, &Work::default()).unwrap();
        let found = &loaded.characters[0];
        let names: Vec<_> = found.skeleton.nodes().iter().map(|n| n.name.as_str()).collect();
        assert_eq!(names, ["node 0", "node 1", "node 2", "node 7", "node 8"]);
        assert_eq!(found.clips.len(), 1, "one clip of the file");
        let moved: Vec<_> = found.clips[0].tracks.iter().map(|t| t.node.0).collect();
        assert_eq!(moved, [2, 1, 4], "the body's, what was baked, the other character's");
        assert!(found.meshes.is_empty() && found.skins.is_empty());
    }
}
