//! Tests of the solver on generated tails: what one is, and how a body is driven.

mod floor;
mod hair;
mod hard;
mod invariance;
mod reference;
mod rest;
mod spring;
mod vrm_app;

use glam::{Affine3A, Quat, Vec3};

use super::*;
use crate::math::{Transform, ops};
use crate::model::{
    BindPose, BodyMeasures, Chain, ChainOrigin, Character, Node, NodeIndex, Rigged, Skeleton,
    SpringSettings, Tip,
};

/// A hips joint with a tail on it.
#[derive(Clone, Debug)]
pub struct TailSpec {
    /// Height of the character, metres.
    pub height_m: f32,
    /// Bind rotation of the hips.
    pub hips_axes: Quat,
    /// World positions of Tail_1 … Tail_K and of the tip; the first is where the tail begins.
    pub points: Vec<Vec3>,
    /// Bind world rotation of each tail joint; the hips' where there is none.
    pub joint_axes: Vec<Quat>,
}

impl TailSpec {
    /// `n` links of `length` metres in all, in direction `way`, from behind the hips of a fox of 1.91 m.
    pub fn straight(n: usize, length: f32, way: Vec3) -> Self {
        let root = Vec3::new(0.0, 0.95, -0.1);
        let way = way.normalize();
        let points = (0..=n).map(|i| root + way * length * i as f32 / n as f32).collect();
        Self { height_m: 1.91, hips_axes: Quat::IDENTITY, points, joint_axes: Vec::new() }
    }

    /// The article's fox: four links, 81 cm, hanging straight down.
    pub fn fox() -> Self {
        Self::straight(4, 0.81, Vec3::NEG_Y)
    }

    /// The same tail on a character `scale` times the size.
    pub fn scaled(mut self, scale: f32) -> Self {
        self.height_m *= scale;
        for p in &mut self.points {
            *p *= scale;
        }
        self
    }

    pub fn rigged(&self, settings: SpringSettings) -> Rigged {
        let hips = Transform::from_rotation_translation(
            self.hips_axes,
            Vec3::new(0.0, 0.5 * self.height_m, 0.0),
        );
        let mut nodes = vec![Node { name: "Hips".into(), parent: None, local: hips, source: None }];
        let mut world = vec![hips.to_affine()];
        for (i, &point) in self.points.iter().enumerate() {
            let axes = self.joint_axes.get(i).copied().unwrap_or(self.hips_axes);
            let own = Affine3A::from_rotation_translation(axes, point);
            let parent = world[i];
            nodes.push(Node {
                name: format!("Tail_{}", i + 1),
                parent: Some(NodeIndex(i as u32)),
                local: Transform::from_affine(&(parent.inverse() * own)),
                source: None,
            });
            world.push(own);
        }
        let n = self.points.len() - 1;
        let chain = Chain {
            name: "Tail".into(),
            anchor: NodeIndex(0),
            joints: (1..=n as u32).map(NodeIndex).collect(),
            tip: Tip::Node(NodeIndex(n as u32 + 1)),
            origin: ChainOrigin::Existing,
            settings,
            hair: None,
            is_driven: true,
        };
        let character =
            Character { skeleton: Skeleton::new(nodes).unwrap(), ..Character::default() };
        Rigged {
            bind: BindPose::of(&character, None),
            character,
            chains: vec![chain],
            body: BodyMeasures { height_m: self.height_m, ..BodyMeasures::default() },
            ..Rigged::default()
        }
    }

    pub fn springs(&self, settings: SpringSettings) -> Puppet {
        self.springs_at(settings, 1.0 / 120.0)
    }

    pub fn springs_at(&self, settings: SpringSettings, h: f64) -> Puppet {
        let rigged = self.rigged(settings);
        let topology = ChainTopology::new(&rigged, &rigged.chains[0]);
        let hips0 = rigged.bind.world.matrix(NodeIndex(0));
        let chain = SpringChain { topology, settings, fork: None, hair: None };
        let size = StepSize { step_secs: h, period_secs: None };
        Puppet { springs: Springs::new(vec![chain], size), hips0, h, n: 0 }
    }
}

/// Springs with a body that a test moves: motions are given relative to the hips' bind pose.
pub struct Puppet {
    pub springs: Springs,
    pub hips0: Affine3A,
    pub h: f64,
    pub n: u64,
}

impl Puppet {
    pub fn anchor(&self, moved: Affine3A) -> Anchor {
        Anchor::of(&self.springs.chains()[0].topology, &(moved * self.hips0))
    }

    /// One substep, with the body moved from its bind pose by `moved`.
    pub fn step(&mut self, moved: Affine3A) {
        self.n += 1;
        let anchor = self.anchor(moved);
        self.springs.step(&[anchor], &[], self.n as f64 * self.h);
    }

    /// Steps for `secs`; `motion` gives where the body is at a time.
    pub fn run(&mut self, secs: f64, motion: impl Fn(f32) -> Affine3A) {
        let start = self.n;
        for k in 0..(secs / self.h).round() as u64 {
            let t = (start + k + 1) as f64 * self.h;
            self.step(motion(t as f32));
        }
    }

