//! The hair solvers: against the formulas written out, held arcs, contacts, the step.

use fearless_simd::Level;
use glam::{Affine3A, Quat, Vec3};

use super::{TailSpec, sweep, walk};
use crate::math::{Transform, ops};
use crate::model::{
    ColliderIndex, ContactTests, Curve, HairSettings, HairSolver, NodeIndex, SpringSettings, Strand,
};
use crate::motion::{
    Anchor, ChainTopology, ColliderKind, ColliderPose, SpringChain, Springs, StepSize, Surroundings,
};

/// A strand on a head that a test moves.
struct Hair {
    springs: Springs,
    head0: Affine3A,
    n: u64,
    before: Vec<ColliderPose>,
}

impl Hair {
    fn new(spec: &TailSpec, settings: HairSettings, colliders: &[ColliderPose]) -> Self {
        let rigged = spec.rigged(SpringSettings::default());
        let topology = ChainTopology::new(&rigged, &rigged.chains[0]);
        let mut strand = Strand::uniform(settings, topology.joints.len());
        strand.colliders = (0..colliders.len() as u32).map(ColliderIndex).collect();
        let head0 = rigged.bind.world.matrix(topology.anchor);
        let settings = SpringSettings::default();
        let chain = SpringChain { topology, settings, fork: None, hair: Some(strand) };
        Self::of(chain, head0, colliders)
    }

    fn of(chain: SpringChain, head0: Affine3A, colliders: &[ColliderPose]) -> Self {
        let mut springs = Springs::new(vec![chain], StepSize::default());
        let anchor = Anchor::of(&springs.chains()[0].topology, &head0);
        springs.reset_at(&[anchor]);
        Self { springs, head0, n: 0, before: colliders.to_vec() }
    }

    fn step(&mut self, moved: Affine3A, colliders: &[ColliderPose]) {
        self.n += 1;
        let anchor = Anchor::of(&self.springs.chains()[0].topology, &(moved * self.head0));
        let around = Surroundings { before: &self.before, now: colliders, centers: &[] };
        self.springs.step_among(&[anchor], &[], &around, self.n as f64 / 120.0);
        self.before = colliders.to_vec();
    }

    fn run(&mut self, secs: f32, motion: impl Fn(f32) -> Affine3A) {
        let still = self.before.clone();
        for _ in 0..(secs * 120.0).round() as u32 {
            let t = (self.n + 1) as f32 / 120.0;
            self.step(motion(t), &still);
        }
    }

    fn ends(&self) -> Vec<Vec3> {
        let n = self.springs.chains()[0].topology.links.len();
        (0..n).map(|i| self.springs.link(0, i).end).collect()
    }
}

/// Springs and nothing else.
const FREE: HairSettings = HairSettings {
    stiffness: Curve::constant(400.0),
    damping: Curve::constant(24.0),
    coupling_rate: 0.0,
    bend_limit_rad: std::f32::consts::PI,
    ..HairSettings::IMPROVED
};

/// Six links of half a metre that arch backwards and down.
fn arched() -> TailSpec {
    let mut spec = TailSpec::straight(6, 0.5, Vec3::NEG_Y);
    let mut at = Vec3::new(0.0, 1.6, -0.1);
    for (i, p) in spec.points.iter_mut().enumerate() {
        *p = at;
        let pitch = -0.2 - 0.25 * i as f32;
        at += Vec3::new(0.0, ops::sin(pitch), -ops::cos(pitch)) * (0.5 / 6.0);
    }
    spec
}

fn nod(t: f32) -> Affine3A {
    let turn = Quat::from_rotation_y(0.9 * ops::sin(3.0 * t))
        * Quat::from_rotation_x(0.3 * ops::sin(5.0 * t));
    let pivot = Affine3A::from_translation(Vec3::new(0.1 * ops::sin(2.0 * t), 1.5, 0.0));
    pivot * Affine3A::from_quat(turn) * Affine3A::from_translation(Vec3::new(0.0, -1.5, 0.0))
}

