//! What the viewport shows at one moment, as plain data: no graphics library, no panels.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use rayon::prelude::*;

use super::command::Selection;
use crate::model::{
    Chain, ChainOrigin, Character, Expression, HumanoidMap, Influences, InstanceIndex, Mesh,
    NodeIndex, Pose, Region, RegionKind, Rigged, SurfaceVertex, Tip, WorldPose,
};

/// A box around points, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates.
    pub low: Vec3,
    /// Greatest coordinates.
    pub high: Vec3,
}

impl Bounds {
    /// The box around `points`; `None` for no points.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        Some(points.fold(Self { low: first, high: first }, |b, p| Self {
            low: b.low.min(p),
            high: b.high.max(p),
        }))
    }

    /// Its middle.
    pub fn center(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// Radius of the sphere around it, never zero.
    pub fn radius(&self) -> f32 {
        ((self.high - self.low).length() * 0.5).max(1e-3)
    }

    /// The box around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// What colours the skin, for each vertex of the character's surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Paint {
    /// Its own colours alone.
    #[default]
    Plain,
    /// Regions in the colour of their kind.
    Regions(Vec<RegionMark>),
    /// Regions in the full colour of their kind, over plain skin.
    RegionColors(Vec<RegionMark>),
    /// Numbers, by the heat ramp, over plain skin.
    Heat(Heat),
}

/// What the ends of the heat ramp stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatScale {
    /// What is shown, in a few words.
    pub title: &'static str,
    /// Behind the numbers.
    pub unit: &'static str,
    /// At the dark end.
    pub low: f32,
    /// At the bright end, and above.
    pub high: f32,
    /// Digits behind the point.
    pub decimals: usize,
    /// A value that decides, and what it is called.
    pub threshold: Option<(f32, &'static str)>,
}

impl HeatScale {
    /// The place of a value on the ramp, 0 to 1; `None` for one that is no number.
    pub fn share(&self, value: f32) -> Option<f32> {
        let share = (value - self.low) / (self.high - self.low);
        share.is_finite().then(|| share.clamp(0.0, 1.0))
    }

    /// The place of the threshold, where it lies inside the ramp.
    pub fn threshold_share(&self) -> Option<f32> {
        self.share(self.threshold?.0).filter(|s| *s > 0.0 && *s < 1.0)
    }
}

/// A number for each vertex of the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// `[V]` in the scale's unit; NaN leaves the skin plain.
    pub values: Vec<f32>,
    /// How they are shown.
    pub scale: HeatScale,
}

impl Heat {
    /// The place of a vertex's value on the ramp, 0 to 1.
    pub fn share(&self, vertex: usize) -> Option<f32> {
        self.scale.share(*self.values.get(vertex)?)
    }
}

/// Weights of morph targets, for nodes where a clip moves them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphWeights(pub Vec<(NodeIndex, Vec<f32>)>);

impl MorphWeights {
    /// Adds `weight` of an expression to what is there. A binary one is off below a half, and on from there.
    pub fn add(&mut self, character: &Character, expression: &Expression, weight: f32) {
        let weight = if expression.is_binary { weight.round() } else { weight };
        if weight == 0.0 {
            return;
        }
        for bind in &expression.binds {
            let Some(instance) = character.instance(bind.instance) else { continue };
            let Some(mesh) = character.mesh_of(instance) else { continue };
            let place = self.0.iter().position(|(node, _)| *node == instance.node);
            let place = place.unwrap_or_else(|| {
                self.0.push((instance.node, vec![0.0; mesh.morphs.len()]));
                self.0.len() - 1
            });
            let target = bind.target as usize;
            let slot = self.0.get_mut(place).and_then(|(_, weights)| weights.get_mut(target));
            if let Some(slot) = slot {
                *slot = (*slot + weight * bind.weight).clamp(0.0, 1.0);
            }
        }
    }

    /// The weights at a node; `None` where the mesh's own stand.
    pub fn of(&self, node: NodeIndex) -> Option<&[f32]> {
        self.0.iter().find(|(n, _)| *n == node).map(|(_, weights)| weights.as_slice())
    }
}