    pub fn hold(&mut self, secs: f64) {
        self.run(secs, |_| Affine3A::IDENTITY);
    }

    pub fn n_links(&self) -> usize {
        self.springs.chains()[0].topology.links.len()
    }

    pub fn ends(&self) -> Vec<Vec3> {
        (0..self.n_links()).map(|i| self.springs.link(0, i).end).collect()
    }

    pub fn tip(&self) -> Vec3 {
        self.springs.tip(0)
    }

    pub fn rotations(&self) -> Vec<Quat> {
        let mut out = vec![Quat::IDENTITY; self.springs.chains()[0].topology.joints.len()];
        self.springs.write_rotations(0, &mut out);
        out
    }

    /// Directions of the links in the world.
    pub fn directions(&self) -> Vec<Vec3> {
        let anchor = self.springs.state()[0].anchor.unwrap();
        let mut head = anchor.head;
        self.ends()
            .into_iter()
            .map(|end| {
                let d = (end - head).normalize();
                head = end;
                d
            })
            .collect()
    }

    pub fn is_finite(&self) -> bool {
        self.springs.state()[0]
            .links
            .iter()
            .all(|l| l.end.is_finite() && l.velocity.is_finite() && l.shown.is_finite())
            && self.rotations().iter().all(|q| q.is_normalized())
    }
}

/// Settings of a bare spring: no coupling, no limit, no contacts, no carry, no gravity.
pub fn bare() -> SpringSettings {
    SpringSettings {
        coupling_rate: 0.0,
        bend_limit_rad: std::f32::consts::PI,
        ground: false,
        keep_behind: false,
        carry_rad: 0.0,
        gravity: 0.0,
        ..SpringSettings::default()
    }
}

/// A sideways sweep of the hips by `distance` metres in `secs`, smooth at both ends.
pub fn sweep(t: f32, distance: f32, secs: f32) -> Affine3A {
    let s = (t / secs).clamp(0.0, 1.0);
    Affine3A::from_translation(Vec3::new(distance * s * s * (3.0 - 2.0 * s), 0.0, 0.0))
}

/// A walk: yaw, sway and bounce of the hips.
pub fn walk(t: f32) -> Affine3A {
    let phase = std::f32::consts::TAU * t / 1.33;
    let (sway, bounce) = (0.025 * ops::cos(phase), 0.02 * ops::cos(2.0 * phase));
    Affine3A::from_rotation_translation(
        Quat::from_rotation_y(9.0_f32.to_radians() * ops::sin(phase)),
        Vec3::new(sway, bounce, 0.0),
    )
}

#[test]
fn a_lone_chain_moves_bit_for_bit_as_it_does_in_a_batch_and_elsewhere() {
    let specs: Vec<TailSpec> =
        (1..=9).map(|n| TailSpec::straight(n, 0.9, Vec3::new(0.1, -1.0, -0.1))).collect();
    let settings = |n: usize| SpringSettings {
        frequency_hz: crate::model::Curve { root: 0.9, tip: 0.2 + 0.05 * n as f32, ease: 1.0 },
        coupling_rate: n as f32 * 3.0,
        keep_behind: n != 3,
        ground: n != 4,
        ..SpringSettings::default()
    };
    let rigs: Vec<_> = specs.iter().enumerate().map(|(n, s)| s.rigged(settings(n))).collect();
    let chains: Vec<SpringChain> = rigs
        .iter()
        .map(|r| SpringChain {
            topology: ChainTopology::new(r, &r.chains[0]),
            settings: r.chains[0].settings,
            fork: None,
            hair: None,
        })
        .collect();
    let mut together = Springs::new(chains.clone(), StepSize::default());
    let level = fearless_simd::Level::baseline();
    let mut elsewhere = Springs::on(level, chains.clone(), StepSize::default());
    let mut alone: Vec<_> =
        chains.iter().map(|c| Springs::new(vec![c.clone()], StepSize::default())).collect();
    for k in 0..600 {
        let t = k as f32 / 120.0;
        let hips = Affine3A::from_translation(Vec3::new(0.0, 0.955 - 0.4 * ops::sin(t * 0.8), 0.0));
        let anchors: Vec<_> =
            chains.iter().map(|c| Anchor::of(&c.topology, &(walk(t) * hips))).collect();
        together.step(&anchors, &[], f64::from(t));
        elsewhere.step(&anchors, &[], f64::from(t));
        for (springs, &anchor) in alone.iter_mut().zip(&anchors) {
            springs.step(&[anchor], &[], f64::from(t));
        }
    }
    for (c, springs) in alone.iter().enumerate() {
        assert_eq!(springs.state()[0], together.state()[c], "chain {c}");
    }
    assert_eq!(elsewhere.state(), together.state(), "whatever the processor has");
}

#[test]
fn a_kept_state_is_come_back_to() {
    let mut a = TailSpec::fox().springs(SpringSettings::default());
    a.run(1.0, |t| sweep(t, 0.5, 0.3));
    let kept = a.springs.state();
    a.run(1.0, walk);
    let first = a.ends();
    a.springs.restore(&kept);
    a.n -= 120;
    a.run(1.0, walk);
    assert_eq!(a.ends(), first);
}
