//! What explains a chain and a region in the viewport: names, extent, colliders, floor and plane.

use std::collections::BTreeMap;

use glam::{Affine3A, Vec3};

use super::scene::{Accent, BoneMark, LabelMark, LineMark, PlaneMark};
use crate::math::ops;
use crate::model::{Chain, Character, ColliderShape, Region, Rigged, WorldPose};
use crate::motion::{ColliderKind, ColliderPose};
use crate::perform::LegBone;

/// Corners of a circle.
const ROUND: usize = 40;

/// The names of the joints that are drawn, each once, at its head.
pub(super) fn names(character: &Character, bones: &[BoneMark]) -> Vec<LabelMark> {
    let mut by_node = BTreeMap::new();
    for bone in bones {
        by_node.entry(bone.node).or_insert(bone);
    }
    let label = |bone: &BoneMark| LabelMark {
        at: bone.head,
        text: character.skeleton.name(bone.node).to_owned(),
        accent: bone.accent,
    };
    let mut labels: Vec<LabelMark> = by_node.into_values().map(label).collect();
    // Where they crowd, the ones that matter are written first.
    let rank = |accent: Accent| match accent {
        Accent::Selected => 0,
        Accent::Chain => 1,
        _ => 2,
    };
    labels.sort_by_key(|label| rank(label.accent));
    labels
}

/// A circle about `center`, spanned by two vectors.
fn circle(center: Vec3, a: Vec3, b: Vec3, accent: Accent) -> LineMark {
    let at = |i: usize| {
        let turn = i as f32 / ROUND as f32 * std::f32::consts::TAU;
        center + a * ops::cos(turn) + b * ops::sin(turn)
    };
    LineMark { points: (0..=ROUND).map(at).collect(), accent, is_dashed: false }
}

/// A ring that lies, about a point.
pub(super) fn ring(center: Vec3, radius: f32, accent: Accent) -> LineMark {
    circle(center, Vec3::X * radius, Vec3::Z * radius, accent)
}

/// A region's eigen axes as an ellipsoid of two standard deviations, carried along by the joint it hangs from.
pub(super) fn extent(rigged: &Rigged, region: &Region, world: &WorldPose) -> Vec<LineMark> {
    let bind = rigged.bind.world.matrix(region.attachment);
    let moved = world.matrix(region.attachment) * bind.inverse();
    let axes: Vec<Vec3> = region
        .axes
        .iter()
        .zip(region.scores.eigenvalues)
        .map(|(axis, value)| moved.transform_vector3(*axis * 2.0 * value.max(0.0).sqrt()))
        .collect();
    let [a, b, c] = axes.as_slice() else { return Vec::new() };
    let center = moved.transform_point3(region.centroid);
    let mut lines = vec![
        circle(center, *a, *b, Accent::Extent),
        circle(center, *a, *c, Accent::Extent),
        circle(center, *b, *c, Accent::Extent),
    ];
    lines.extend(axes.iter().map(|axis| LineMark {
        points: vec![center - *axis, center + *axis],
        accent: Accent::Extent,
        is_dashed: true,
    }));
    lines.retain(|line| line.points.iter().all(|p| p.is_finite()));
    lines
}

/// The capsules of the legs, and the thickness of chains at their joints.
pub(super) fn thickness(rigged: &Rigged, legs: &[LegBone], world: &WorldPose) -> Vec<LineMark> {
    let at = |node| Vec3::from(world.matrix(node).translation);
    let mut lines = Vec::new();
    let meets_legs = |c: &Chain| c.is_driven && c.settings.leg_colliders;
    if rigged.chains.iter().any(meets_legs) {
        for leg in legs {
            lines.extend(capsule(at(leg.from), at(leg.to), leg.radius_m, Accent::Collider));
        }
    }
    for chain in rigged.chains.iter().filter(|c| c.is_driven) {
        let points = super::scene::chain_line(chain, world);
        let n = points.len().saturating_sub(1);
        for (i, pair) in points.windows(2).enumerate() {
            let [from, to] = pair else { continue };
            let radius = link_radius(rigged, chain, (i, n));
            let (a, b) = (*to - *from).normalize_or(Vec3::Y).any_orthonormal_pair();
            lines.push(circle(*to, a * radius, b * radius, Accent::Collider));
        }
    }
    lines
}

/// How thick link `i` of `n` is, metres.
fn link_radius(rigged: &Rigged, chain: &Chain, (i, n): (usize, usize)) -> f32 {
    let size = rigged.body.size_ratio();
    match &chain.hair {
        Some(strand) => {
            let own = strand.links.get(i).and_then(|l| l.radius_m);
            own.unwrap_or(strand.settings.radius_m.at(i, chain.joints.len()) * size)
        }
        None if chain.settings.scale_with_height => chain.settings.radius_m.at(i, n) * size,
        None => chain.settings.radius_m.at(i, n),
    }
}

/// Half of the side of a plane's square, metres.
const HALF: f32 = 0.1;

/// What hair is kept out of: a capsule, or a square of a plane about as large as a hand is long.
pub(super) fn collider(
    shape: &ColliderShape,
    world_from_node: &Affine3A,
    accent: Accent,
) -> Vec<LineMark> {
    let pose = ColliderPose::of(shape, world_from_node);
    if !pose.is_finite() {
        return Vec::new();
    }
    if pose.kind != ColliderKind::Plane {
        return capsule(pose.a, pose.b, pose.radius_m, accent);
    }
    let normal = pose.b - pose.a;
    let (a, b) = normal.normalize_or(Vec3::Y).any_orthonormal_pair();
    let (_, edge) = square(pose.a, a * HALF, b * HALF, accent);
    let points = vec![pose.a, pose.a + normal * HALF];
    vec![edge, LineMark { points, accent, is_dashed: false }]
}

