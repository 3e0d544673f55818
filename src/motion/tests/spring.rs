//! The spring, the rope, the coupling, the limit; the article's first two mistakes.

use super::*;

/// 1. A fixed fraction per frame is a jitter: the period is that of the physical spring.
#[test]
fn one_link_swings_with_the_period_of_its_frequency_and_damping() {
    for (f, zeta) in [(0.9, 0.2), (0.45, 0.45), (2.0, 0.1)] {
        let settings = SpringSettings {
            frequency_hz: crate::model::Curve::constant(f),
            damping_ratio: crate::model::Curve::constant(zeta),
            ..bare()
        };
        let mut tail = TailSpec::straight(1, 0.5, Vec3::NEG_Y).springs_at(settings, 1.0 / 120.0);
        // Released from 1°: the body turns under a tail that is at rest.
        tail.springs.reset_at(&[tail.anchor(Affine3A::IDENTITY)]);
        let tilt = Affine3A::from_rotation_z(1.0_f32.to_radians());
        let rest = tail.anchor(tilt);
        let aim = rest.frame * Vec3::NEG_Y;
        let mut crossings = Vec::new();
        let mut before = f32::NAN;
        for n in 0..1200 {
            tail.step(tilt);
            let d = (tail.tip() - rest.head).normalize();
            let now = aim.cross(d).z;
            if before * now < 0.0 {
                crossings.push((n as f32 + now / (before - now)) / 120.0);
            }
            before = now;
        }
        let period = 2.0 * (crossings[2] - crossings[1]);
        let wanted = 1.0 / (f * (1.0 - zeta * zeta).sqrt());
        assert!((period / wanted - 1.0).abs() < 0.02, "{f} Hz, {zeta}: {period} s, not {wanted} s");
    }
}

/// 2. The rope's correction never becomes velocity. The speed after the projections is at most the speed before them.
///
/// A variant that adds correction / h is caught by the same measure.
#[test]
fn the_rope_makes_no_end_faster() {
    for (distance, secs) in [(0.5, 0.667), (0.5, 0.3), (1.0, 0.3), (2.0, 0.2)] {
        let settings = bare();
        let mut tail = TailSpec::fox().springs(settings);
        let (h, n) = (1.0_f32 / 120.0, tail.n_links());
        tail.hold(0.1);
        let start = tail.n as f32 * h;
        let mut faulty_is_faster = false;
        for _ in 0..360 {
            let before: Vec<_> = (0..n).map(|i| tail.springs.link(0, i)).collect();
            let t = (tail.n + 1) as f32 * h;
            let anchor = tail.anchor(sweep(t - start, distance, secs));
            tail.step(sweep(t - start, distance, secs));
            let (mut head, mut g) = (anchor.head, anchor.frame);
            for (i, old) in before.iter().enumerate() {
                let link = tail.springs.chains()[0].topology.links[i];
                let aim = head + g * (Vec3::NEG_Y * link.length_m);
                let omega = std::f32::consts::TAU * settings.frequency_hz.at(i, n);
                let zeta = settings.damping_ratio.at(i, n);
                let v = old.velocity
                    + h * (omega * omega * (aim - old.end) - 2.0 * zeta * omega * old.velocity);
                let p = old.end + h * v;
                let new = tail.springs.link(0, i);
                assert!(new.velocity.length() <= v.length() * (1.0 + 1e-4) + 1e-5);
                faulty_is_faster |= (new.velocity + (new.end - p) / h).length() > v.length() * 1.01;
                head = new.end;
                g *= new.shown;
            }
        }
        assert!(faulty_is_faster, "the measure would not catch the article's second mistake");
    }
}

#[test]
fn links_keep_their_length_in_hip_sweeps_harder_than_any_clip() {
    for n in 1..=8 {
        let mut tail = TailSpec::straight(n, 0.9, Vec3::NEG_Y).springs(SpringSettings::default());
        tail.hold(0.5);
        for _ in 0..240 {
            let t = (tail.n - 60) as f32 / 120.0;
            tail.step(sweep(t, 1.0, 0.3));
            let anchor = tail.springs.state()[0].anchor.unwrap();
            let mut head = anchor.head;
            for end in tail.ends() {
                assert!((end.distance(head) - 0.9 / n as f32).abs() < 1e-5);
                head = end;
            }
        }
    }
}

#[test]
fn no_link_bends_beyond_the_limit_in_the_air() {
    let limit = 30.0_f32.to_radians();
    for n in [1, 3, 5, 8] {
        let settings =
            SpringSettings { ground: false, keep_behind: false, ..SpringSettings::default() };
        let mut tail = TailSpec::straight(n, 0.9, Vec3::NEG_Y).springs(settings);
        tail.run(0.5, |t| sweep(t, 2.0, 0.2));
        for i in 0..n {
            let bend = crate::math::rotation::angle(tail.springs.link(0, i).shown);
            assert!(bend < limit + 1e-4, "{n} links, link {i}: {}°", bend.to_degrees());
        }
    }
}

