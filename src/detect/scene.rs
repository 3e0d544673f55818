//! Everything that judging a piece of skin needs, worked out once.

use std::sync::OnceLock;

use glam::Vec3;

use super::skeleton_distance::is_skinned;
use super::{DetectSettings, DistanceField, SkeletonSegments};
use crate::geometry::{PointGrid, Surface, Topology};
use crate::model::{
    BindPose, BodyMeasures, Character, HumanoidMap, InstanceIndex, NodeIndex, Role,
};

/// Where on a body a joint belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Hips and thigh heads.
    Pelvis,
    /// Spine and chest.
    Spine,
    Neck,
    Head,
    /// Arms, hands, legs below the thigh, feet.
    Limb,
    /// No joint above it has a role.
    Unknown,
}

/// The character as detection sees it.
pub(super) struct Scene<'a> {
    pub character: &'a Character,
    pub bind: &'a BindPose,
    pub humanoid: &'a HumanoidMap,
    pub surface: &'a Surface,
    pub topology: &'a Topology,
    pub body: BodyMeasures,
    pub segments: &'a SkeletonSegments,
    /// Over welded vertices.
    pub field: &'a DistanceField,
    pub settings: &'a DetectSettings,
    /// `[W]`: visible skin that follows joints.
    pub is_skin: Vec<bool>,
    /// m².
    pub total_area: f32,
    shells: Shells,
    places: Vec<Place>,
    /// `[nodes]`: whether each has a role of its own.
    has_role: Vec<bool>,
    /// Where the sagittal plane runs through.
    thigh_middle: Vec3,
    grid: OnceLock<PointGrid>,
}

/// What is known of each shell.
struct Shells {
    /// m².
    areas: Vec<f32>,
    /// Whether each is the body, as far as known.
    is_body: Vec<OnceLock<bool>>,
}

impl<'a> Scene<'a> {
    #[expect(clippy::too_many_arguments, reason = "the parts are made by one caller, once")]
    pub fn new(
        character: &'a Character,
        bind: &'a BindPose,
        humanoid: &'a HumanoidMap,
        surface: &'a Surface,
        topology: &'a Topology,
        (body, thigh_middle): (BodyMeasures, Vec3),
        segments: &'a SkeletonSegments,
        field: &'a DistanceField,
        settings: &'a DetectSettings,
    ) -> Self {
        let (is_skin, (shells, total_area)) =
            rayon::join(|| skin(character, surface, topology), || Shells::new(topology));
        let (places, has_role) = places(character, humanoid);
        Self {
            character,
            bind,
            humanoid,
            surface,
            topology,
            body,
            segments,
            field,
            settings,
            is_skin,
            total_area,
            shells,
            places,
            has_role,
            thigh_middle,
            grid: OnceLock::new(),
        }
    }

    /// H in metres.
    pub fn height(&self) -> f32 {
        self.body.height_m
    }

    /// The distance from which skin is far, in metres.
    pub fn far_m(&self) -> f32 {
        self.settings.far_share * self.height()
    }

    pub fn position(&self, welded: u32) -> Vec3 {
        self.topology.graph.positions[welded as usize]
    }

    pub fn distance(&self, welded: u32) -> f32 {
        self.field.distance[welded as usize]
    }

    /// Welded vertices of a shell, sorted.
    pub fn shell(&self, shell: u32) -> &[u32] {
        self.topology.shell(shell)
    }

    /// A third of the area of the triangles around a vertex, m².
    pub fn area(&self, welded: u32) -> f32 {
        self.topology.areas[welded as usize]
    }

    /// A point in body axes: x left, y up, z forward, from the middle between the thigh heads.
    pub fn in_body(&self, p: Vec3) -> Vec3 {
        self.body.world_from_body.inverse() * (p - self.thigh_middle)
    }

    /// The point over a plane mirror through the thighs' middle.
    pub fn mirrored(&self, p: Vec3) -> Vec3 {
        mirrored(p, self.body.left(), self.thigh_middle)
    }

    pub fn place(&self, node: NodeIndex) -> Place {
        self.places.get(node.index()).copied().unwrap_or(Place::Unknown)
    }

    /// Whether a joint belongs to the head or the neck.
    pub fn is_head(&self, node: NodeIndex) -> bool {
        matches!(self.place(node), Place::Head | Place::Neck)
    }

