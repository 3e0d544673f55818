//! FBX: the skeleton and the clips of a file from Mixamo, Maya, MotionBuilder or Blender, through `ufbx`.
//!
//! Clips alone: meshes stay where they are. A file of that kind states its unit (Mixamo: centimetres) and its axes; the
//! root node that `ufbx` puts above all others carries both, so that every key stays as it was written. Curves (Euler
//! angles, pivots, layers) are resampled by `ufbx` at 30 keys a second or as dense as the file's own.
//!
//! Based on: ufbx.h, `ufbx_bake_anim`, and its notes on space conversion.

use std::path::Path;
use std::sync::Arc;

use glam::{Mat4, Quat, Vec3, Vec3A};

use super::axes;
use super::error::ReadError;
use super::gltf::closes;
use crate::math::{Similarity, Transform};
use crate::model::{
    BindPose, Character, Clip, Interpolation, Node, NodeIndex, Skeleton, Track, TrackValues,
};
use crate::work::Work;

/// Most nodes that are read: more is no body.
const MOST_NODES: usize = 16_384;
/// Longest clip, in seconds: more is a broken time span.
const LONGEST_SECS: f64 = 4.0 * 3600.0;
/// Most keys of all takes together.
const MOST_KEYS: usize = 32 << 20;
/// Memory that a file may take while it is read, and when it has been.
const MOST_BYTES: usize = 1 << 30;
/// What exporters call a take that nobody has named.
const NAMELESS: [&str; 4] = ["mixamo.com", "take 001", "default take", "default"];

/// Reads the clips of an FBX file, ASCII or binary: a character without meshes. A take that has no name of its own is
/// called like the file.
///
/// # Errors
/// [`ReadError`] where the file cannot be read, is no FBX, or holds no animation.
pub fn read(path: &Path, work: &Work) -> Result<Character, ReadError> {
    super::size_of_file(path)?;
    let bytes = std::fs::read(path).map_err(|source| super::unreadable(path, source))?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    parse(&bytes, &stem, &path.display().to_string(), work)
}

/// Reads an FBX file that is in memory. `stem` names takes that have no name, `name` is what messages call the file.
///
/// # Errors
/// [`ReadError`] as for [`read`].
pub fn parse(bytes: &[u8], stem: &str, name: &str, work: &Work) -> Result<Character, ReadError> {
    let fault = |what: String| ReadError::Fbx { name: name.to_owned(), what };
    work.tick("read", 0, 1)?;
    let limited = || ufbx::AllocatorOpts { memory_limit: MOST_BYTES, ..Default::default() };
    let options = ufbx::LoadOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        ignore_geometry: true,
        ignore_embedded: true,
        target_axes: ufbx::CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        inherit_mode_handling: ufbx::InheritModeHandling::Compensate,
        // Told by its content: a .fbx may be an .obj by mistake, and that is no animation.
        file_format: ufbx::FileFormat::Fbx,
        ..Default::default()
    };
    let scene = ufbx::load_memory(bytes, options)
        .map_err(|error| fault(format!("{} {}", &*error.description, error.info())))?;
    if scene.nodes.len() > MOST_NODES {
        return Err(fault("it has more nodes than any body".into()));
    }
    let order = parents_first(&scene);
    let skeleton =
        skeleton(&scene, &order).ok_or_else(|| fault("its hierarchy is broken".into()))?;
    let mut clips = Vec::new();
    let mut opaque = None;
    let mut n_keys = 0;
    for stack in &scene.anim_stacks {
        work.tick("read", clips.len() as u64, scene.anim_stacks.len() as u64)?;
        match baked(&scene, stack, &order) {
            Ok(tracks) if !tracks.is_empty() => {
                n_keys += tracks.iter().map(|track| track.times.len()).sum::<usize>();
                if n_keys > MOST_KEYS {
                    let what = "its takes hold too many keys; export fewer in a file";
                    return Err(fault(what.into()));
                }
                clips.push((stack.element.name.to_string(), tracks));
            }
            Ok(_) => {}
            Err(error) => opaque = Some(error),
        }
    }
    if clips.is_empty() {
        let why = opaque.unwrap_or_else(|| "it holds no animation".into());
        return Err(fault(why));
    }
    let is_only = clips.len() == 1;
    let clips = clips.into_iter().map(|(own, tracks)| Arc::new(clip(&own, stem, is_only, tracks)));
    let mut character = Character {
        name: stem.to_owned(),
        skeleton,
        clips: clips.collect(),
        ..Character::default()
    };
    character.world_from_file =
        Similarity { scale: axes::metres_per_unit(size(&character)), ..Similarity::default() };
    Ok(character)
}

