//! Nothing a body does, and no setting, makes a chain anything but finite.

use super::*;

/// Steps until no end is further than a millimetre (at fox's size) from where it will be; returns the seconds.
fn settle_secs(tail: &mut Puppet, pose: Affine3A) -> f32 {
    let mut path = Vec::new();
    tail.run(0.0, |_| pose);
    for _ in 0..1440 {
        tail.step(pose);
        path.push(tail.ends());
    }
    let last = path[path.len() - 1].clone();
    let is_off = |ends: &Vec<Vec3>| ends.iter().zip(&last).any(|(a, b)| a.distance(*b) > 1e-3);
    path.iter().rposition(is_off).map_or(0.0, |n| (n + 1) as f32 / 120.0)
}

fn in_the_air() -> SpringSettings {
    SpringSettings { ground: false, ..SpringSettings::default() }
}

#[test]
fn a_hard_hip_sweep_settles_within_five_seconds() {
    for n in [3, 4, 6, 8] {
        let mut tail = TailSpec::straight(n, 0.81, Vec3::NEG_Y).springs(in_the_air());
        tail.hold(4.0);
        let start = tail.n as f32 / 120.0;
        tail.run(0.3, |t| sweep(t - start, 0.5, 0.3));
        let secs = settle_secs(&mut tail, sweep(1.0, 0.5, 0.3));
        assert!(secs < 5.0, "{n} links: {secs} s");
    }
}

#[test]
fn a_teleport_of_ten_metres_carries_the_tail_along() {
    let mut tail = TailSpec::fox().springs(in_the_air());
    tail.run(2.0, walk);
    let before = tail.directions();
    let far =
        Affine3A::from_rotation_translation(Quat::from_rotation_y(2.0), Vec3::new(10.0, 0.0, -3.0));
    let pose = walk(2.0);
    tail.step(far * pose);
    let turned = tail.directions();
    for (a, b) in before.iter().zip(&turned) {
        assert!((Quat::from_rotation_y(2.0) * *a).distance(*b) < 0.05, "it keeps its swing");
    }
    assert!(settle_secs(&mut tail, far * pose) < 5.0);
}

#[test]
fn huge_gravity_keeps_everything_finite_and_settles() {
    for gravity in [1e6, -1e6] {
        for n in [1, 4, 8] {
            let settings = SpringSettings { gravity, ..in_the_air() };
            let mut tail = TailSpec::straight(n, 0.81, Vec3::NEG_Y).springs(settings);
            tail.run(1.0, |t| sweep(t, 0.5, 0.3));
            assert!(tail.is_finite());
            let secs = settle_secs(&mut tail, sweep(1.0, 0.5, 0.3));
            assert!(secs < 5.0, "{gravity}, {n} links: {secs} s");
        }
    }
}

#[test]
fn a_clip_that_is_not_finite_never_reaches_the_joints() {
    let mut tail = TailSpec::fox().springs(SpringSettings::default());
    tail.hold(0.5);
    let nowhere = Anchor { head: Vec3::NAN, ..Anchor::default() };
    tail.springs.step(&[nowhere], &[], 0.6);
    assert!(tail.is_finite());
    let flat = Anchor { scale: 0.0, ..tail.anchor(Affine3A::IDENTITY) };
    tail.springs.step(&[flat], &[], 0.7);
    assert!(tail.is_finite());
    let far = Anchor { head: Vec3::splat(1e38), ..tail.anchor(Affine3A::IDENTITY) };
    tail.springs.step(&[far], &[], 0.8);
    tail.springs.step(&[far], &[], 0.8);
    tail.hold(5.0);
    assert!(tail.is_finite());
    let mut fresh = TailSpec::fox().springs(SpringSettings::default());
    fresh.hold(5.0);
    assert!(tail.tip().distance(fresh.tip()) < 1e-2, "and it recovers");
}

#[test]
fn the_extremes_of_every_setting_stay_finite() {
    use crate::model::Curve;
    for f in [0.05, 8.0] {
        for zeta in [0.0, 0.65, 2.0] {
            for (limit, k) in [(0.0, 0.0), (std::f32::consts::PI, 100.0), (0.5, 12.0)] {
                let settings = SpringSettings {
                    frequency_hz: Curve::constant(f),
                    damping_ratio: Curve::constant(zeta),
                    bend_limit_rad: limit,
                    coupling_rate: k,
                    sway_rad: 0.7,
                    leg_colliders: true,
                    ..SpringSettings::default()
                }
                .validated()
                .unwrap();
                let mut tail = TailSpec::straight(5, 1.2, Vec3::NEG_Y).springs(settings);
                tail.run(3.0, |t| sweep(t, 2.0, 0.2) * walk(t));
                assert!(tail.is_finite(), "{settings:?}");
                let reach = tail.tip().distance(tail.springs.state()[0].anchor.unwrap().head);
                assert!(reach < 1.2 * 1.001);
            }
        }
    }
}

#[test]
fn chains_of_nothing_but_points_do_nothing() {
    let root = Vec3::new(0.0, 0.9, -0.1);
    let spec = TailSpec { points: vec![root; 4], ..TailSpec::fox() };
    let mut tail = spec.springs(SpringSettings::default());
    tail.run(1.0, walk);
    assert_eq!(tail.n_links(), 0);
    assert!(tail.rotations().iter().all(|q| q.is_normalized()));
    assert!(tail.tip().is_finite());
}

#[test]
fn a_fork_swings_from_the_link_that_carries_it() {
    let spec = TailSpec::fox();
    let rigged = spec.rigged(SpringSettings::default());
    let main = ChainTopology::new(&rigged, &rigged.chains[0]);
    // A side branch of two links: the last two joints again, hung from the second joint.
    let mut chain = rigged.chains[0].clone();
    chain.anchor = chain.joints[1];
    chain.joints.drain(..2);
    let branch = ChainTopology::new(&rigged, &chain);
    let settings = SpringSettings::default();
    let fork = Some(Fork { chain: 0, joint: 1 });
    let mut springs = Springs::new(
        vec![
            SpringChain { topology: main.clone(), settings, fork: None, hair: None },
            SpringChain { topology: branch.clone(), settings, fork, hair: None },
        ],
        StepSize::default(),
    );
    let local = Anchor { head: branch.head_in_anchor, ..Anchor::default() };
    let hips0 = rigged.bind.world.matrix(NodeIndex(0));
    for k in 0..480 {
        let t = k as f32 / 120.0;
        springs.step(&[Anchor::of(&main, &(walk(t) * hips0)), local], &[], f64::from(t));
        let head = springs.state()[1].anchor.unwrap().head;
        assert!(
            head.distance(springs.link(0, 1).end) < 1e-4,
            "it hangs from the second link's end"
        );
    }
}