    /// The joint that a collar at `center` hangs from.
    ///
    /// The nearest joint; but a torso or thigh joint not much farther wins, since around the pelvis the thigh heads are
    /// as near as the hips. Ours: of torso joints the pelvis wins likewise, by half that bias, since tails leave the
    /// body between hips and the first spine joint. A thigh that wins counts as the hips.
    pub fn attachment(&self, center: Vec3) -> Option<NodeIndex> {
        let all =
            || self.segments.joints.iter().map(|&j| (self.bind.position(j).distance(center), j));
        let least = |list: &mut dyn Iterator<Item = (f32, NodeIndex)>| {
            list.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        };
        let (nearest_m, nearest) = least(&mut all())?;
        let bias = self.settings.torso_bias;
        let has_role = |j: NodeIndex| self.has_role.get(j.index()).copied().unwrap_or(false);
        let of = |place: Place| {
            least(&mut all().filter(|&(_, j)| self.place(j) == place && has_role(j)))
                .filter(|&(d, _)| d <= nearest_m * bias)
        };
        let winner = match (of(Place::Pelvis), of(Place::Spine)) {
            (Some(pelvis), Some(spine)) => {
                let edge = 1.0 + (bias - 1.0) * 0.5;
                if pelvis.0 <= spine.0 * edge { pelvis.1 } else { spine.1 }
            }
            (Some((_, joint)), None) | (None, Some((_, joint))) => joint,
            (None, None) => nearest,
        };
        if self.place(winner) == Place::Pelvis {
            return self.humanoid.node(Role::Hips).or(Some(winner));
        }
        Some(winner)
    }

    /// Whether a shell is the body, or a part of one: the largest, or one that wraps a bone all round.
    pub fn is_body(&self, shell: u32) -> bool {
        let s = shell as usize;
        *self.shells.is_body[s].get_or_init(|| {
            let largest = self.shells.areas.iter().copied().fold(0.0, f32::max);
            self.shells.areas[s] >= largest || self.wraps_a_bone(self.shell(shell))
        })
    }

    /// Whether a vertex belongs to the body's skin.
    pub fn is_body_skin(&self, v: u32) -> bool {
        self.is_body(self.topology.shell_of[v as usize])
    }

    /// Whether the skin of `vertices` lies round a bone on all sides: in seven of eight directions about a segment it
    /// is the nearest to, along a good part of it.
    fn wraps_a_bone(&self, vertices: &[u32]) -> bool {
        const SECTORS: usize = 8;
        let n = self.segments.segments.len();
        let mut sectors = vec![[0.0_f32; SECTORS]; n];
        let mut area = 0.0;
        for &v in vertices {
            let (p, s) = (self.position(v), self.field.nearest[v as usize] as usize);
            area += self.area(v);
            let Some(segment) = self.segments.segments.get(s) else { continue };
            let Some(axis) = (segment.b - segment.a).try_normalize() else { continue };
            let along = (p - segment.a).dot(axis);
            if along <= 0.0 || along >= segment.a.distance(segment.b) {
                continue;
            }
            let out = p - segment.a - axis * along;
            let (u, w) = axis.any_orthonormal_pair();
            let angle = crate::math::ops::atan2(out.dot(w), out.dot(u)) / std::f32::consts::TAU;
            let sector = ((angle + 0.5) * SECTORS as f32) as usize % SECTORS;
            sectors[s][sector] += self.area(v);
        }
        sectors.iter().any(|of| {
            let total: f32 = of.iter().sum();
            total > 0.05 * area && of.iter().filter(|&&a| a > 0.02 * total).count() >= SECTORS - 1
        })
    }

    /// Makes ready what [`Self::gap`] looks in, so that no thread waits for it later.
    pub fn prepare_gaps(&self) {
        self.grid.get_or_init(|| self.body_grid());
    }

    // Nothing in here may hand work to other threads: they may be waiting for this grid.
    fn body_grid(&self) -> PointGrid {
        let skin = (0..self.topology.graph.len() as u32)
            .filter(|&v| self.is_skin[v as usize] && self.is_body_skin(v))
            .map(|v| (v, self.position(v)));
        PointGrid::new(skin, 0.02 * self.height())
    }

    /// How far `p` is outside the nearest body skin for which `counts` holds, in metres: 0 inside of it, and 0.08 of the
    /// height where there is none within that.
    pub fn gap(&self, p: Vec3, counts: impl Fn(u32) -> bool) -> f32 {
        let reach = 0.08 * self.height();
        let grid = self.grid.get_or_init(|| self.body_grid());
        let Some((v, distance)) = grid.nearest_within(p, reach, counts) else { return reach };
        let is_inside = (p - self.position(v)).dot(self.normal(v)) < 0.0;
        if is_inside { 0.0 } else { distance }
    }