#[test]
fn without_contacts_it_is_the_formula_of_the_spec() {
    let spec = arched();
    let mut hair = Hair::new(&spec, FREE, &[]);
    let of = |curve: Curve| f64::from(curve.root);
    let usual = FREE;
    let (h, k, c) = (1.0_f64 / 120.0, of(usual.stiffness), of(usual.damping));
    let mut x: Vec<_> = spec.points.iter().skip(1).map(|p| p.as_dvec3()).collect();
    let mut v = [glam::DVec3::ZERO; 6];
    for n in 1..=360 {
        let moved = nod(n as f32 / 120.0);
        hair.step(moved, &[]);
        let mut o = moved.transform_point3(spec.points[0]).as_dvec3();
        for i in 0..6 {
            let a = spec.points[i + 1] - spec.points[i];
            let length = f64::from(a.length());
            let r = o + moved.transform_vector3(a).as_dvec3().normalize() * length;
            let f = (r - x[i]) * k + glam::DVec3::NEG_Y;
            let u = (v[i] + f * h) * libm::exp(-c * h);
            let d = (x[i] + u * h - o).normalize();
            let next = o + d * length;
            v[i] = (next - x[i]) / h;
            let radial = d * v[i].dot(d);
            v[i] -= radial;
            x[i] = next;
            o = next;
        }
        for (found, wanted) in hair.ends().iter().zip(&x) {
            let off = found.as_dvec3().distance(*wanted);
            assert!(off < 2e-5, "substep {n}: {off}");
        }
    }
}

#[test]
fn joint_rotations_put_the_links_where_their_ends_are() {
    let spec = arched();
    for solver in [HairSolver::Improved, HairSolver::Earlier, HairSolver::VrmApp] {
        let mut hair = Hair::new(&spec, HairSettings { solver, ..HairSettings::IMPROVED }, &[]);
        hair.run(1.3, nod);
        let mut locals = vec![Quat::IDENTITY; 6];
        hair.springs.write_rotations(0, &mut locals);
        // All joints of the spec have the head's axes, so a local rotation is a bend.
        let rigged = spec.rigged(SpringSettings::default());
        let mut world = nod(1.3) * hair.head0;
        for (i, end) in hair.ends().into_iter().enumerate() {
            let node = crate::model::NodeIndex(i as u32 + 1);
            let mut local = rigged.bind.pose.local(node);
            local.rotation = locals[i];
            world *= local.to_affine();
            let next = rigged.bind.pose.local(crate::model::NodeIndex(i as u32 + 2)).translation;
            let found = world.transform_point3(next);
            assert!(found.distance(end) < 2e-5, "{solver:?} link {i}: {}", found.distance(end));
        }
    }
}

#[test]
fn a_link_reaches_over_rigid_joints_to_the_next_that_swings_or_to_the_end() {
    let spec = arched();
    for rigid in [vec![2], vec![5], vec![2, 3], vec![4, 5], vec![1, 5]] {
        let mut rigged = spec.rigged(SpringSettings::default());
        let mut strand = Strand::uniform(FREE, 6);
        for &joint in &rigid {
            strand.links[joint].is_rigid = true;
        }
        rigged.chains[0].hair = Some(strand.clone());
        let topology = ChainTopology::new(&rigged, &rigged.chains[0]);
        let swinging: Vec<usize> = (0..6).filter(|joint| !rigid.contains(joint)).collect();
        // The point that each link ends at: that of the next swinging joint, or the tip's.
        let ends: Vec<usize> = swinging.iter().skip(1).copied().chain([6]).collect();
        assert_eq!(topology.links.len(), swinging.len());
        for (link, (&joint, &end)) in topology.links.iter().zip(swinging.iter().zip(&ends)) {
            let length = spec.points[joint].distance(spec.points[end]);
            assert_eq!(link.joint, joint);
            assert!((link.length_m - length).abs() < 1e-5, "{rigid:?}: {link:?} of {length}");
        }
        // Swung, the joints put those points where the links end, and are where forks take them to be.
        let head0 = rigged.bind.world.matrix(topology.anchor);
        let settings = SpringSettings::default();
        let chain = SpringChain { topology, settings, fork: None, hair: Some(strand) };
        let mut hair = Hair::of(chain, head0, &[]);
        hair.run(1.3, nod);
        let mut locals = vec![Quat::IDENTITY; 6];
        hair.springs.write_rotations(0, &mut locals);
        let neutral = |node: usize| rigged.bind.pose.local(NodeIndex(node as u32));
        let mut world = nod(1.3) * head0;
        let mut places = vec![nod(1.3).transform_point3(spec.points[0])];
        for (joint, &rotation) in locals.iter().enumerate() {
            world *= Transform { rotation, ..neutral(joint + 1) }.to_affine();
            places.push(world.transform_point3(neutral(joint + 2).translation));
        }
        for (found, &end) in hair.ends().iter().zip(&ends) {
            assert!(found.distance(places[end]) < 2e-5, "{rigid:?}: {found} at {}", places[end]);
        }
        for (joint, place) in places.iter().take(6).enumerate() {
            let off = hair.springs.joint_frame(0, joint).unwrap().head.distance(*place);
            assert!(off < 2e-5, "{rigid:?}: joint {joint} is off by {off}");
        }
    }
}

