//! The rest arc: carry, centring, neutral locals; the article's third mistake.

use super::*;
use crate::math::rotation::angle_between;

fn arc(spec: &TailSpec, settings: SpringSettings) -> RestArc {
    let rigged = spec.rigged(settings);
    RestArc::new(&ChainTopology::new(&rigged, &rigged.chains[0]), &settings)
}

/// Any rotation, by number.
pub fn some_rotation(seed: usize) -> Quat {
    let s = seed as f32;
    Quat::from_euler(glam::EulerRot::XYZ, ops::sin(s * 1.3) * 3.0, s * 0.7, ops::cos(s * 2.1) * 2.0)
}

/// 3. Carry is the lift of the whole tail, shared by its links, whatever the joints' own axes.
#[test]
fn carry_is_shared_over_the_links_whatever_the_bind_rotations() {
    for n in 3..=8 {
        for seed in 0..4 {
            let spec = TailSpec {
                hips_axes: some_rotation(seed),
                joint_axes: (0..=n).map(|i| some_rotation(seed * 10 + i)).collect(),
                ..TailSpec::straight(n, 0.8, Vec3::NEG_Y)
            };
            let settings = SpringSettings { carry_rad: 50.0_f32.to_radians(), ..bare() };
            let arc = arc(&spec, settings);
            for (i, u) in arc.directions.iter().enumerate() {
                let lift = (50.0 * (i + 1) as f32 / n as f32).to_radians();
                let wanted = Vec3::new(0.0, -ops::cos(lift), -ops::sin(lift));
                assert!(u.distance(wanted) < 1e-5, "{n} links, link {i}: {u}, not {wanted}");
            }
            // And what the joints show at rest is that arc.
            let mut tail = spec.springs(settings);
            tail.hold(1.0);
            for (d, u) in tail.directions().iter().zip(&arc.directions) {
                assert!(d.distance(*u) < 1e-4);
            }
        }
    }
}

/// World directions of a chain's links as its joints' local rotations give them, through the skeleton.
fn posed_directions(spec: &TailSpec, rotations: &[Quat]) -> Vec<Vec3> {
    let rigged = spec.rigged(SpringSettings::default());
    let mut pose = rigged.bind.pose.clone();
    for (joint, q) in rigged.chains[0].joints.iter().zip(rotations) {
        pose.locals[joint.index()].rotation = *q;
    }
    let mut world = crate::model::WorldPose::default();
    pose.to_world(&rigged.character.skeleton, &Affine3A::IDENTITY, &mut world);
    let at = |i: usize| Vec3::from(world.world_from_node[i].translation);
    (1..spec.points.len()).map(|i| (at(i + 1) - at(i)).normalize()).collect()
}

#[test]
fn joint_rotations_put_the_links_where_the_solver_has_them() {
    let spec = TailSpec {
        hips_axes: some_rotation(3),
        joint_axes: (0..=5).map(some_rotation).collect(),
        ..TailSpec::straight(5, 0.9, Vec3::new(0.3, -0.6, -0.5))
    };
    let mut tail = spec.springs(SpringSettings::default());
    // The body ends where it began, in the middle of a swing.
    tail.run(1.0, |t| Affine3A::from_rotation_y(0.6 * ops::sin(t * std::f32::consts::PI)));
    let wanted = tail.directions();
    for (found, wanted) in posed_directions(&spec, &tail.rotations()).iter().zip(&wanted) {
        assert!(found.distance(*wanted) < 1e-4, "{found}, not {wanted}");
    }
}

#[test]
fn the_default_removes_a_sideways_curl_from_the_aim_and_rest_curve_keeps_it() {
    let root = Vec3::new(0.0, 0.95, -0.1);
    let steps = [0.0_f32, 0.4, 0.9, 1.3].map(|a| Vec3::new(ops::sin(a), -ops::cos(a), 0.0) * 0.2);
    let mut points = vec![root];
    for step in steps {
        points.push(points[points.len() - 1] + step);
    }
    let spec = TailSpec { points, ..TailSpec::fox() };
    for u in arc(&spec, bare()).directions {
        assert!(u.distance(Vec3::NEG_Y) < 1e-5);
    }
    let kept = SpringSettings { rest_curve: 1.0, sag_curve: Some(1.0), ..bare() };
    for (u, step) in arc(&spec, kept).directions.iter().zip(steps) {
        assert!(u.distance(step.normalize()) < 1e-5, "1 and 1 is the bind shape");
    }
}