    /// Normal of the skin at a vertex, weighted by area, not made unit.
    fn normal(&self, v: u32) -> Vec3 {
        let (graph, p) = (&self.topology.graph, self.position(v));
        graph
            .sides_at(v)
            .iter()
            .map(|side| {
                let [a, b] = side.map(|u| self.position(u) - p);
                a.cross(b)
            })
            .sum()
    }

    /// Visible instances that hang unskinned from a node.
    pub fn skinless(&self) -> impl Iterator<Item = (InstanceIndex, NodeIndex)> + '_ {
        self.character.instances().filter_map(|(index, instance)| {
            let hangs = instance.is_visible && !is_skinned(self.character, index);
            hangs.then_some((index, instance.node))
        })
    }
}

impl Shells {
    /// The shells of `topology`, and the area of all skin in m².
    fn new(topology: &Topology) -> (Self, f32) {
        let mut areas = vec![0.0; topology.n_shells];
        let mut total = 0.0;
        for (&shell, &area) in topology.shell_of.iter().zip(&topology.areas) {
            total += f64::from(area);
            if let Some(sum) = areas.get_mut(shell as usize) {
                *sum += area;
            }
        }
        let is_body = areas.iter().map(|_| OnceLock::new()).collect();
        (Self { areas, is_body }, total as f32)
    }
}

/// `[W]`: visible skin that follows joints.
fn skin(character: &Character, surface: &Surface, topology: &Topology) -> Vec<bool> {
    let mut is_skin = vec![false; topology.graph.len()];
    for (index, instance) in character.instances() {
        if instance.is_visible && is_skinned(character, index) {
            for v in surface.vertices_of(index) {
                is_skin[topology.weld.welded_of[v as usize] as usize] = true;
            }
        }
    }
    for (is_skin, &shell) in is_skin.iter_mut().zip(&topology.shell_of) {
        *is_skin &= shell != Topology::NO_SHELL;
    }
    is_skin
}

/// A point over the plane through `middle` across `left`, which is unit.
pub(super) fn mirrored(p: Vec3, left: Vec3, middle: Vec3) -> Vec3 {
    p - left * (2.0 * (p - middle).dot(left))
}

/// The middle between the thigh heads, else the hips, else the middle of all skin.
pub(super) fn thigh_middle(humanoid: &HumanoidMap, bind: &BindPose, surface: &Surface) -> Vec3 {
    let at = |role| humanoid.node(role).map(|n| bind.position(n));
    match (at(Role::LeftUpperLeg), at(Role::RightUpperLeg), at(Role::Hips)) {
        (Some(left), Some(right), _) => (left + right) * 0.5,
        (_, _, Some(hips)) => hips,
        _ => surface.bounds().map_or(Vec3::ZERO, |(low, high)| (low + high) * 0.5),
    }
}

fn place_of(role: Role) -> Place {
    use Role as R;
    match role {
        R::Hips | R::LeftUpperLeg | R::RightUpperLeg => Place::Pelvis,
        R::Spine | R::Chest | R::UpperChest => Place::Spine,
        R::Neck => Place::Neck,
        R::Head | R::Jaw | R::LeftEye | R::RightEye => Place::Head,
        _ => Place::Limb,
    }
}

/// The place of every node: its own role's, or that of the nearest node above it with one; and whether it has one of its
/// own. A joint without a role below the thigh belongs to the leg, not to the pelvis.
fn places(character: &Character, humanoid: &HumanoidMap) -> (Vec<Place>, Vec<bool>) {
    let skeleton = &character.skeleton;
    let mut places = vec![Place::Unknown; skeleton.len()];
    let mut roles = vec![None; skeleton.len()];
    for (&role, &node) in &humanoid.roles {
        if let Some(slot) = roles.get_mut(node.index()) {
            *slot = Some(role);
        }
    }
    for node in skeleton.indices() {
        let above = skeleton.parent(node);
        places[node.index()] = match (roles[node.index()], above) {
            (Some(role), _) => place_of(role),
            (None, Some(parent)) => match roles[parent.index()] {
                Some(Role::LeftUpperLeg | Role::RightUpperLeg) => Place::Limb,
                _ => places[parent.index()],
            },
            (None, None) => Place::Unknown,
        };
    }
    (places, roles.iter().map(Option::is_some).collect())
}
