//! From decisions, which name things, to settings, which index them.
//!
//! A file that was exported again may have other indices, another tessellation, another unit. Joints are found by
//! path; regions by how much of their skin they share with what was decided about, else by place and kind.

use std::fmt;

use glam::Vec3;

use super::edits::{CharacterEdits, JointRef, MeshVertices, RegionRef, TreatmentEdit};
use super::vertex_set::{decode_vertices, encode_vertices};
use crate::detect::Detection;
use crate::model::{Character, InstanceIndex, NodeIndex, Region, RegionId, SurfaceVertex};
use crate::rig::{RigSettings, Treatment};

/// Something in the edits that the file no longer answers to. It is kept all the same.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// No region is like the one that was decided about.
    RegionNotFound {
        /// Which.
        region: RegionRef,
    },
    /// No joint has that path.
    JointNotFound {
        /// Which.
        joint: JointRef,
    },
    /// A project file has a field that this version does not know.
    UnknownField {
        /// Path of the field.
        path: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RegionNotFound { region } => write!(
                f,
                "the decision about region {} fits no region of this file; it is kept but has no effect",
                region.id
            ),
            Self::JointNotFound { joint } => {
                write!(
                    f,
                    "there is no joint `{}` in this file; the decision has no effect",
                    joint.path
                )
            }
            Self::UnknownField { path } => {
                write!(f, "`{path}` is not known to this version; it is kept but has no effect")
            }
        }
    }
}

impl JointRef {
    /// The reference to a node.
    pub fn of(character: &Character, node: NodeIndex) -> Self {
        let nodes = character.skeleton.nodes();
        Self { path: path(character, node), index: nodes.get(node.index()).and_then(|n| n.source) }
    }

    /// The node it names: the one with its path, of several the one with its index; else the only one with its name.
    pub fn find(&self, character: &Character) -> Option<NodeIndex> {
        let skeleton = &character.skeleton;
        let last = self.path.rsplit('/').next().unwrap_or_default();
        let source = |n: NodeIndex| skeleton.nodes().get(n.index()).and_then(|x| x.source);
        // Names may hold a slash themselves, so whole paths are compared, not their parts.
        let of_path: Vec<NodeIndex> = skeleton
            .indices()
            .filter(|&n| self.path.ends_with(skeleton.name(n)) && path(character, n) == self.path)
            .collect();
        let by_index =
            of_path.iter().copied().find(|&n| self.index.is_some() && source(n) == self.index);
        by_index.or_else(|| of_path.first().copied()).or_else(|| {
            let mut named = skeleton.indices().filter(|&n| skeleton.name(n) == last);
            named.next().filter(|_| named.next().is_none() && !last.is_empty())
        })
    }
}

fn path(character: &Character, node: NodeIndex) -> String {
    let skeleton = &character.skeleton;
    if node.index() >= skeleton.len() {
        return String::new();
    }
    let mut names: Vec<&str> = vec![skeleton.name(node)];
    names.extend(skeleton.ancestors(node).map(|n| skeleton.name(n)));
    names.reverse();
    names.join("/")
}

impl RegionRef {
    /// The reference to a region as it is now.
    pub fn of(character: &Character, detection: &Detection, region: &Region) -> Self {
        let mut sets: Vec<(InstanceIndex, Vec<u32>)> = Vec::new();
        // Sorted, so each instance's vertices come together.
        for &vertex in &region.vertices {
            let (instance, local) = detection.surface.locate(vertex);
            match sets.last_mut() {
                Some((last, list)) if *last == instance => list.push(local),
                _ => sets.push((instance, vec![local])),
            }
        }
        let vertices = sets
            .into_iter()
            .map(|(instance, list)| {
                let (mesh, primitive) = place_in_file(character, instance);
                let of = detection.surface.vertices_of(instance).len() as u32;
                MeshVertices { mesh, primitive, of, runs: encode_vertices(&list) }
            })
            .collect();
        Self {
            id: region.id.0,
            kind: Some(region.kind),
            centroid: in_body(detection, region.centroid),
            vertices,
        }
    }