/// Positions and normals of a mesh, its own space, with its morph targets at `weights`. Cost: O(V × targets above 0).
pub fn morphed(mesh: &Mesh, weights: &[f32]) -> (Vec<Vec3>, Vec<Vec3>) {
    let (mut positions, mut normals) = (mesh.positions.to_vec(), mesh.normals.to_vec());
    for (target, &weight) in mesh.morphs.iter().zip(weights) {
        if weight == 0.0 || !weight.is_finite() {
            continue;
        }
        for (p, d) in positions.iter_mut().zip(&target.positions) {
            *p += *d * weight;
        }
        for (n, d) in normals.iter_mut().zip(&target.normals) {
            *n += *d * weight;
        }
    }
    (positions, normals)
}

/// How a vertex takes part in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionMark {
    /// The region's kind; `None` for skin outside every region.
    pub kind: Option<RegionKind>,
    /// Whether its region is the selected one, and so shown strongly.
    pub is_selected: bool,
    /// Whether a tool has marked it.
    pub is_marked: bool,
}

/// What an overlay's element stands for; the theme knows its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Accent {
    /// A joint of the body.
    Body,
    /// A joint of a chain.
    Chain,
    /// Whatever is selected.
    Selected,
    /// The ring a region hangs by.
    Collar,
    /// A chain as it rests.
    Rest,
    /// A chain as the springs have it.
    Simulated,
    /// A region's extent along its eigen axes.
    Extent,
    /// What pushes chains away.
    Collider,
    /// The floor that chains lie on.
    Floor,
    /// The plane that chains stay behind.
    Behind,
    /// The world's x axis, or a handle along it.
    AxisX,
    /// The y axis.
    AxisY,
    /// The z axis.
    AxisZ,
}

/// A joint, drawn from its head to where its child begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneMark {
    /// The joint.
    pub node: NodeIndex,
    /// Where it is, world, metres.
    pub head: Vec3,
    /// Where it ends.
    pub tail: Vec3,
    /// What it is.
    pub accent: Accent,
}

/// Points joined by straight lines.
#[derive(Clone, Debug, PartialEq)]
pub struct LineMark {
    /// At least two, world, metres.
    pub points: Vec<Vec3>,
    /// What it is.
    pub accent: Accent,
    /// Dashed, so that meaning is not carried by colour alone.
    pub is_dashed: bool,
}

/// Something drawn over the skin that a click can mean; joints are known by their [`BoneMark`].
#[derive(Clone, Debug, PartialEq)]
pub struct PickMark {
    /// What it selects.
    pub what: Selection,
    /// Its lines, world, metres.
    pub lines: Vec<Vec<Vec3>>,
    /// Ends and radius of what lies within them: a click inside means it too, where there is no skin.
    pub solid: Option<(Vec3, Vec3, f32)>,
}

/// A flat piece of nothing, half transparent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneMark {
    /// Round the edge, world, metres.
    pub corners: [Vec3; 4],
    /// What it is.
    pub accent: Accent,
}

/// A word at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelMark {
    /// World, metres.
    pub at: Vec3,
    /// What it says.
    pub text: String,
    /// What it is about.
    pub accent: Accent,
}

/// How skin is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shading {
    /// Lit by the studio's light.
    #[default]
    Lit,
    /// Half transparent, so that joints show through.
    XRay,
}

/// Everything the viewport draws. Cheap to clone: big parts are shared, and who draws keeps what it made of a part
/// for as long as the same `Arc` is handed in.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Meshes and skins.
    pub character: Arc<Character>,
    /// Where its nodes stand.
    pub world: Arc<WorldPose>,
    /// Colours over the skin.
    pub paint: Arc<Paint>,
    /// Instances that are switched off.
    pub hidden: BTreeSet<InstanceIndex>,
    /// Instances that are drawn without the outlines of their materials.
    pub without_outline: BTreeSet<InstanceIndex>,
    /// The box to frame; `None` where nothing is visible.
    pub bounds: Option<Bounds>,
    /// Height of the floor.
    pub floor_m: f32,
    /// Joints to draw.
    pub bones: Vec<BoneMark>,
    /// Lines to draw.
    pub lines: Vec<LineMark>,
    /// Planes to draw.
    pub planes: Vec<PlaneMark>,
    /// What of it can be clicked on.
    pub picks: Vec<PickMark>,
    /// Words to write.
    pub labels: Vec<LabelMark>,
    /// Weights of morph targets.
    pub morphs: Arc<MorphWeights>,
    /// Whether the edges of triangles are drawn over the skin.
    pub has_wire: bool,
    /// How to draw skin.
    pub shading: Shading,
}

