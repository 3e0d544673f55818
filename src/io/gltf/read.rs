//! From a source file to characters.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::Mat4;

use super::accessor::Accessors;
use super::animation::{self, RawClip, RawTrack};
use super::characters::{self, Share};
use super::decode::Budget;
use super::materials;
use super::meshes::{self, Meshes};
use super::nodes::NodeTree;
use super::skins::{self, RawSkin};
use super::source::SourceFile;
use super::{extensions, facts, json};
use crate::io::vrm;
use crate::io::vrm::humanoid::{self, StatedHumanoid};
use crate::io::{ReadError, axes};
use crate::model::{
    Character, Clip, FindingCode, HumanoidMap, Interpolation, Mesh, MeshIndex, MeshInstance,
    NamingConvention, Node, NodeIndex, Report, Skeleton, Skin, SkinIndex, Track, TrackValues,
};
use crate::work::Work;

/// Everything read, before it is dealt out to characters.
struct Raw {
    tree: NodeTree,
    skins: Vec<RawSkin>,
    meshes: Meshes,
    clips: Vec<RawClip>,
    humanoid: Option<StatedHumanoid>,
}

/// The characters of a file, the default one first.
pub(super) fn characters(
    file: &SourceFile,
    work: &Work,
    report: &mut Report,
) -> Result<Vec<Character>, ReadError> {
    let root = file.json();
    extensions::check(root, &file.name, report)?;
    // What the file may take is 4 × its size + 256 MB; the file itself, its JSON and the rest of us need their part.
    let budget = Budget::new(file.size.saturating_mul(3) + (128 << 20));
    let accessors = Accessors::new(root, &file.buffers, 64 << 20);
    let tree = NodeTree::read(root, &file.name, report)?;
    let skins = skins::read(root, &accessors, &tree, &file.name, report)?;
    let wanted = wanted(file, &tree, &skins)?;
    let (meshes, fault) = meshes::read(root, &accessors, &wanted, &budget, work, report)?;
    if let Some((subject, source)) = fault
        && meshes.values().flatten().all(Option::is_none)
    {
        return Err(ReadError::NothingReadable { name: file.name.clone(), subject, source });
    }
    let clips = animation::read(root, &accessors, &tree, &budget, work, report)?;
    let humanoid = humanoid::read(root, tree.nodes.len(), report);
    facts::report(file, report);
    let raw = Raw { tree, skins, meshes, clips, humanoid };
    raw.report_joints(report);
    let shares = characters::shares(&raw.tree, &raw.skins);
    let looks = Arc::new(materials::materials(root));
    let images = Arc::new(materials::images(file, &looks));
    if shares.len() > 1 {
        let text = format!("{} characters; the first is shown", shares.len());
        report.add(FindingCode::SeveralCharacters, "file", text);
    }
    let is_only = shares.len() == 1;
    let mut characters = Vec::with_capacity(shares.len());
    for share in &shares {
        let mut character = raw.character(share, is_only, file);
        character.materials = looks.clone();
        character.images = images.clone();
        vrm::constrain(root, &mut character, report);
        axes::settle(&mut character, raw.humanoid.as_ref().map(|h| h.kind), report);
        characters.push(character);
    }
    if let Some(figure) = figure_of_vrm(&mut characters) {
        vrm::attach(root, figure, report);
    }
    Ok(characters)
}

/// The one character that a file's VRM metadata is about: the one with its roles, the first where none has any.
fn figure_of_vrm(characters: &mut [Character]) -> Option<&mut Character> {
    let n_roles = |c: &Character| c.stated_humanoid.as_ref().map_or(0, |map| map.roles.len());
    let most = characters.iter_mut().enumerate().max_by_key(|(i, c)| (n_roles(c), Reverse(*i)));
    most.map(|(_, character)| character)
}

/// Meshes that hang on a node, and the number of joints of the largest skin they are used with.
fn wanted(
    file: &SourceFile,
    tree: &NodeTree,
    skins: &[RawSkin],
) -> Result<BTreeMap<usize, usize>, ReadError> {
    let n_meshes = json::list(file.json(), "meshes").len();
    let mut wanted = BTreeMap::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        let malformed = |fault: String| ReadError::Malformed {
            name: file.name.clone(),
            subject: tree.label(index),
            fault,
        };
        let Some(mesh) = node.mesh else { continue };
        if mesh >= n_meshes {
            return Err(malformed(format!("names mesh {mesh}, but there are only {n_meshes}")));
        }
        let n_joints = match node.skin {
            Some(skin) => skins.get(skin).map(|s| s.joints.len()).ok_or_else(|| {
                malformed(format!("names skin {skin}, but there are only {}", skins.len()))
            })?,
            None => 0,
        };
        let most = wanted.entry(mesh).or_insert(0);
        *most = n_joints.max(*most);
    }
    Ok(wanted)
}