/// Largest difference between the bends of neighbouring links over a hip sweep, in degrees.
fn roughness(settings: SpringSettings) -> f32 {
    let mut tail = TailSpec::straight(6, 0.9, Vec3::NEG_Y).springs(settings);
    let mut worst = 0.0_f32;
    for _ in 0..240 {
        let t = tail.n as f32 / 120.0;
        tail.step(sweep(t, 0.5, 0.3));
        for i in 1..6 {
            let (a, b) = (tail.springs.link(0, i - 1).shown, tail.springs.link(0, i).shown);
            worst = worst.max(crate::math::rotation::angle_between(a, b));
        }
    }
    worst.to_degrees()
}

#[test]
fn coupling_makes_the_bends_of_neighbours_smoother() {
    let air = SpringSettings {
        ground: false,
        keep_behind: false,
        bend_limit_rad: std::f32::consts::PI,
        ..SpringSettings::default()
    };
    let coupled = roughness(air);
    let free = roughness(SpringSettings { coupling_rate: 0.0, ..air });
    assert!(coupled < 0.6 * free, "coupled {coupled}°, free {free}°");
}

#[test]
fn a_tail_swings_behind_a_walk_like_a_tail() {
    let mut tail = TailSpec::fox().springs(SpringSettings::default());
    let loop_steps = 160;
    let settle = 8.0;
    tail.run(settle, walk);
    let mut path: Vec<Vec3> = Vec::new();
    for _ in 0..loop_steps {
        let t = (tail.n + 1) as f32 / 120.0;
        tail.step(walk(t));
        path.push((walk(t) * tail.hips0).inverse().transform_point3(tail.tip()));
    }
    let spread = |a: &Vec3| path.iter().map(|b| a.distance(*b)).fold(0.0, f32::max);
    let travel = path.iter().map(spread).fold(0.0, f32::max);
    assert!((0.12..0.25).contains(&travel), "the tip swings {travel} m in the hips' frame");
}

#[test]
fn settings_change_while_it_runs_without_a_jump() {
    let mut tail = TailSpec::fox().springs(SpringSettings::default());
    tail.run(2.0, walk);
    let before = tail.ends();
    let softer = SpringSettings {
        frequency_hz: crate::model::Curve::constant(0.3),
        carry_rad: 0.2,
        ..SpringSettings::default()
    };
    tail.springs.set_settings(0, softer);
    assert_eq!(tail.ends(), before);
    tail.run(1.0 / 120.0, walk);
    for (a, b) in tail.ends().iter().zip(&before) {
        assert!(a.distance(*b) < 0.02);
    }
}

#[test]
fn idle_sway_moves_the_tip_from_side_to_side_and_nothing_else_does() {
    let sway = SpringSettings { sway_rad: 0.3, sway_hz: 0.25, ..SpringSettings::default() };
    let mut tail = TailSpec::straight(4, 0.6, Vec3::NEG_Z).springs(sway);
    tail.hold(8.0);
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for _ in 0..480 {
        tail.hold(1.0 / 120.0);
        (low, high) = (low.min(tail.tip().x), high.max(tail.tip().x));
    }
    assert!(high > 0.04 && low < -0.04 && (high + low).abs() < 0.01, "{low} to {high}");
    let mut still = TailSpec::straight(4, 0.6, Vec3::NEG_Z).springs(SpringSettings::default());
    still.hold(8.0);
    assert!(still.tip().x.abs() < 1e-5);
}

#[test]
fn legs_push_the_tail_only_where_they_are_switched_on() {
    let leg =
        Capsule { a: Vec3::new(0.0, 0.9, -0.35), b: Vec3::new(0.0, 0.2, -0.35), radius_m: 0.08 };
    let settings =
        |leg_colliders| SpringSettings { leg_colliders, carry_rad: 0.5, ..Default::default() };
    let run = |first, then| {
        let mut tail = TailSpec::fox().springs(settings(first));
        let anchor = tail.anchor(Affine3A::IDENTITY);
        for n in 0..2400 {
            if n == 600 {
                tail.springs.set_settings(0, settings(then));
            }
            tail.springs.step(&[anchor], &[leg], f64::from(n) / 120.0);
        }
        let (a, b) = (leg.a, leg.b);
        tail.ends()
            .iter()
            .map(|&e| crate::math::closest::distance_to_segment(e, a, b))
            .fold(f32::MAX, f32::min)
    };
    let wanted = 0.08 + 0.025;
    let without = run(false, false);
    assert!(without < wanted - 0.01, "the leg is in the way");
    assert!(run(true, true) > wanted - 1e-3);
    assert!((run(true, false) - without).abs() < 1e-3, "and is gone when it is switched off");
}

#[test]
fn a_tail_at_rest_turns_in_the_last_places_alone() {
    // Bakes give such a joint one key.
    let mut tail = TailSpec::fox().springs(SpringSettings::default());
    tail.hold(30.0);
    let rest = tail.rotations();
    let mut most: f32 = 0.0;
    for _ in 0..120 {
        tail.hold(1.0 / 120.0);
        for (a, b) in tail.rotations().iter().zip(&rest) {
            most = most.max(crate::math::rotation::angle_between(*a, *b));
        }
    }
    assert!(most < 1e-6, "{most}");
}