impl Scene {
    /// A scene of a rigged character in the pose `world`, without overlays.
    pub fn of(rigged: &Rigged, world: WorldPose) -> Self {
        let character = Arc::new(rigged.character.clone());
        let bounds = posed_bounds(&character, &world);
        Self {
            character,
            bounds,
            floor_m: rigged.body.floor_m,
            world: Arc::new(world),
            ..Self::default()
        }
    }

    /// Whether an instance is drawn.
    pub fn shows(&self, instance: InstanceIndex) -> bool {
        self.character.instance(instance).is_some_and(|i| i.is_visible)
            && !self.hidden.contains(&instance)
    }
}

/// Vertices from which skin is not worked on by the window's own thread, which would stand still for it.
const HEAVY_VERTICES: u32 = 60_000;

/// Whether a character has so many vertices that whoever draws or colours it leaves that to threads of their own.
pub fn is_heavy(character: &Character) -> bool {
    character.surface_offsets().last().is_some_and(|&n| n >= HEAVY_VERTICES)
}

/// The box around all visible skin in the pose `world`. Cost: O(influences).
pub fn posed_bounds(character: &Character, world: &WorldPose) -> Option<Bounds> {
    let mut bounds: Option<Bounds> = None;
    for (index, _) in character.instances().filter(|(_, i)| i.is_visible) {
        let of = Bounds::of(posed_positions(character, world, index));
        bounds = match (bounds, of) {
            (Some(a), Some(b)) => Some(a.union(&b)),
            (a, b) => a.or(b),
        };
    }
    bounds
}

/// World positions of an instance's vertices by linear blend skinning, as the graphics card computes them.
pub fn posed_positions<'a>(
    character: &'a Character,
    world: &WorldPose,
    index: InstanceIndex,
) -> impl Iterator<Item = Vec3> + 'a {
    let posed = Posed::of(character, world, index);
    posed.positions.iter().enumerate().map(move |(v, &p)| posed.vertex(v, p))
}

/// The same at once, all cores: for what a hand waits for.
pub fn all_posed_positions(
    character: &Character,
    world: &WorldPose,
    index: InstanceIndex,
) -> Vec<Vec3> {
    let posed = Posed::of(character, world, index);
    posed.positions.par_iter().enumerate().map(|(v, &p)| posed.vertex(v, p)).collect()
}

/// An instance in a pose.
struct Posed<'a> {
    positions: &'a [Vec3],
    influences: Option<&'a Influences>,
    /// World from mesh, by joint of the skin.
    palette: Vec<Affine3A>,
    at_node: Affine3A,
}

impl<'a> Posed<'a> {
    fn of(character: &'a Character, world: &WorldPose, index: InstanceIndex) -> Self {
        let instance = character.instance(index);
        let mesh = instance.and_then(|i| character.mesh_of(i));
        let skin = instance.and_then(|i| character.skin_of(i));
        let palette = skin.map(|skin| {
            let binds = skin.joints.iter().zip(&skin.joint_from_mesh);
            binds.map(|(&j, b)| world.matrix(j) * Affine3A::from_mat4(*b)).collect()
        });
        let influences = mesh.and_then(|m| m.influences.as_deref()).filter(|_| skin.is_some());
        Self {
            positions: mesh.map(|m| m.positions.as_slice()).unwrap_or_default(),
            influences,
            palette: palette.unwrap_or_default(),
            at_node: instance.map_or(Affine3A::IDENTITY, |i| world.matrix(i.node)),
        }
    }