/// Angle between each link and its authored direction, the head tilted by `tilt` and all at rest.
fn bends(settings: HairSettings, tilt: Quat) -> Vec<f32> {
    let spec = TailSpec::straight(6, 0.5, Vec3::NEG_Z);
    let mut hair = Hair::new(&spec, settings, &[]);
    hair.run(10.0, |_| Affine3A::from_quat(tilt));
    let head = tilt * spec.points[0];
    let mut from = head;
    let mut found = Vec::new();
    for end in hair.ends() {
        let d = (end - from).normalize();
        found.push(ops::acos(d.dot(tilt * Vec3::NEG_Z)));
        from = end;
    }
    found
}

#[test]
fn the_earlier_rule_curls_up_where_the_improved_one_holds_the_arc() {
    let gravity = HairSettings { gravity: 3.0, stiffness: Curve::constant(250.0), ..FREE };
    let improved = bends(gravity, Quat::IDENTITY);
    let earlier = bends(HairSettings { solver: HairSolver::Earlier, ..gravity }, Quat::IDENTITY);
    // Each link of the improved one finds its own balance: k L sin θ = g cos θ.
    let alone = ops::atan2(3.0, 250.0 * 0.5 / 6.0);
    for bend in &improved {
        assert!((bend - alone).abs() < 2e-3, "{bend} of {alone}");
    }
    assert!(earlier[5] > 3.0 * improved[5], "{} of {}", earlier[5], improved[5]);
}

#[test]
fn lengths_stay_and_nothing_is_left_moving() {
    // The earlier solver's slow curling has not died down by then.
    for (settings, least) in [(HairSettings::IMPROVED, 1e-6), (HairSettings::EARLIER, 1e-4)] {
        let mut hair = Hair::new(&arched(), settings, &[]);
        hair.run(4.0, |t| nod(t.min(4.0)));
        let last = nod(4.0);
        for second in 0..8 {
            let before = hair.ends();
            hair.run(1.0, |_| last);
            if second == 7 {
                let moved = before.iter().zip(hair.ends()).map(|(a, b)| a.distance(b));
                let most = moved.fold(0.0, f32::max);
                assert!(most < least, "{:?} moves by {most}", settings.solver);
            }
        }
        let mut from = last.transform_point3(arched().points[0]);
        for end in hair.ends() {
            assert!((end.distance(from) / (0.5 / 6.0) - 1.0).abs() < 1e-5);
            from = end;
        }
    }
}

fn capsule(a: Vec3, b: Vec3, radius_m: f32) -> ColliderPose {
    ColliderPose { a, b, radius_m, kind: ColliderKind::Outside }
}

fn straight(n: usize) -> TailSpec {
    TailSpec::straight(n, 0.4, Vec3::NEG_Y)
}

