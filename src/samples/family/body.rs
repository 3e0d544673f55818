//! The family's bodies: one implicit field from a figure.

use glam::Vec3;

use super::plan::Plan;
use crate::samples::figure::{Figure, JointKey, Side};
use crate::samples::shape::{Field, Shape};

/// The body of `plan`, skinned over `figure`. `rear` is the label of a centaur's hind part, if it has one.
pub(crate) fn body(plan: &Plan, figure: &Figure, rear: Option<u16>) -> Field {
    let h = plan.proportions.height;
    let g = plan.girth;
    let mut field = Field::default();
    let blend = 0.03 * h;
    let axial = |i| figure.at(JointKey::Axial(i));
    let (hips, chest, neck, head) = (axial(0), axial(3), axial(4), axial(5));
    let p = &plan.proportions;
    let pelvis = Vec3::new(p.hip_width * 1.35 * g.max(0.9), 0.055, 0.052 * g) * h;
    let ribs = Vec3::new(p.shoulders * 0.8 * g.max(0.9), 0.1, 0.055 * g) * h;
    let mut trunk = vec![
        Shape::ball(hips + Vec3::new(0.0, -0.005, -0.008) * h, pelvis),
        Shape::ball((hips + chest) * 0.5, Vec3::new(0.062 * g, 0.1, 0.046 * g) * h),
        Shape::ball(chest + Vec3::new(0.0, 0.0, 0.006) * h, ribs),
        Shape::cone(chest, neck, 0.045 * h * g, 0.03 * h),
    ];
    if plan.belly > 0.0 {
        let size = (0.05 + 0.05 * plan.belly) * h * g;
        let place = hips.lerp(chest, 0.35) + Vec3::Z * (0.02 + 0.035 * plan.belly) * h;
        trunk.push(Shape::ball(place, Vec3::new(size, size * 1.1, size)));
    }
    field.add(0, blend, blend, trunk);
    field.add(0, 0.02 * h, 0.02 * h, head_shapes(plan, neck, head, h));
    for side in Side::BOTH {
        field.add(0, 0.012 * h, 0.03 * h, arm(figure, side, h, g));
        field.add(0, 0.015 * h, 0.03 * h, leg(figure, side, h, g));
    }
    if let Some(label) = rear {
        field.add(label, 0.03 * h, 0.05 * h, hind_part(hips, h, g));
    }
    // A limb needs two cells across to stay in one piece.
    field.thicken(0.95 * plan.cell * h);
    field
}

fn head_shapes(plan: &Plan, neck: Vec3, head: Vec3, h: f32) -> Vec<Shape> {
    let top = Vec3::new(0.0, h, 0.0);
    let size = (top.y - head.y) * 0.5;
    let skull = Vec3::new(head.x, head.y + size, head.z + 0.012 * h);
    let mut shapes = vec![
        Shape::cone(neck - Vec3::Y * 0.01 * h, head + Vec3::Y * 0.01 * h, 0.03 * h, 0.028 * h),
        Shape::ball(skull, Vec3::new(size * 0.82, size, size * 0.95)),
    ];
    if plan.muzzle > 0.0 {
        let snout = skull + Vec3::new(0.0, -0.25 * size, size * (0.9 + 0.8 * plan.muzzle));
        shapes.push(Shape::cone(skull - Vec3::Y * 0.2 * size, snout, size * 0.6, size * 0.28));
    } else {
        let chin = skull + Vec3::new(0.0, -0.62 * size, size * 0.45);
        shapes.push(Shape::ball(chin, Vec3::splat(size * 0.36)));
        let nose = skull + Vec3::new(0.0, -0.18 * size, size * 0.95);
        shapes.push(Shape::ball(nose, Vec3::new(0.14, 0.2, 0.16) * size));
    }
    shapes
}

fn arm(figure: &Figure, side: Side, h: f32, g: f32) -> Vec<Shape> {
    let at = |i| figure.at(JointKey::Arm(side, i));
    let (shoulder, upper, lower, hand) = (at(0), at(1), at(2), at(3));
    let along = (hand - lower).normalize_or(Vec3::X);
    let thumb = hand + along * 0.018 * h + Vec3::Z * 0.018 * h;
    let across = along.cross(Vec3::Z).normalize_or(Vec3::Y);
    let k = h * g;
    vec![
        Shape::cone(shoulder, upper, 0.034 * k, 0.034 * k),
        Shape::cone(upper, lower, 0.031 * k, 0.024 * k),
        Shape::cone(lower, hand, 0.025 * k, 0.016 * k),
        Shape::flat_cone([hand, hand + along * 0.05 * h], [0.018 * h, 0.024 * h], across, 0.6),
        Shape::cone(hand + along * 0.05 * h, hand + along * 0.085 * h, 0.016 * h, 0.012 * h),
        Shape::cone(thumb, thumb + along * 0.02 * h + Vec3::Z * 0.012 * h, 0.011 * h, 0.009 * h),
    ]
}

fn leg(figure: &Figure, side: Side, h: f32, g: f32) -> Vec<Shape> {
    let at = |i| figure.at(JointKey::Leg(side, i));
    let (thigh, knee, ankle, ball) = (at(0), at(1), at(2), at(3));
    let k = h * g;
    let sole = |p: Vec3, r: f32| Vec3::new(p.x, r, p.z);
    let heel = sole(ankle - Vec3::Z * 0.015 * h, 0.024 * h);
    let toes = sole(ball + Vec3::Z * 0.025 * h, 0.018 * h);
    let mut shapes = vec![
        Shape::cone(thigh, knee, 0.052 * k, 0.033 * k),
        Shape::cone(knee, ankle, 0.034 * k, 0.021 * k),
        Shape::cone(ankle, sole(ball, 0.022 * h), 0.022 * k, 0.022 * h),
        Shape::flat_cone([sole(ball, 0.02 * h), toes], [0.026 * h, 0.022 * h], Vec3::Y, 0.75),
    ];
    if ankle.y < 0.07 * h {
        shapes.push(Shape::cone(ankle, heel, 0.022 * h, 0.022 * h));
    }
    shapes
}

/// A barrel behind the pelvis on two hind legs that stand on the floor.
fn hind_part(hips: Vec3, h: f32, g: f32) -> Vec<Shape> {
    let croup = hips + Vec3::new(0.0, -0.02, -0.34) * h;
    let mut shapes =
        vec![Shape::cone(hips - Vec3::Z * 0.06 * h, croup, 0.085 * h * g, 0.09 * h * g)];
    for x in [0.055, -0.055] {
        let stifle = Vec3::new(x * h, hips.y * 0.55, croup.z + 0.02 * h);
        let hock = Vec3::new(x * h, hips.y * 0.28, croup.z - 0.04 * h);
        let hoof = Vec3::new(x * h, 0.02 * h, croup.z);
        shapes.push(Shape::cone(Vec3::new(x * h, croup.y, croup.z), stifle, 0.06 * h, 0.042 * h));
        shapes.push(Shape::cone(stifle, hock, 0.042 * h, 0.024 * h));
        shapes.push(Shape::cone(hock, hoof, 0.024 * h, 0.022 * h));
    }
    shapes
}
