//! The nodes of a file: names, parents, local transforms, scenes.

use glam::{Affine3A, Mat4, Quat, Vec3};
use serde_json::Value;

use super::json;
use crate::io::ReadError;
use crate::math::Transform;
use crate::model::{FindingCode, Report};

/// A node as the file has it.
#[derive(Clone, Debug)]
pub(super) struct RawNode {
    pub name: String,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub local: Transform,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    /// Hidden itself, or below a hidden one (KHR_node_visibility).
    pub is_hidden: bool,
}

/// All nodes of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeTree {
    pub nodes: Vec<RawNode>,
    /// Every node, parents first: roots in the order of the scenes, then of the file; depth first.
    pub order: Vec<usize>,
    /// For each scene, whether a node belongs to it, `[scenes][N]`.
    pub in_scene: Vec<Vec<bool>>,
    /// The scene that is shown.
    pub shown: Option<usize>,
}

impl NodeTree {
    /// Reads the nodes of a file.
    ///
    /// # Errors
    /// [`ReadError::Malformed`] for indices out of range, cycles and matrices of another length than 16.
    pub(super) fn read(root: &Value, name: &str, report: &mut Report) -> Result<Self, ReadError> {
        let values = json::list(root, "nodes");
        let malformed = |index: usize, fault: String| ReadError::Malformed {
            name: name.into(),
            subject: json::label("node", index, values.get(index)),
            fault,
        };
        let mut nodes = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            nodes.push(raw_node(index, value, report).map_err(|fault| malformed(index, fault))?);
        }
        let mut tree = Self { nodes, ..Self::default() };
        tree.link(report).map_err(|(index, fault)| malformed(index, fault))?;
        tree.read_scenes(root, name, report)?;
        tree.sort(root).map_err(|index| malformed(index, "is its own ancestor".into()))?;
        tree.hide_below(values);
        Ok(tree)
    }

    fn link(&mut self, report: &mut Report) -> Result<(), (usize, String)> {
        for index in 0..self.nodes.len() {
            let children = self.nodes.get(index).map(|n| n.children.clone()).unwrap_or_default();
            for child in children {
                let n = self.nodes.len();
                let Some(node) = self.nodes.get_mut(child) else {
                    return Err((
                        index,
                        format!("has child {child}, but there are only {n} nodes"),
                    ));
                };
                match node.parent {
                    None => node.parent = Some(index),
                    Some(first) => report.add(
                        FindingCode::NodeSeveralParents,
                        format!("node {child} {:?}", node.name),
                        format!("hangs under nodes {first} and {index}; the first is taken"),
                    ),
                }
            }
        }
        Ok(())
    }

    fn read_scenes(
        &mut self,
        root: &Value,
        name: &str,
        report: &mut Report,
    ) -> Result<(), ReadError> {
        let scenes = json::list(root, "scenes");
        for (index, scene) in scenes.iter().enumerate() {
            let mut inside = vec![false; self.nodes.len()];
            let mut open: Vec<usize> = Vec::new();
            for node in json::list(scene, "nodes") {
                match json::as_index(node).filter(|&n| n < self.nodes.len()) {
                    Some(node) => open.push(node),
                    None => {
                        return Err(ReadError::Malformed {
                            name: name.into(),
                            subject: json::label("scene", index, Some(scene)),
                            fault: format!("names node {node}, which does not exist"),
                        });
                    }
                }
            }
            while let Some(node) = open.pop() {
                if let (Some(seen), Some(raw)) = (inside.get_mut(node), self.nodes.get(node))
                    && !std::mem::replace(seen, true)
                {
                    open.extend(&raw.children);
                }
            }
            self.in_scene.push(inside);
        }
        let stated = json::index(root, "scene").filter(|&s| s < scenes.len());
        // A first scene without nodes is no use where another has some.
        let first = self.in_scene.iter().position(|s| s.contains(&true));
        self.shown = stated.or(first).or((!scenes.is_empty()).then_some(0));
        if stated.is_none() && scenes.len() > 1 {
            report.add(
                FindingCode::NoDefaultScene,
                "scenes",
                format!(
                    "{} scenes and no default; scene {} is shown",
                    scenes.len(),
                    self.shown.unwrap_or(0)
                ),
            );
        }
        Ok(())
    }

    /// Parents first; `Err` names a node that is its own ancestor.
    fn sort(&mut self, root: &Value) -> Result<(), usize> {
        let mut roots: Vec<usize> = json::list(root, "scenes")
            .iter()
            .flat_map(|s| json::list(s, "nodes"))
            .filter_map(json::as_index)
            .collect();
        roots.extend(0..self.nodes.len());
        let mut is_placed = vec![false; self.nodes.len()];
        for start in roots {
            if self.nodes.get(start).is_none_or(|n| n.parent.is_some()) {
                continue;
            }
            let mut open = vec![start];
            while let Some(index) = open.pop() {
                let (Some(placed), Some(node)) = (is_placed.get_mut(index), self.nodes.get(index))
                else {
                    continue;
                };
                if std::mem::replace(placed, true) {
                    continue;
                }
                self.order.push(index);
                // Only by its own parent is a child reached: that keeps parents first.
                let own = |c: &&usize| self.nodes.get(**c).is_some_and(|n| n.parent == Some(index));
                open.extend(node.children.iter().filter(own).rev());
            }
        }
        match is_placed.iter().position(|placed| !placed) {
            Some(index) => Err(index),
            None => Ok(()),
        }
    }

    fn hide_below(&mut self, values: &[Value]) {
        for at in 0..self.order.len() {
            let Some(&index) = self.order.get(at) else { continue };
            let own = values
                .get(index)
                .and_then(|v| json::extension(v, "KHR_node_visibility"))
                .and_then(|v| v.get("visible"))
                .and_then(Value::as_bool)
                == Some(false);
            let parent = self.nodes.get(index).and_then(|n| n.parent);
            let inherited = parent.and_then(|p| self.nodes.get(p)).is_some_and(|p| p.is_hidden);
            if let Some(node) = self.nodes.get_mut(index) {
                node.is_hidden = own || inherited;
            }
        }
    }

    /// The node, for messages.
    pub(super) fn label(&self, index: usize) -> String {
        match self.nodes.get(index) {
            Some(node) if !node.name.is_empty() => format!("node {index} {:?}", node.name),
            _ => format!("node {index}"),
        }
    }

    /// The topmost ancestor of every node, `[N]`. Cost: O(N).
    pub(super) fn tops(&self) -> Vec<usize> {
        let mut tops: Vec<usize> = (0..self.nodes.len()).collect();
        for &index in &self.order {
            let parent = self.nodes.get(index).and_then(|n| n.parent);
            if let Some(&top) = parent.and_then(|p| tops.get(p))
                && let Some(slot) = tops.get_mut(index)
            {
                *slot = top;
            }
        }
        tops
    }

    /// Whether a node belongs to the scene that is shown; everything does where there is no scene.
    pub(super) fn is_shown(&self, index: usize, scene: Option<usize>) -> bool {
        match scene.and_then(|s| self.in_scene.get(s)) {
            Some(inside) => inside.get(index).copied().unwrap_or(false),
            None => true,
        }
    }
}