/// All colliders that are met, as nobody has selected any.
pub(super) fn colliders(rigged: &Rigged, world: &WorldPose) -> Vec<LineMark> {
    let met = rigged.colliders.iter().filter(|c| c.is_met());
    met.flat_map(|c| collider(&c.shape, &world.matrix(c.node), Accent::Collider)).collect()
}

/// A capsule: a ring at each end, four sides and two arcs over each end.
fn capsule(from: Vec3, to: Vec3, radius: f32, accent: Accent) -> Vec<LineMark> {
    let along = (to - from).normalize_or(Vec3::Y);
    let (a, b) = along.any_orthonormal_pair();
    let mut lines = vec![
        circle(from, a * radius, b * radius, accent),
        circle(to, a * radius, b * radius, accent),
    ];
    for side in [a, b] {
        // Down one side, round the end, up the other, round the other end.
        let cap = |center: Vec3, start: Vec3, over: Vec3| {
            (0..=ROUND / 2).map(move |i| {
                let turn = i as f32 / (ROUND / 2) as f32 * std::f32::consts::PI;
                center + (start * ops::cos(turn) + over * ops::sin(turn)) * radius
            })
        };
        let mut points: Vec<Vec3> = cap(to, side, along).collect();
        points.extend(cap(from, -side, -along));
        points.extend(points.first().copied());
        lines.push(LineMark { points, accent, is_dashed: false });
    }
    lines
}

/// A square about `center`, spanned by two vectors, with its edge.
fn square(center: Vec3, a: Vec3, b: Vec3, accent: Accent) -> (PlaneMark, LineMark) {
    let corners = [center - a - b, center + a - b, center + a + b, center - a + b];
    let mut points = corners.to_vec();
    points.push(center - a - b);
    (PlaneMark { corners, accent }, LineMark { points, accent, is_dashed: false })
}

/// The floor that a chain lies on, around where it is.
pub(super) fn floor(rigged: &Rigged, chain: &Chain, world: &WorldPose) -> (PlaneMark, LineMark) {
    let settings = &chain.settings;
    let size = if settings.scale_with_height { rigged.body.size_ratio() } else { 1.0 };
    let height = rigged.body.floor_m + settings.ground_height_m * size;
    let half = rigged.body.height_m * 0.45;
    let anchor: Vec3 = world.matrix(chain.anchor).translation.into();
    let center = anchor.with_y(height);
    square(center, Vec3::X * half, Vec3::Z * half, Accent::Floor)
}

/// The plane through a chain's root that its links stay behind.
pub(super) fn behind(rigged: &Rigged, chain: &Chain, world: &WorldPose) -> (PlaneMark, LineMark) {
    let moved: Affine3A =
        world.matrix(chain.anchor) * rigged.bind.world.matrix(chain.anchor).inverse();
    let forward = moved.transform_vector3(rigged.body.forward()).normalize_or(Vec3::Z);
    let root = chain.joints.first().copied().unwrap_or(chain.anchor);
    let center: Vec3 = world.matrix(root).translation.into();
    let half = rigged.body.height_m * 0.22;
    let side = Vec3::Y.cross(forward).normalize_or(Vec3::X);
    square(center, side * half, forward.cross(side) * half, Accent::Behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RegionScores;

    #[test]
    fn a_capsule_keeps_its_radius_from_its_axis() {
        let (from, to, radius) = (Vec3::new(0.1, 1.0, 0.0), Vec3::new(0.2, 0.5, 0.1), 0.08);
        for p in capsule(from, to, radius, Accent::Collider).iter().flat_map(|l| &l.points) {
            let way = to - from;
            let t = ((*p - from).dot(way) / way.length_squared()).clamp(0.0, 1.0);
            assert!((p.distance(from + way * t) - radius).abs() < 1e-5);
        }
    }

    #[test]
    fn an_extent_reaches_two_deviations_along_each_axis_and_follows_its_joint() {
        let sample = crate::samples::family(2);
        let bind = crate::model::BindPose::of(&sample.character, None);
        let rigged =
            Rigged { character: sample.character, bind: bind.clone(), ..Rigged::default() };
        let region = Region {
            centroid: Vec3::new(0.0, 1.0, -0.5),
            axes: [Vec3::Z, Vec3::X, Vec3::Y],
            scores: RegionScores { eigenvalues: [0.09, 0.04, 0.01], ..RegionScores::default() },
            ..Region::bare(0)
        };
        let mut world = bind.world.clone();
        let reach = |world: &WorldPose| {
            let lines = extent(&rigged, &region, world);
            let points = lines.into_iter().flat_map(|l| l.points);
            super::super::scene::Bounds::of(points).unwrap()
        };
        let at_rest = reach(&world);
        assert!(((at_rest.high - at_rest.low) - Vec3::new(0.8, 0.4, 1.2)).length() < 1e-4);
        world.world_from_node[0].translation.x += 2.0;
        let moved = reach(&world);
        assert!((moved.center() - at_rest.center() - Vec3::X * 2.0).length() < 1e-5);
    }
}
