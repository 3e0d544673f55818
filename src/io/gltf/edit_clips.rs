//! Baked clips into the file: joining one of its animations, or as new ones.

use super::author;
use super::json as look;
use super::write::{CharacterEdits, Patch};
use crate::io::WriteError;
use crate::model::BakedClip;

/// Adds the baked clips of edited character `at`.
pub(super) fn write(
    patch: &mut Patch<'_>,
    at: usize,
    edits: &CharacterEdits<'_>,
) -> Result<(), WriteError> {
    for baked in edits.baked.iter().filter(|b| !b.clip.tracks.is_empty()) {
        let joined = baked.joins.and_then(|c| edits.rigged.character.clips.get(c.0 as usize));
        match (baked.joins, joined.and_then(|c| c.source)) {
            (None, _) => {
                let places = patch.places(at);
                let index =
                    |n: crate::model::NodeIndex| places.get(n.index()).copied().unwrap_or(0);
                let value = author::animation(&baked.clip, &mut patch.block, index);
                patch.editor.push("/animations", value);
            }
            (Some(_), Some(source)) => join(patch, at, source as usize, baked)?,
            (Some(_), None) => {
                return Err(patch.foreign(format!("the clip that {:?} joins", baked.clip.name)));
            }
        }
    }
    Ok(())
}

/// Adds tracks to an animation of the file. A channel of the same target gets the new keys.
fn join(
    patch: &mut Patch<'_>,
    at: usize,
    source: usize,
    baked: &BakedClip,
) -> Result<(), WriteError> {
    let base = patch.base;
    let Some(old) = look::list(base.json(), "animations").get(source) else {
        return Err(patch.foreign(format!("animation {source} {:?}", baked.clip.name)));
    };
    for track in &baked.clip.tracks {
        let node = patch.node(at, track.node);
        let value = author::sampler(track, &mut patch.block);
        let sampler = patch.editor.push(&format!("/animations/{source}/samplers"), value);
        let is_same = |channel: &serde_json::Value| {
            channel.get("target").is_some_and(|target| {
                look::index(target, "node") == Some(node)
                    && look::text(target, "path") == Some(author::path(track))
            })
        };
        match look::list(old, "channels").iter().position(is_same) {
            Some(channel) => {
                let place = format!("/animations/{source}/channels/{channel}/sampler");
                patch.editor.set(&place, sampler.into());
            }
            None => {
                let value = author::channel(track, sampler, node);
                patch.editor.push(&format!("/animations/{source}/channels"), value);
            }
        }
    }
    Ok(())
}