/// The nodes of the scene that hang from its root, parents first: for each of ufbx's nodes its place, if it has one.
struct Order {
    nodes: Vec<usize>,
    places: Vec<Option<NodeIndex>>,
}

fn parents_first(scene: &ufbx::Scene) -> Order {
    let mut order = Order { nodes: Vec::new(), places: vec![None; scene.nodes.len()] };
    let mut open = vec![scene.root_node.element.typed_id as usize];
    while let Some(at) = open.pop() {
        let (Some(node), Some(place)) = (scene.nodes.get(at), order.places.get_mut(at)) else {
            continue;
        };
        if place.is_some() {
            continue;
        }
        *place = Some(NodeIndex::from_index(order.nodes.len()));
        order.nodes.push(at);
        open.extend(node.children.iter().rev().map(|child| child.element.typed_id as usize));
    }
    order
}

/// The skeleton as it was bound: in the file's bind pose where it states one, for a saved file may stand anywhere.
fn skeleton(scene: &ufbx::Scene, order: &Order) -> Option<Skeleton> {
    let mut bound: Vec<Option<Mat4>> = vec![None; scene.nodes.len()];
    for pose in scene.poses.iter().filter(|pose| pose.is_bind_pose) {
        for bone in &pose.bone_poses {
            if let Some(slot) = bound.get_mut(bone.bone_node.element.typed_id as usize) {
                *slot = Some(matrix(&bone.bone_to_world)).filter(Mat4::is_finite);
            }
        }
    }
    let mut skeleton = Skeleton::default();
    let mut worlds: Vec<Mat4> = Vec::new();
    for &at in &order.nodes {
        let node = scene.nodes.get(at)?;
        let parent = node.parent.as_ref().map(|p| p.element.typed_id as usize);
        let parent = parent.and_then(|p| order.places.get(p).copied().flatten());
        let above = parent.and_then(|p| worlds.get(p.index())).copied().unwrap_or_default();
        let own = local(&node.local_transform);
        // A pose may name limbs alone: what stands between them keeps its place.
        let local = match bound.get(at).copied().flatten() {
            Some(world) if above.determinant().abs() > 1e-20 => {
                let (scale, rotation, translation) =
                    (above.inverse() * world).to_scale_rotation_translation();
                Transform { translation, rotation: rotation.normalize(), scale }
            }
            _ => own,
        };
        let is_sound = local.translation.is_finite() && local.rotation.is_finite();
        let local = if is_sound && local.scale.is_finite() { local } else { Transform::IDENTITY };
        worlds.push(above * Mat4::from(local.to_affine()));
        let name = node.element.name.to_string();
        skeleton.push(Node { name, parent, local, source: None }).ok()?;
    }
    Some(skeleton)
}