    /// Where vertex `v` of the mesh is, which stands at `p` in it.
    fn vertex(&self, v: usize, p: Vec3) -> Vec3 {
        let mut sum = 0.0;
        let mut posed = Vec3::ZERO;
        for (joint, weight) in self.influences.into_iter().flat_map(|i| i.of(v)) {
            if let Some(matrix) = self.palette.get(joint.index()) {
                posed += matrix.transform_point3(p) * weight;
                sum += weight;
            }
        }
        if sum > 0.0 { posed / sum } else { self.at_node.transform_point3(p) }
    }
}

/// World position of one vertex of the surface, as [`posed_positions`] has it; `None` for a vertex that is not there.
pub fn posed_vertex(
    character: &Character,
    world: &WorldPose,
    vertex: SurfaceVertex,
) -> Option<Vec3> {
    let (index, local) = character.locate(vertex)?;
    let instance = character.instance(index)?;
    let mesh = character.mesh_of(instance)?;
    let p = mesh.positions.get(local).copied()?;
    let skin = character.skin_of(instance);
    let mut sum = 0.0;
    let mut posed = Vec3::ZERO;
    if let (Some(skin), Some(influences)) = (skin, &mesh.influences) {
        for (joint, weight) in influences.of(local) {
            let node = skin.joints.get(joint.index());
            if let (Some(&node), Some(bind)) = (node, skin.joint_from_mesh.get(joint.index())) {
                let matrix = world.matrix(node) * Affine3A::from_mat4(*bind);
                posed += matrix.transform_point3(p) * weight;
                sum += weight;
            }
        }
    }
    if sum > 0.0 {
        return Some(posed / sum);
    }
    Some(world.matrix(instance.node).transform_point3(p))
}

/// The ring a region hangs by, in the pose `world`: its collar, sorted round the way from the collar to the region.
pub fn collar_line(
    character: &Character,
    world: &WorldPose,
    region: &Region,
    bind_positions: &[Vec3],
) -> Option<LineMark> {
    let way = (region.centroid - region.collar_center).normalize_or(Vec3::Z);
    let (across, up) = way.any_orthonormal_pair();
    let mut ring: Vec<(f32, SurfaceVertex)> = region
        .collar
        .iter()
        .filter_map(|&vertex| {
            let d = *bind_positions.get(vertex.index())? - region.collar_center;
            Some((crate::math::ops::atan2(d.dot(up), d.dot(across)), vertex))
        })
        .collect();
    ring.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut points: Vec<Vec3> =
        ring.iter().filter_map(|&(_, v)| posed_vertex(character, world, v)).collect();
    points.push(*points.first()?);
    Some(LineMark { points, accent: Accent::Collar, is_dashed: false })
}

/// Marks of every vertex of the surface for the `regions` that `shows` tells; body keeps its own colours, and what is
/// selected is always marked.
pub fn region_paint(
    character: &Character,
    regions: &[Region],
    selected: &dyn Fn(&Region) -> bool,
    shows: &dyn Fn(&Region) -> bool,
) -> Paint {
    let n = character.surface_offsets().last().copied().unwrap_or(0) as usize;
    let mut marks = vec![RegionMark::default(); n];
    for region in regions {
        let is_selected = selected(region);
        if (region.kind == RegionKind::Body || !shows(region)) && !is_selected {
            continue;
        }
        for vertex in &region.vertices {
            if let Some(mark) = marks.get_mut(vertex.index())
                && (mark.kind.is_none() || is_selected)
            {
                *mark = RegionMark { kind: Some(region.kind), is_selected, is_marked: false };
            }
        }
    }
    Paint::Regions(marks)
}