/// Nearest that any part of the strand comes to the axis of a capsule.
fn clearance(hair: &Hair, root: Vec3, c: &ColliderPose) -> f32 {
    let mut from = root;
    let mut least = f32::INFINITY;
    for end in hair.ends() {
        least = least.min(crate::math::closest::distance_of_segments(from, end, c.a, c.b));
        from = end;
    }
    least
}

#[test]
fn a_strand_at_rest_in_contact_stays_where_it_was_pushed() {
    let spec = straight(4);
    let root = spec.points[0];
    // A rod across the strand, 1 cm into it, at a joint for the end test and between two for the whole link.
    for (tests, y) in [(ContactTests::EndPoint, 0.2), (ContactTests::Segment, 0.25)] {
        let at = root + Vec3::new(0.0, -y, 0.03);
        let rod = capsule(at - Vec3::X, at + Vec3::X, 0.025);
        let settings = HairSettings { tests, gravity: 0.0, ..FREE };
        let mut hair = Hair::new(&spec, settings, &[rod]);
        hair.run(3.0, |_| Affine3A::IDENTITY);
        let settled = hair.ends();
        let mut most = 0.0_f32;
        for _ in 0..120 {
            hair.step(Affine3A::IDENTITY, &[rod]);
            for (a, b) in settled.iter().zip(hair.ends()) {
                most = most.max(a.distance(b));
            }
        }
        assert!(most < 1e-5, "{tests:?} moves by {most}");
        let found = clearance(&hair, root, &rod);
        assert!((found - 0.04).abs() < 2e-4, "{tests:?}: {found}");
    }
}

#[test]
fn a_push_is_no_speed() {
    // The rod appears 2 cm deep in the strand: it is moved out at once and does not fly on.
    let spec = straight(4);
    let at = spec.points[2] + Vec3::new(0.0, 0.0, 0.02);
    let rod = capsule(at - Vec3::X, at + Vec3::X, 0.025);
    let settings = HairSettings { tests: ContactTests::Segment, gravity: 0.0, ..FREE };
    let mut hair = Hair::new(&spec, settings, &[rod]);
    let mut farthest = 0.0_f32;
    for _ in 0..60 {
        hair.step(Affine3A::IDENTITY, &[rod]);
        farthest = farthest.max(clearance(&hair, spec.points[0], &rod));
    }
    assert!(farthest < 0.04 + 1e-3, "{farthest}");
}

#[test]
fn the_middle_of_a_link_is_kept_out_though_both_ends_are() {
    let spec = straight(2);
    let at = (spec.points[1] + spec.points[2]) * 0.5 + Vec3::new(0.0, 0.0, 0.01);
    let rod = capsule(at - Vec3::X, at + Vec3::X, 0.03);
    let depth = |tests| {
        let settings = HairSettings { tests, ..FREE };
        let mut hair = Hair::new(&spec, settings, &[rod]);
        hair.run(2.0, |_| Affine3A::IDENTITY);
        0.045 - clearance(&hair, spec.points[0], &rod)
    };
    assert!(depth(ContactTests::EndPoint) > 0.02, "the ends see nothing");
    assert!(depth(ContactTests::Segment) < 5e-4);
}

#[test]
fn a_rod_that_passes_in_one_substep_does_not_pass_through() {
    let spec = straight(4);
    for tests in [ContactTests::EndPoint, ContactTests::Segment] {
        let settings = HairSettings { tests, ..FREE };
        let rod = |z: f32| {
            let at = spec.points[3] + Vec3::new(0.0, 0.0, z);
            capsule(at - Vec3::X, at + Vec3::X, 0.02)
        };
        let mut hair = Hair::new(&spec, settings, &[rod(-0.05)]);
        hair.step(Affine3A::IDENTITY, &[rod(0.03)]);
        let end = hair.ends()[2];
        assert!(end.z > spec.points[3].z + 0.03, "{tests:?}: {end}");
    }
}