    /// The region most like it; `None` where none is.
    fn find(&self, character: &Character, detection: &Detection) -> Option<RegionId> {
        let wanted = self.surface_vertices(character, detection);
        let by_overlap = wanted.and_then(|wanted| {
            detection
                .regions
                .iter()
                .map(|r| (overlap(&wanted, &r.vertices), r.id))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
                .filter(|&(share, _)| share >= LEAST_OVERLAP)
                .map(|(_, id)| id)
        });
        by_overlap.or_else(|| {
            detection
                .regions
                .iter()
                .filter(|r| self.kind.is_none_or(|kind| kind == r.kind))
                .map(|r| (in_body(detection, r.centroid).distance(self.centroid), r.id))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
                .filter(|&(distance, _)| distance <= LARGEST_DISTANCE)
                .map(|(_, id)| id)
        })
    }

    /// Its vertices in this file; `None` where the meshes are no longer what they were.
    fn surface_vertices(
        &self,
        character: &Character,
        detection: &Detection,
    ) -> Option<Vec<SurfaceVertex>> {
        let mut all = Vec::new();
        for set in &self.vertices {
            let (index, _) = character
                .instances()
                .find(|&(i, _)| place_in_file(character, i) == (set.mesh, set.primitive))?;
            let range = detection.surface.vertices_of(index);
            if range.len() != set.of as usize {
                return None;
            }
            let list = decode_vertices(&set.runs, range.len())?;
            all.extend(list.into_iter().map(|v| SurfaceVertex(range.start + v)));
        }
        all.sort_unstable();
        (!all.is_empty()).then_some(all)
    }
}

/// Least share of common vertices, of all that either has, for two regions to be one.
const LEAST_OVERLAP: f32 = 0.3;

/// Largest distance of two centroids, in heights of the body, for two regions to be one.
const LARGEST_DISTANCE: f32 = 0.1;

/// Mesh and primitive of an instance in its file; (instance, 0) for a generated mesh.
fn place_in_file(character: &Character, instance: InstanceIndex) -> (u32, u32) {
    let mesh = character.instance(instance).and_then(|i| character.mesh_of(i));
    mesh.and_then(|m| m.source).map_or((instance.0, 0), |s| (s.mesh, s.primitive))
}

fn in_body(detection: &Detection, p: Vec3) -> Vec3 {
    let body = &detection.body;
    let from_floor = p - Vec3::Y * body.floor_m;
    body.world_from_body.inverse() * from_floor / body.height_m.max(f32::MIN_POSITIVE)
}

/// Common members over all members of two sorted lists.
fn overlap(a: &[SurfaceVertex], b: &[SurfaceVertex]) -> f32 {
    let common = a.iter().filter(|v| b.binary_search(v).is_ok()).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 0.0 } else { common as f32 / all as f32 }
}

/// What `edits` mean for this character and what was found on it, and what of them means nothing here.
pub fn rig_settings(
    edits: &CharacterEdits,
    character: &Character,
    detection: &Detection,
) -> (RigSettings, Vec<Notice>) {
    let mut notices = Vec::new();
    let mut settings = RigSettings {
        blend_rings: edits.blend_rings,
        influences: if edits.influences > 4 { 8 } else { 4 },
        axes: edits.axes,
        naming: edits.naming,
        springs: edits.springs,
        existing: edits.existing.clone(),
        ..RigSettings::default()
    };
    for (&kind, edit) in &edits.kinds {
        settings.by_kind.insert(kind, treatment(edit, character, &mut notices));
    }
    for edit in &edits.regions {
        match edit.region.find(character, detection) {
            Some(id) => {
                let treatment = treatment(&edit.treatment, character, &mut notices);
                settings.by_region.entry(id).or_insert(treatment);
            }
            None => notices.push(Notice::RegionNotFound { region: edit.region.clone() }),
        }
    }
    for run in &edits.by_hand {
        let nodes: Vec<NodeIndex> =
            run.iter().filter_map(|j| joint(j, character, &mut notices)).collect();
        if nodes.len() == run.len() {
            settings.by_hand.insert(nodes);
        }
    }
    (settings, notices)
}

fn treatment(edit: &TreatmentEdit, character: &Character, notices: &mut Vec<Notice>) -> Treatment {
    Treatment {
        verdict: edit.verdict,
        joints: edit.joints,
        attachment: edit.attachment.as_ref().and_then(|j| joint(j, character, notices)),
        axes: edit.axes,
        columns: edit.columns,
        spread: edit.spread.iter().filter_map(|j| joint(j, character, notices)).collect(),
        springs: edit.springs,
    }
}

fn joint(wanted: &JointRef, character: &Character, notices: &mut Vec<Notice>) -> Option<NodeIndex> {
    let found = wanted.find(character);
    if found.is_none() {
        notices.push(Notice::JointNotFound { joint: wanted.clone() });
    }
    found
}