impl Raw {
    /// Findings about joints that no mesh decides.
    fn report_joints(&self, report: &mut Report) {
        let mut binds: BTreeMap<usize, &Mat4> = BTreeMap::new();
        let mut differing = BTreeSet::new();
        for skin in self.skins.iter().filter(|s| s.has_binds) {
            for (&joint, bind) in skin.joints.iter().zip(&skin.joint_from_mesh) {
                let first = *binds.entry(joint).or_insert(bind);
                let size = first.to_cols_array().iter().fold(1.0_f32, |m, x| m.max(x.abs()));
                if !first.abs_diff_eq(*bind, 1e-4 * size) {
                    differing.insert(joint);
                }
            }
        }
        let name = |&j: &usize| self.tree.nodes.get(j).map_or("", |n| n.name.as_str());
        let add = |report: &mut Report, code, joints: &[usize]| {
            if !joints.is_empty() {
                let names: Vec<&str> = joints.iter().map(name).collect();
                let text = format!("{} joints: {}", names.len(), axes::shortened(&names));
                report.add(code, "joints", text);
            }
        };
        add(report, FindingCode::SkinBindsDisagree, &Vec::from_iter(differing));
        let mut is_joint = vec![false; self.tree.nodes.len()];
        for &joint in self.skins.iter().flat_map(|s| &s.joints) {
            if let Some(slot) = is_joint.get_mut(joint) {
                *slot = true;
            }
        }
        let (mut mirrored, mut uneven) = (Vec::new(), Vec::new());
        for (index, (node, _)) in
            self.tree.nodes.iter().zip(is_joint).enumerate().filter(|(_, x)| x.1)
        {
            let scale = node.local.scale;
            if scale.cmplt(glam::Vec3::ZERO).any() {
                mirrored.push(index);
            }
            let size = scale.abs();
            if size.max_element() - size.min_element() > 1e-3 * size.max_element() {
                uneven.push(index);
            }
        }
        add(report, FindingCode::ScaleMirrored, &mirrored);
        add(report, FindingCode::ScaleNonUniform, &uneven);
    }

    /// One character: its share of everything, renumbered.
    fn character(&self, share: &Share, is_only: bool, file: &SourceFile) -> Character {
        let (skeleton, places) = self.skeleton(share);
        let place = |n: &usize| places.get(*n).copied().flatten();
        let mut skins = Vec::new();
        let mut skin_places = vec![None; self.skins.len()];
        for (s, skin) in self.skins.iter().enumerate() {
            if !share.skins.get(s).copied().unwrap_or(false) {
                continue;
            }
            if let Some(slot) = skin_places.get_mut(s) {
                *slot = Some(SkinIndex::from_index(skins.len()));
            }
            skins.push(Skin {
                name: skin.name.clone(),
                joints: skin.joints.iter().filter_map(place).collect(),
                joint_from_mesh: skin.joint_from_mesh.clone(),
                has_binds: skin.has_binds,
                source: Some(s as u32),
            });
        }
        let mut meshes: Vec<Mesh> = Vec::new();
        let mut mesh_places: BTreeMap<(usize, usize), MeshIndex> = BTreeMap::new();
        let mut instances = Vec::new();
        for &index in &self.tree.order {
            let (Some(node_index), Some(node)) = (place(&index), self.tree.nodes.get(index)) else {
                continue;
            };
            let Some(mesh) = node.mesh else { continue };
            let skin = node.skin.and_then(|s| skin_places.get(s).copied().flatten());
            if node.skin.is_some() && skin.is_none() {
                continue;
            }
            let primitives = self.meshes.get(&mesh).map_or(&[][..], Vec::as_slice);
            for (p, primitive) in primitives.iter().enumerate() {
                let Some(primitive) = primitive else { continue };
                let mesh_index = *mesh_places.entry((mesh, p)).or_insert_with(|| {
                    meshes.push(primitive.clone());
                    MeshIndex::from_index(meshes.len() - 1)
                });
                instances.push(MeshInstance {
                    mesh: mesh_index,
                    node: node_index,
                    skin: skin.filter(|_| primitive.influences.is_some()),
                    is_visible: self.tree.is_shown(index, share.scene) && !node.is_hidden,
                });
            }
        }
        Character {
            name: self.name(share, is_only, file),
            stated_humanoid: self.humanoid(&places),
            clips: self.clips(&places, is_only).into_iter().map(Arc::new).collect(),
            skeleton,
            meshes,
            skins,
            instances,
            ..Character::default()
        }
    }

    /// The share's nodes, parents first, and the place of each of the file's nodes among them.
    fn skeleton(&self, share: &Share) -> (Skeleton, Vec<Option<NodeIndex>>) {
        let mut skeleton = Skeleton::default();
        let mut places: Vec<Option<NodeIndex>> = vec![None; self.tree.nodes.len()];
        for &index in &self.tree.order {
            let Some(node) = self.tree.nodes.get(index) else { continue };
            if !share.nodes.get(index).copied().unwrap_or(false) {
                continue;
            }
            let parent = node.parent.and_then(|p| places.get(p).copied().flatten());
            let added = skeleton.push(Node {
                name: node.name.clone(),
                parent,
                local: node.local,
                source: Some(index as u32),
            });
            if let (Ok(added), Some(slot)) = (added, places.get_mut(index)) {
                *slot = Some(added);
            }
        }
        (skeleton, places)
    }