#[test]
fn an_upright_tail_is_not_carried_and_keeps_its_arc() {
    let root = Vec3::new(0.0, 0.95, -0.1);
    let way = |raised: f32| Vec3::new(0.0, -ops::cos(raised), -ops::sin(raised));
    let points = (0..=4)
        .scan(root, |p, i| {
            let here = *p;
            *p += way(3.0 - 0.3 * i as f32) * 0.2;
            Some(here)
        })
        .collect();
    let spec = TailSpec { points, ..TailSpec::fox() };
    let arc = arc(&spec, SpringSettings::default());
    assert_eq!(arc.carry_rad, 0.0);
    for (i, u) in arc.directions.iter().enumerate() {
        assert!(u.distance(way(3.0 - 0.3 * i as f32)) < 1e-5);
    }
}

#[test]
fn carry_changes_without_a_jump_as_a_tail_is_modelled_higher() {
    let mut before: Option<f32> = None;
    for degrees in 0..=359 {
        let a = (degrees as f32).to_radians();
        let spec = TailSpec::straight(4, 0.8, Vec3::new(0.0, -ops::cos(a), -ops::sin(a)));
        let carry = arc(&spec, SpringSettings::default()).carry_rad.to_degrees();
        if let Some(before) = before {
            assert!((carry - before).abs() < 1.1, "at {degrees}°");
        }
        if degrees <= 90 {
            assert!((carry - 50.0).abs() < 1e-3);
        }
        before = Some(carry);
    }
}

#[test]
fn without_a_tip_the_last_link_goes_on_along_the_incoming_tangent() {
    let mut spec = TailSpec::straight(4, 0.8, Vec3::new(0.0, -1.0, -1.0));
    spec.joint_axes = (0..=4).map(some_rotation).collect();
    let mut rigged = spec.rigged(SpringSettings::default());
    let marked = ChainTopology::new(&rigged, &rigged.chains[0]);
    rigged.chains[0].tip = Tip::Virtual(Vec3::ZERO);
    let unmarked = ChainTopology::new(&rigged, &rigged.chains[0]);
    let (a, b) = (marked.links[3], unmarked.links[3]);
    assert!(a.authored.distance(b.authored) < 1e-5, "{} and {}", a.authored, b.authored);
    assert!((a.length_m - b.length_m).abs() < 1e-5);
}

#[test]
fn a_tail_saved_bent_aims_at_its_bind_pose() {
    use crate::model::Skin;
    let spec = TailSpec::fox();
    let mut rigged = spec.rigged(SpringSettings::default());
    let straight = ChainTopology::new(&rigged, &rigged.chains[0]);
    // The bind matrices say straight; the file was saved with 28° on the last joint.
    let joints: Vec<_> = rigged.character.skeleton.indices().collect();
    let binds =
        joints.iter().map(|&j| glam::Mat4::from(rigged.bind.world.matrix(j)).inverse()).collect();
    rigged.character.skins.push(Skin {
        name: String::new(),
        joints,
        joint_from_mesh: binds,
        has_binds: true,
        source: None,
    });
    let mut nodes = rigged.character.skeleton.nodes().to_vec();
    nodes[4].local.rotation *= Quat::from_rotation_z(28.0_f32.to_radians());
    rigged.character.skeleton = Skeleton::new(nodes).unwrap();
    rigged.bind = BindPose::of(&rigged.character, None);
    let bent = ChainTopology::new(&rigged, &rigged.chains[0]);
    for (a, b) in straight.links.iter().zip(&bent.links) {
        assert!(a.authored.distance(b.authored) < 1e-5);
    }
    for (a, b) in straight.neutral.iter().zip(&bent.neutral) {
        assert!(angle_between(*a, *b) < 1e-4);
    }
}

#[test]
fn links_of_no_length_keep_their_neutral_rotation_and_are_left_out() {
    let mut spec = TailSpec::fox();
    let twice = spec.points[2];
    spec.points.insert(2, twice);
    spec.joint_axes = (0..=5).map(some_rotation).collect();
    let mut tail = spec.springs(SpringSettings::default());
    assert_eq!(tail.n_links(), 4);
    tail.run(1.0, walk);
    let mut plain = TailSpec::fox().springs(SpringSettings::default());
    plain.run(1.0, walk);
    assert!(tail.tip().distance(plain.tip()) < 1e-4, "it swings as without that joint");
    let neutral = tail.springs.chains()[0].topology.neutral[2];
    assert!(angle_between(tail.rotations()[2], neutral) < 1e-6);
}