#[test]
fn what_jumps_with_its_colliders_is_passed_by_none_on_the_way() {
    let spec = straight(4);
    // Rods before and behind the strand, none of which touches it. On its way through the strand's new place one of them
    // is looked at within the strand (a sweep of a metre is looked at every 12.5 cm).
    let rods = [-0.12, 0.12].map(|z| {
        let at = spec.points[3] + Vec3::new(0.0, 0.0, z);
        capsule(at - Vec3::X, at + Vec3::X, 0.02)
    });
    for tests in [ContactTests::EndPoint, ContactTests::Segment] {
        for way in [1.0, -1.0] {
            let settings = HairSettings { tests, ..FREE };
            let mut hair = Hair::new(&spec, settings, &rods);
            hair.run(4.0, |_| Affine3A::IDENTITY);
            let before = hair.ends();
            let there = Affine3A::from_translation(Vec3::Z * way);
            hair.step(there, &rods.map(|rod| rod.moved(&there)));
            for (now, before) in hair.ends().iter().zip(&before) {
                let off = now.distance(there.transform_point3(*before));
                assert!(off < 1e-5, "{tests:?} {way}: by {off}");
            }
        }
    }
}

#[test]
fn hair_slides_along_what_it_lies_on() {
    // A plane under a strand that is pushed aside: the part along the plane is kept.
    let spec = TailSpec::straight(1, 0.3, Vec3::NEG_Z);
    let floor = ColliderPose {
        a: spec.points[0] - Vec3::Y * 0.015,
        b: spec.points[0] + Vec3::Y * 0.985,
        radius_m: 0.0,
        kind: ColliderKind::Plane,
    };
    let settings = HairSettings { gravity: 5.0, damping: Curve::constant(0.0), ..FREE };
    let mut hair = Hair::new(&spec, settings, &[floor]);
    hair.run(0.5, |t| Affine3A::from_translation(Vec3::X * 0.2 * t));
    let v = hair.springs.link(0, 0).velocity;
    assert!(v.x.abs() > 0.05 && v.y.abs() < 1e-4, "{v}");
}

#[test]
fn hair_is_kept_inside_an_inside_collider() {
    let spec = straight(3);
    let middle = spec.points[0] + Vec3::new(0.0, -0.2, -0.15);
    let ball = ColliderPose { a: middle, b: middle, radius_m: 0.2, kind: ColliderKind::Inside };
    let mut hair = Hair::new(&spec, FREE, &[ball]);
    hair.run(2.0, |_| Affine3A::IDENTITY);
    let reach = hair.ends()[2].distance(middle);
    assert!(reach < 0.185 + 1e-3, "{reach}: at rest it would be 0.25");
}

/// Nine strands of all solvers and tests that meet what they may.
fn mixed() -> Vec<SpringChain> {
    let solvers = [HairSolver::Improved, HairSolver::Earlier, HairSolver::VrmApp];
    (1..=9_usize)
        .map(|n| {
            let spec = TailSpec::straight(n, 0.5, Vec3::new(0.1, -1.0, -0.1));
            let rigged = spec.rigged(SpringSettings::default());
            let settings = HairSettings {
                solver: solvers[n % 3],
                tests: if n % 2 == 0 { ContactTests::Segment } else { ContactTests::EndPoint },
                coupling_rate: if n > 5 { 8.0 } else { 0.0 },
                ..FREE
            };
            let mut strand = Strand::uniform(settings, n);
            let all = (0..6).filter(|c| n != 4 && *c != n as u32 % 4);
            strand.colliders = all.map(ColliderIndex).collect();
            SpringChain {
                topology: ChainTopology::new(&rigged, &rigged.chains[0]),
                settings: SpringSettings::default(),
                fork: None,
                hair: Some(strand),
            }
        })
        .collect()
}