    fn name(&self, share: &Share, is_only: bool, file: &SourceFile) -> String {
        let title = self.humanoid.as_ref().map(|h| h.title.clone()).filter(|t| !t.is_empty());
        let top = share.top.and_then(|t| self.tree.nodes.get(t)).map(|n| n.name.clone());
        let stem = || {
            let path = std::path::Path::new(&file.name);
            path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
        };
        match is_only {
            true => title.unwrap_or_else(stem),
            false => top.filter(|t| !t.is_empty()).unwrap_or_else(stem),
        }
    }

    fn humanoid(&self, places: &[Option<NodeIndex>]) -> Option<HumanoidMap> {
        let stated = self.humanoid.as_ref()?;
        let roles: BTreeMap<_, _> = stated
            .roles
            .iter()
            .filter_map(|(role, &node)| Some((*role, places.get(node).copied().flatten()?)))
            .collect();
        (!roles.is_empty()).then_some(HumanoidMap { roles, convention: NamingConvention::Vrm })
    }

    fn clips(&self, places: &[Option<NodeIndex>], is_only: bool) -> Vec<Clip> {
        let mut clips = Vec::with_capacity(self.clips.len());
        for (index, raw) in self.clips.iter().enumerate() {
            let tracks: Vec<Track> = raw
                .tracks
                .iter()
                .filter_map(|t| t.placed(places.get(t.node).copied().flatten()?))
                .collect();
            if tracks.is_empty() && !is_only {
                continue;
            }
            let last = tracks.iter().filter_map(|t| t.times.last()).fold(0.0_f32, |a, &b| a.max(b));
            let last = f64::from(last);
            let looping = raw.name.ends_with("_Loop") || closes(&tracks);
            clips.push(Clip {
                name: raw.name.clone(),
                duration_secs: last.min(Clip::LONGEST_SECS),
                looping: looping && last <= Clip::LONGEST_SECS,
                tracks,
                source: Some(index as u32),
            });
        }
        clips
    }
}

impl RawTrack {
    fn placed(&self, node: NodeIndex) -> Option<Track> {
        Some(Track {
            node,
            times: self.times.clone(),
            values: self.values.clone(),
            interpolation: self.interpolation,
        })
    }
}

/// Whether every track ends with the value it begins with.
pub(in crate::io) fn closes(tracks: &[Track]) -> bool {
    /// Metres or units, parts of one, and about half a degree.
    const NEAR: f32 = 4e-3;
    !tracks.is_empty()
        && tracks.iter().all(|track| {
            let per_key = if track.interpolation == Interpolation::Cubic { 3 } else { 1 };
            let first = per_key / 2;
            let last = |len: usize| len.saturating_sub(per_key) + first;
            match &track.values {
                TrackValues::Translation(v) | TrackValues::Scale(v) => {
                    let (Some(a), Some(b)) = (v.get(first), v.get(last(v.len()))) else {
                        return true;
                    };
                    let size = v.iter().fold(1e-3_f32, |m, x| m.max((*x - *a).length()));
                    a.distance(*b) <= NEAR * a.length().max(size)
                }
                TrackValues::Rotation(v) => match (v.get(first), v.get(last(v.len()))) {
                    (Some(a), Some(b)) => a.dot(*b).abs() > 1.0 - NEAR * NEAR / 2.0,
                    _ => true,
                },
                TrackValues::Morph { n_targets, values } => {
                    let n = *n_targets as usize;
                    let starts = values.iter().skip(first * n).take(n);
                    let ends = values.iter().skip(last(values.len() / n.max(1)) * n).take(n);
                    starts.zip(ends).all(|(a, b)| (a - b).abs() <= NEAR)
                }
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;

    #[test]
    fn vrm_metadata_is_about_the_figure_that_has_its_roles() {
        let figure = |name: &str, roles: &[Role]| {
            let roles = roles.iter().map(|&role| (role, NodeIndex(0))).collect();
            let map = HumanoidMap { roles, ..HumanoidMap::default() };
            Character {
                name: name.into(),
                stated_humanoid: (!map.roles.is_empty()).then_some(map),
                ..Character::default()
            }
        };
        let whose = |mut figures: Vec<Character>| figure_of_vrm(&mut figures).unwrap().name.clone();
        let both = [Role::Hips, Role::Head];
        let figures = vec![figure("a", &[]), figure("b", &both), figure("c", &both[..1])];
        assert_eq!(whose(figures), "b");
        assert_eq!(whose(vec![figure("a", &[]), figure("b", &[])]), "a");
        assert!(figure_of_vrm(&mut []).is_none());
    }
}
