//! What must not matter: joint axes, size, side, how often someone looks.

use glam::Mat3;
use proptest::prelude::*;

use super::*;

/// The 24 rotations that permute and flip axes.
fn axis_permutations() -> Vec<Quat> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let mut all = Vec::new();
    for x in axes {
        for y in axes {
            if x.dot(y) == 0.0 {
                all.push(Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))));
            }
        }
    }
    all
}

#[test]
fn the_motion_is_the_same_for_all_permutations_of_the_hips_axes() {
    let run = |axes| {
        let spec = TailSpec { hips_axes: axes, ..TailSpec::fox() };
        let mut tail = spec.springs(SpringSettings::default());
        tail.run(1.5, |t| walk(t) * sweep(t, 0.5, 0.3));
        tail.ends()
    };
    let wanted = run(Quat::IDENTITY);
    let all = axis_permutations();
    assert_eq!(all.len(), 24);
    for axes in all {
        for (a, b) in run(axes).iter().zip(&wanted) {
            assert!(a.distance(*b) < 2e-5, "{axes}: {a} and {b}");
        }
    }
}

#[test]
fn any_attachment_joint_gives_the_same_motion() {
    // Another joint between hips and tail, turned at random: the anchor is the tail's parent.
    let plain = TailSpec::fox();
    let mut a = plain.springs(SpringSettings::default());
    let turned = TailSpec { hips_axes: super::rest::some_rotation(7), ..plain };
    let mut b = turned.springs(SpringSettings::default());
    a.run(1.0, |t| sweep(t, 1.0, 0.3));
    b.run(1.0, |t| sweep(t, 1.0, 0.3));
    assert!(a.tip().distance(b.tip()) < 2e-5);
}

fn mirrored(m: Affine3A) -> Affine3A {
    let flip = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    flip * m * flip
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn motion_commutes_with_uniform_scale(
        scale in 0.15_f32..2.0,
        n in 1_usize..8,
        x in -0.5_f32..0.5,
        z in -1.0_f32..0.5,
    ) {
        let spec = TailSpec::straight(n, 0.9, Vec3::new(x, -1.0, z));
        let mut a = spec.clone().springs(SpringSettings::default());
        let mut b = spec.scaled(scale).springs(SpringSettings::default());
        let motion = |t: f32| {
            walk(t) * sweep(t, 0.5, 0.3) * Affine3A::from_translation(Vec3::Y * -0.4 * t.min(1.0))
        };
        a.run(1.5, motion);
        b.run(1.5, |t| {
            let mut m = motion(t);
            m.translation *= scale;
            m
        });
        for (p, q) in a.ends().iter().zip(b.ends()) {
            prop_assert!((*p * scale).distance(q) < 2e-4 * scale, "{p} and {}", q / scale);
        }
    }

    #[test]
    fn motion_is_mirrored_when_the_body_is(
        n in 1_usize..8,
        x in -0.6_f32..0.6,
        z in -1.0_f32..0.2,
        yaw in -1.0_f32..1.0,
    ) {
        let spec = TailSpec::straight(n, 0.9, Vec3::new(x, -1.0, z));
        let mut other = spec.clone();
        for p in &mut other.points {
            p.x = -p.x;
        }
        let settings = SpringSettings { rest_curve: 0.5, ..SpringSettings::default() };
        let motion = |t: f32| {
            sweep(t, 0.7, 0.3) * Affine3A::from_rotation_y(yaw * ops::sin(3.0 * t))
                * Affine3A::from_translation(Vec3::Y * -0.3 * t.min(1.0))
        };
        let (mut a, mut b) = (spec.springs(settings), other.springs(settings));
        a.run(1.0, motion);
        b.run(1.0, |t| mirrored(motion(t)));
        for (p, q) in a.ends().iter().zip(b.ends()) {
            let wanted = Vec3::new(-p.x, p.y, p.z);
            prop_assert!(wanted.distance(q) < 2e-4, "{wanted} and {q}");
        }
    }

    #[test]
    fn a_still_bodys_tail_comes_to_rest(
        n in 1_usize..8,
        x in -0.6_f32..0.6,
        z in -1.0_f32..0.2,
        hz in 0.3_f32..2.0,
    ) {
        let settings = SpringSettings {
            frequency_hz: crate::model::Curve { root: hz, tip: hz * 0.5, ease: 1.0 },
            ground: false,
            ..SpringSettings::default()
        };
        let mut tail = TailSpec::straight(n, 0.9, Vec3::new(x, -1.0, z)).springs(settings);
        tail.run(0.5, |t| sweep(t, 0.5, 0.3));
        tail.run(12.0 / f64::from(hz.min(1.0)), |_| sweep(1.0, 0.5, 0.3));
        let before = tail.ends();
        tail.run(1.0, |_| sweep(1.0, 0.5, 0.3));
        for (a, b) in tail.ends().iter().zip(&before) {
            prop_assert!(a.distance(*b) < 1e-4);
        }
    }
}