/// Tracks of one take, resampled; none where nothing moves.
fn baked(
    scene: &ufbx::Scene,
    stack: &ufbx::AnimStack,
    order: &Order,
) -> Result<Vec<Track>, String> {
    let secs = stack.time_end - stack.time_begin;
    if secs.is_nan() || secs >= LONGEST_SECS {
        return Err("a take of it lasts longer than any clip".into());
    }
    let limited = || ufbx::AllocatorOpts { memory_limit: MOST_BYTES, ..Default::default() };
    let options = ufbx::BakeOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        trim_start_time: true,
        ..Default::default()
    };
    let motion = ufbx::bake_anim(scene, &stack.anim, options)
        .map_err(|error| error.description.to_string())?;
    let mut tracks = Vec::new();
    for node in &motion.nodes {
        let place = order.places.get(node.typed_id as usize).copied().flatten();
        // The root's transform is the file's unit and axes.
        let Some(place) = place.filter(|p| p.index() > 0) else { continue };
        let mut add = |times: Vec<f32>, values: TrackValues| {
            let rises = times.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
            if rises && times.iter().all(|t| t.is_finite() && *t >= 0.0) && is_finite(&values) {
                tracks.push(Track {
                    node: place,
                    times,
                    values,
                    interpolation: Interpolation::Linear,
                });
            }
        };
        let vectors = |keys: &[ufbx::BakedVec3]| -> (Vec<f32>, Vec<Vec3>) {
            keys.iter().map(|key| (key.time as f32, vec3(&key.value))).unzip()
        };
        if !node.rotation_keys.is_empty() {
            let mut before = Quat::IDENTITY;
            let keys = node.rotation_keys.iter().map(|key| {
                let turn = quat(&key.value);
                // Neighbours on one side, so that any player takes the short way.
                before = if before.dot(turn) < 0.0 { -turn } else { turn };
                (key.time as f32, before)
            });
            let (times, turns) = keys.unzip();
            add(times, TrackValues::Rotation(turns));
        }
        if !node.translation_keys.is_empty() {
            let (times, places) = vectors(&node.translation_keys);
            add(times, TrackValues::Translation(places));
        }
        if !node.constant_scale && !node.scale_keys.is_empty() {
            let (times, scales) = vectors(&node.scale_keys);
            add(times, TrackValues::Scale(scales));
        }
    }
    Ok(tracks)
}

fn clip(own: &str, stem: &str, is_only: bool, tracks: Vec<Track>) -> Clip {
    let bare = own.rsplit('|').next().unwrap_or(own).trim();
    let is_nameless = bare.is_empty() || NAMELESS.contains(&bare.to_lowercase().as_str());
    let name = match (is_nameless, is_only) {
        (true, true) => stem.to_owned(),
        (true, false) => format!("{stem} {bare}").trim().to_owned(),
        (false, _) => own.to_owned(),
    };
    let ends = tracks.iter().filter_map(|track| track.times.last());
    let last = f64::from(ends.fold(0.0_f32, |end, &t| end.max(t)));
    let is_whole = last <= Clip::LONGEST_SECS;
    Clip {
        looping: is_whole && (name.ends_with("_Loop") || closes(&tracks)),
        name,
        duration_secs: last.min(Clip::LONGEST_SECS),
        tracks,
        source: None,
    }
}

/// Largest extent of the nodes along an axis, in metres as the file states them: of a T-pose, and of one who lies.
fn size(character: &Character) -> f32 {
    let world = BindPose::of(character, None).world;
    let places = character.skeleton.indices().skip(1).map(|n| world.matrix(n).translation);
    let wide = places
        .fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    (wide.1 - wide.0).max_element()
}

fn is_finite(values: &TrackValues) -> bool {
    match values {
        TrackValues::Rotation(turns) => turns.iter().all(|q| q.is_finite()),
        TrackValues::Translation(v) | TrackValues::Scale(v) => v.iter().all(|v| v.is_finite()),
        TrackValues::Morph { .. } => false,
    }
}

fn vec3(v: &ufbx::Vec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

fn quat(q: &ufbx::Quat) -> Quat {
    let q = Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
    if q.length_squared() > 1e-12 { q.normalize() } else { Quat::IDENTITY }
}

fn local(t: &ufbx::Transform) -> Transform {
    Transform {
        translation: vec3(&t.translation),
        rotation: quat(&t.rotation),
        scale: vec3(&t.scale),
    }
}

fn matrix(m: &ufbx::Matrix) -> Mat4 {
    let column = |x: f64, y: f64, z: f64, w: f32| glam::Vec4::new(x as f32, y as f32, z as f32, w);
    Mat4::from_cols(
        column(m.m00, m.m10, m.m20, 0.0),
        column(m.m01, m.m11, m.m21, 0.0),
        column(m.m02, m.m12, m.m22, 0.0),
        column(m.m03, m.m13, m.m23, 1.0),
    )
}

#[cfg(test)]
mod tests;