/// Colliders of all kinds that overlap; one sweeps through the strands.
fn crowd(t: f32) -> Vec<ColliderPose> {
    let swing = 0.3 * ops::sin(9.0 * t);
    let mut all = vec![
        capsule(Vec3::new(-1.0, 0.8, -0.12), Vec3::new(1.0, 0.8, -0.12), 0.05),
        capsule(Vec3::new(0.0, 0.7, -0.3), Vec3::new(0.1, 0.5, -0.1), 0.08),
        capsule(Vec3::new(0.02, 0.6, -0.16), Vec3::new(0.02, 0.6, -0.16), 0.1),
        capsule(Vec3::new(-0.5, 0.75, swing), Vec3::new(0.5, 0.75, swing), 0.02),
    ];
    let (a, kind) = (Vec3::new(0.0, 0.5, -0.1), ColliderKind::Inside);
    all.push(ColliderPose { a, b: a, radius_m: 0.6, kind });
    let (a, kind) = (Vec3::Y * 0.45, ColliderKind::Plane);
    all.push(ColliderPose { a, b: a + Vec3::Y, radius_m: 0.0, kind });
    all
}

/// Steps all in the crowd for five seconds.
fn among_the_crowd(all: &mut [Springs]) {
    for k in 0..600 {
        let t = k as f32 / 120.0;
        let hips = walk(t) * Affine3A::from_translation(Vec3::Y * 0.955);
        let (before, now) = (crowd(t - 1.0 / 120.0), crowd(t));
        let around = Surroundings { before: &before, now: &now, centers: &[] };
        for springs in &mut *all {
            let chains = springs.chains().iter();
            let anchors: Vec<_> = chains.map(|c| Anchor::of(&c.topology, &hips)).collect();
            springs.step_among(&anchors, &[], &around, f64::from(t));
        }
    }
}

#[test]
fn eight_side_by_side_move_as_each_alone() {
    let chains = mixed();
    let new = |chains| Springs::new(chains, StepSize::default());
    let mut all: Vec<_> = chains.iter().map(|c| new(vec![c.clone()])).collect();
    all.push(new(chains));
    among_the_crowd(&mut all);
    let together = all.pop().unwrap().state();
    for (c, springs) in all.iter().enumerate() {
        assert_eq!(springs.state()[0], together[c], "strand {c}");
    }
}

#[test]
fn hair_moves_alike_whatever_the_processor_has() {
    let mut all = [Level::new(), Level::baseline()]
        .map(|level| Springs::on(level, mixed(), StepSize::default()));
    among_the_crowd(&mut all);
    assert_eq!(all[0].state(), all[1].state());
}

#[test]
fn a_giant_s_hair_moves_as_a_doll_s() {
    let ends = |scale: f32| {
        let mut hair = Hair::new(&arched().scaled(scale), FREE, &[]);
        hair.run(2.0, |t| {
            let m = nod(t);
            Affine3A { translation: m.translation * scale, ..m }
        });
        hair.ends().into_iter().map(|e| e / scale).collect::<Vec<_>>()
    };
    for (a, b) in ends(1.0).iter().zip(ends(8.0)) {
        assert!(a.distance(b) < 1e-4, "{a} {b}");
    }
}

#[test]
fn what_moves_with_its_centre_does_not_lag() {
    let spec = straight(4);
    let mut hair = Hair::new(&spec, HairSettings { gravity: 0.0, ..FREE }, &[]);
    for n in 0..=120_u32 {
        let moved = sweep(n as f32 / 120.0, 0.6, 0.3);
        let anchor = Anchor::of(&hair.springs.chains()[0].topology, &(moved * hair.head0));
        let centers = [Some(Anchor::of_node(&moved))];
        let around = Surroundings { before: &[], now: &[], centers: &centers };
        hair.springs.step_among(&[anchor], &[], &around, f64::from(n) / 120.0);
        for (end, p) in hair.ends().iter().zip(&spec.points[1..]) {
            assert!(end.distance(moved.transform_point3(*p)) < 1e-4);
        }
    }
}