/// Joints that move skin, carry a role or belong to a chain, each drawn to its child.
pub fn bone_marks(
    rigged: &Rigged,
    humanoid: &HumanoidMap,
    world: &WorldPose,
    selected: &BTreeSet<NodeIndex>,
) -> Vec<BoneMark> {
    let character = &rigged.character;
    let mut used = vec![false; character.skeleton.len()];
    let joints = character.skins.iter().flat_map(|s| &s.joints).chain(humanoid.roles.values());
    for node in joints.chain(rigged.chains.iter().flat_map(|c| &c.joints)) {
        if let Some(slot) = used.get_mut(node.index()) {
            *slot = true;
        }
    }
    let in_chain: BTreeSet<NodeIndex> = rigged
        .chains
        .iter()
        .filter(|c| matches!(c.origin, ChainOrigin::Grown(_)) || c.is_driven)
        .flat_map(|c| c.joints.iter().copied())
        .collect();
    let children = character.skeleton.children();
    let position = |n: NodeIndex| -> Vec3 { world.matrix(n).translation.into() };
    let mut marks = Vec::new();
    for node in character.skeleton.indices().filter(|n| used[n.index()]) {
        let head = position(node);
        let accent = match () {
            () if selected.contains(&node) => Accent::Selected,
            () if in_chain.contains(&node) => Accent::Chain,
            () => Accent::Body,
        };
        let below = children.get(node.index()).map(Vec::as_slice).unwrap_or_default();
        let ends: Vec<Vec3> = below
            .iter()
            .filter(|n| used[n.index()] || in_chain.contains(&node))
            .map(|&n| position(n))
            .collect();
        if ends.is_empty() {
            let from = character.skeleton.parent(node).map_or(head, position);
            marks.push(BoneMark { node, head, tail: head + (head - from) * 0.4, accent });
        }
        marks.extend(ends.into_iter().map(|tail| BoneMark { node, head, tail, accent }));
    }
    marks.retain(|m| m.head.distance_squared(m.tail) > 1e-12);
    marks
}

/// The centre line of a chain in the pose `world`: its joints, then its tip.
pub fn chain_line(chain: &Chain, world: &WorldPose) -> Vec<Vec3> {
    let mut points: Vec<Vec3> =
        chain.joints.iter().map(|&j| world.matrix(j).translation.into()).collect();
    match (chain.tip, chain.joints.last()) {
        (Tip::Node(node), _) => points.push(world.matrix(node).translation.into()),
        (Tip::Virtual(p), Some(&last)) => points.push(world.matrix(last).transform_point3(p)),
        (Tip::Virtual(_), None) => {}
    }
    points
}

/// World matrices of the neutral pose with the anchor's subtree carried along: where a chain rests while its anchor is
/// where `world` has it.
pub fn rest_line(rigged: &Rigged, chain: &Chain, world: &WorldPose) -> Vec<Vec3> {
    let neutral: &Pose = &rigged.bind.pose;
    let mut resting = world.clone();
    for node in chain.nodes() {
        let parent = rigged.character.skeleton.parent(node);
        let parent = parent.map_or(rigged.character.root_matrix(), |p| resting.matrix(p));
        if let Some(slot) = resting.world_from_node.get_mut(node.index()) {
            *slot = parent * neutral.local(node).to_affine();
        }
    }
    chain_line(chain, &resting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BindPose, SurfaceVertex};
    use crate::samples::family;

    #[test]
    fn one_vertex_is_posed_as_all_are() {
        let character = family(3).character;
        let world = character.loaded_world();
        let offsets = character.surface_offsets();
        for (index, _) in character.instances() {
            let first = offsets[index.index()];
            let all: Vec<Vec3> = posed_positions(&character, &world, index).collect();
            assert_eq!(all_posed_positions(&character, &world, index), all);
            for (v, p) in all.into_iter().enumerate().step_by(97) {
                let one = posed_vertex(&character, &world, SurfaceVertex(first + v as u32));
                assert!(one.unwrap().distance(p) < 1e-5);
            }
        }
    }

    #[test]
    fn joints_end_where_their_children_begin() {
        let sample = family(3);
        let bind = BindPose::of(&sample.character, None);
        let world = bind.world.clone();
        let rigged = Rigged { character: sample.character, bind, ..Rigged::default() };
        let marks = bone_marks(&rigged, &sample.truth.roles, &world, &BTreeSet::new());
        assert!(!marks.is_empty());
        for mark in marks {
            let below = rigged.character.skeleton.children()[mark.node.index()]
                .iter()
                .any(|&child| Vec3::from(world.matrix(child).translation) == mark.tail);
            let is_leaf = rigged.character.skeleton.children()[mark.node.index()].is_empty();
            assert!(below || is_leaf, "{mark:?}");
        }
    }
}