fn raw_node(index: usize, value: &Value, report: &mut Report) -> Result<RawNode, String> {
    let mut children = Vec::new();
    for child in json::list(value, "children") {
        children.push(json::as_index(child).ok_or_else(|| format!("has child {child}"))?);
    }
    let (local, is_sound) = local_transform(value)?;
    if !is_sound {
        report.add(
            FindingCode::NodeTransformUnusable,
            json::label("node", index, Some(value)),
            "its transform is not finite or of no size; what can be used of it is",
        );
    }
    Ok(RawNode {
        name: json::text(value, "name").unwrap_or_default().into(),
        parent: None,
        children,
        local,
        mesh: json::index(value, "mesh"),
        skin: json::index(value, "skin"),
        is_hidden: false,
    })
}

/// A node's local transform, and whether all of it could be used.
fn local_transform(value: &Value) -> Result<(Transform, bool), String> {
    let wrong =
        |key: &str, n: usize, wanted: usize| format!("has a {key} of {n} numbers, not {wanted}");
    if let Some(matrix) = json::floats::<16>(value, "matrix") {
        let m = Mat4::from_cols_array(&matrix.map_err(|n| wrong("matrix", n, 16))?);
        if !m.is_finite() {
            return Ok((Transform::IDENTITY, false));
        }
        return Ok((Transform::from_affine(&Affine3A::from_mat4(m)), true));
    }
    let mut local = Transform::IDENTITY;
    let mut is_sound = true;
    if let Some(t) = json::floats::<3>(value, "translation") {
        let t = Vec3::from_array(t.map_err(|n| wrong("translation", n, 3))?);
        is_sound &= t.is_finite();
        local.translation = Vec3::select(t.is_finite_mask(), t, Vec3::ZERO);
    }
    if let Some(r) = json::floats::<4>(value, "rotation") {
        let r = Quat::from_array(r.map_err(|n| wrong("rotation", n, 4))?);
        let length = r.length();
        let is_usable = length.is_finite() && length > 1e-12;
        is_sound &= is_usable;
        local.rotation = match is_usable {
            // Unit already, as near as numbers get: keep it as it is written.
            true if (length - 1.0).abs() < 1e-6 => r,
            true => r.normalize(),
            false => Quat::IDENTITY,
        };
    }
    if let Some(s) = json::floats::<3>(value, "scale") {
        let s = Vec3::from_array(s.map_err(|n| wrong("scale", n, 3))?);
        is_sound &= s.is_finite();
        local.scale = Vec3::select(s.is_finite_mask(), s, Vec3::ONE);
    }
    Ok((local, is_sound))
}