#[test]
fn bend_limit_holds_every_joint_of_hair_and_coupling_evens_them_out() {
    let limit = 0.2;
    let of_joints = |settings: HairSettings| -> Vec<f32> {
        let away = bends(HairSettings { gravity: 19.0, ..settings }, Quat::IDENTITY);
        let above = std::iter::once(0.0).chain(away.iter().copied());
        away.iter().zip(above).map(|(own, above)| own - above).collect()
    };
    // All of it hangs by atan(g / (k L)) = 0.52: the first joint alone would have to bend by that.
    let free = of_joints(FREE);
    assert!(free[0] > 0.5 && free[1].abs() < 1e-2, "{free:?}");
    let limited = of_joints(HairSettings { bend_limit_rad: limit, ..FREE });
    assert!(limited.iter().all(|bend| *bend < limit + 1e-3), "{limited:?}");
    assert!(limited.iter().sum::<f32>() > 2.0 * limit, "the tip hangs all the same: {limited:?}");
    let coupled = of_joints(HairSettings { coupling_rate: 4.0, ..FREE });
    // The second joint takes its share of the first one's bend, and the tip hangs as before.
    assert!(coupled[0] < 0.6 * free[0] && coupled[1] > 0.3 * free[0], "{coupled:?}");
    let sum = |bends: &[f32]| bends.iter().sum::<f32>();
    assert!((sum(&coupled) - sum(&free)).abs() < 0.05 * sum(&free), "{coupled:?} {free:?}");
}

/// Two strands 6 cm apart on one head, the second much softer, shaken for a while: how far apart their tips got from
/// where they are modelled, at most, and at the end. They begin with ties of `first` and are tuned to
/// `neighbour_stiffness`.
fn apart(first: f32, neighbour_stiffness: f32) -> (f32, f32) {
    let specs = [0.0, 0.06].map(|x| {
        let mut spec = straight(5);
        spec.points.iter_mut().for_each(|p| p.x += x);
        spec
    });
    let chains: Vec<SpringChain> = specs
        .iter()
        .zip([400.0, 60.0])
        .map(|(spec, k)| {
            let rigged = spec.rigged(SpringSettings::default());
            let settings = HairSettings {
                stiffness: Curve::constant(k),
                gravity: 0.0,
                neighbour_stiffness: first,
                ..FREE
            };
            SpringChain {
                topology: ChainTopology::new(&rigged, &rigged.chains[0]),
                settings: SpringSettings::default(),
                fork: None,
                hair: Some(Strand::uniform(settings, 5)),
            }
        })
        .collect();
    let head0 =
        specs[0].rigged(SpringSettings::default()).bind.world.matrix(chains[0].topology.anchor);
    let anchors = |moved: Affine3A| -> Vec<Anchor> {
        chains.iter().map(|c| Anchor::of(&c.topology, &(moved * head0))).collect()
    };
    let mut springs = Springs::new(chains.clone(), StepSize::default());
    springs.reset_at(&anchors(nod(0.0)));
    for (c, chain) in chains.iter().enumerate() {
        let mut strand = chain.hair.clone().unwrap();
        strand.settings.neighbour_stiffness = neighbour_stiffness;
        springs.set_hair(c, strand);
    }
    let (mut most, mut last) = (0.0_f32, 0.0);
    for n in 1..=1440_u32 {
        let moved = nod((n as f32 / 120.0).min(4.0));
        springs.step(&anchors(moved), &[], f64::from(n) / 120.0);
        last = (springs.tip(0).distance(springs.tip(1)) - 0.06).abs();
        most = most.max(last);
    }
    (most, last)
}

#[test]
fn ties_keep_neighbours_together_and_bend_nothing_at_rest() {
    let (loose, loose_rest) = apart(0.0, 0.0);
    let (tied, tied_rest) = apart(400.0, 400.0);
    assert!(tied < 0.5 * loose, "{tied} of {loose}");
    assert!(tied_rest < 1e-4 && loose_rest < 1e-4, "{tied_rest} {loose_rest}");
    // What is tuned is tied anew.
    assert_eq!(apart(0.0, 400.0), (tied, tied_rest));
    assert_eq!(apart(400.0, 0.0), (loose, loose_rest));
}
