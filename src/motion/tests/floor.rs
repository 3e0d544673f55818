//! Lying on the floor, and what the tail may never do.

use super::*;

const CLEARANCE: f32 = 0.025;

/// A number in 0..1, by place.
fn noise(seed: u32, k: u32) -> f32 {
    let mut x = seed.wrapping_mul(0x9E37_79B9) ^ k.wrapping_mul(0x85EB_CA6B) ^ 0x1234_5678;
    for _ in 0..3 {
        x ^= x >> 16;
        x = x.wrapping_mul(0x7FEB_352D);
        x ^= x >> 15;
    }
    (x >> 8) as f32 / (1 << 24) as f32
}

/// A tail that is longer than its root is high, so that it must lie on the floor.
fn lying(seed: u32) -> TailSpec {
    let r = |k| noise(seed, k);
    let n = 4 + (r(0) * 5.0) as usize;
    let root = Vec3::new(0.0, 0.25 + 0.35 * r(1), -0.1);
    let length = 2.0 * root.y + 0.6 + 0.4 * r(2);
    let curl = (r(3) - 0.5) * 2.0;
    let pitch = 0.1 + 0.5 * r(4);
    let mut points = vec![root];
    for i in 0..n {
        let a = curl * i as f32 / n as f32;
        let down = pitch * (1.0 - 0.5 * i as f32 / n as f32);
        let step =
            Vec3::new(ops::sin(a) * ops::sin(down), -ops::cos(down), -ops::cos(a) * ops::sin(down));
        let last = points[points.len() - 1];
        points.push(last + step.normalize() * length / n as f32);
    }
    TailSpec { height_m: 1.91, points, ..TailSpec::fox() }
}

#[test]
fn a_tail_on_the_floor_comes_to_rest_and_its_ends_lie_at_the_clearance() {
    let mut all_touching = 0;
    for seed in 0..24 {
        let mut tail = lying(seed).springs(SpringSettings {
            carry_rad: (20.0 * noise(seed, 9)).to_radians(),
            ..SpringSettings::default()
        });
        tail.run(39.0, |_| Affine3A::IDENTITY);
        let n = tail.n_links();
        let first = tail.ends();
        let mut moved = 0.0_f32;
        for _ in 0..120 {
            tail.hold(1.0 / 120.0);
            for (a, b) in tail.ends().iter().zip(&first) {
                moved = moved.max(a.distance(*b));
            }
        }
        assert!(moved < 1e-4, "tail {seed}: an end moved {} mm in the last second", moved * 1e3);
        let links: Vec<_> = (0..n).map(|i| tail.springs.link(0, i)).collect();
        let touching = links.iter().filter(|l| l.touched).count();
        assert!(touching >= 1, "tail {seed}: {touching} ends touch");
        all_touching += touching;
        for (i, link) in links.iter().enumerate() {
            if link.touched {
                let gap = (link.end.y - CLEARANCE).abs();
                assert!(gap < 1e-4, "tail {seed}, link {i}: {} mm off", gap * 1e3);
            }
            assert!(link.end.y > CLEARANCE - 1e-4, "tail {seed}, link {i} is below the floor");
        }
    }
    assert!(all_touching >= 48, "{all_touching} of all ends touch: they do not lie");
}

#[test]
fn a_crouch_lays_the_tail_down_and_rising_hips_release_it() {
    let mut tail = TailSpec::fox().springs(SpringSettings::default());
    let lowered = |t: f32| {
        let s = (t / 0.5).clamp(0.0, 1.0) - ((t - 6.0) / 0.5).clamp(0.0, 1.0);
        Affine3A::from_translation(Vec3::new(0.0, -0.7 * s, 0.0))
    };
    tail.hold(5.0);
    let hanging = tail.ends();
    tail.n = 0;
    tail.run(6.0, lowered);
    assert!((0..4).any(|i| tail.springs.link(0, i).touched), "it lies on the floor");
    assert!(tail.ends().iter().all(|e| e.y > CLEARANCE - 1e-4));
    tail.run(6.5, lowered);
    assert!((0..4).all(|i| !tail.springs.link(0, i).touched), "it is off the floor again");
    for (a, b) in tail.ends().iter().zip(&hanging) {
        assert!(a.distance(*b) < 1e-3);
    }
}

#[test]
fn a_lifted_floor_lifts_the_tail_with_it() {
    let raised = SpringSettings { ground_height_m: 0.4, ..SpringSettings::default() };
    let mut tail = TailSpec::fox().springs(raised);
    tail.hold(20.0);
    assert!(tail.springs.link(0, 3).touched);
    assert!((tail.tip().y - 0.425).abs() < 1e-4);
    let off = SpringSettings { ground: false, ..raised };
    tail.springs.set_settings(0, off);
    tail.hold(5.0);
    assert!(tail.tip().y < 0.4, "without a floor it hangs");
}

#[test]
fn a_floor_far_above_the_head_stretches_nothing() {
    let raised = SpringSettings { ground_height_m: 3.0, ..SpringSettings::default() };
    let mut tail = TailSpec::fox().springs(raised);
    tail.hold(2.0);
    assert!(tail.is_finite());
    let anchor = tail.springs.state()[0].anchor.unwrap();
    assert!((tail.tip().distance(anchor.head) - 0.81).abs() < 1e-4, "straight up, not longer");
}

#[test]
fn no_end_crosses_the_plane_that_faces_forward() {
    for n in [3, 4, 8] {
        let mut tail = TailSpec::straight(n, 0.81, Vec3::NEG_Y)
            .springs(SpringSettings { carry_rad: 0.0, ..SpringSettings::default() });
        // The body stops short from a run backwards: the tail wants forward, between the legs.
        let brake = |t: f32| {
            let z = if t < 0.5 { -3.0 * t } else { -1.5 };
            Affine3A::from_translation(Vec3::new(0.0, -0.3 * t.min(1.0), z))
        };
        let mut deepest = f32::MIN;
        for _ in 0..360 {
            let t = (tail.n + 1) as f32 / 120.0;
            tail.step(brake(t));
            let root = tail.anchor(brake(t)).head;
            for end in tail.ends() {
                deepest = deepest.max(end.z - root.z);
            }
        }
        assert!(deepest < 1e-4, "{n} links: {deepest} m in front");
    }
}

#[test]
fn the_floor_and_the_plane_are_both_kept_where_both_can_be() {
    // A low root, facing forward with a lean: the floor's circle crosses the plane.
    let mut tail = TailSpec::straight(5, 0.9, Vec3::new(0.2, -1.0, 0.0))
        .springs(SpringSettings { carry_rad: 0.0, ..SpringSettings::default() });
    let pose = |t: f32| {
        Affine3A::from_rotation_translation(
            Quat::from_rotation_y(0.3 * ops::sin(t * 2.0)),
            Vec3::new(0.0, -0.6, -0.8 * t.min(1.5)),
        )
    };
    for _ in 0..600 {
        let t = (tail.n + 1) as f32 / 120.0;
        tail.step(pose(t));
        let anchor = tail.anchor(pose(t));
        let forward = anchor.frame * Vec3::Z;
        for (i, end) in tail.ends().iter().enumerate() {
            assert!(end.y > CLEARANCE - 1e-4, "link {i}");
            assert!((*end - anchor.head).dot(forward) < 1e-3, "link {i} at {t} s");
        }
    }
}
