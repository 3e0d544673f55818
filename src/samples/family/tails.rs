//! The family's tails: paths, thickness, forks and fans.

use glam::Vec3;

use super::plan::{Join, TailForm, TailPlan};
use crate::math::ops;
use crate::samples::shape::{Field, Piece, Tube, forked};

/// One tail ready to be joined.
pub(crate) struct TailPiece {
    /// Its skin; the first `n_ring` vertices are an open root ring where it is to be sewn on.
    pub(crate) skin: Piece,
    /// Size of the root ring; 0 for closed shells.
    pub(crate) n_ring: u32,
    /// Half width at the root, metres.
    pub(crate) root_radius: f32,
    /// How many chains it deserves.
    pub(crate) n_chains: u32,
    /// A second shell around the first.
    pub(crate) fur: Option<Piece>,
}

/// Direction of elevation `pitch` and azimuth `yaw`, both 0 for straight back.
fn heading(pitch: f32, yaw: f32) -> Vec3 {
    let c = ops::cos(pitch);
    Vec3::new(ops::sin(yaw) * c, ops::sin(pitch), -ops::cos(yaw) * c)
}

/// Elevation and azimuth at the share `s` of the length; every tail first leaves the body backwards.
fn aim(plan: &TailPlan, s: f32, fan: f32) -> (f32, f32) {
    // Over the first eighth it turns from the skin's own direction into its course.
    let turn = (s / 0.12).min(1.0);
    let start = plan.pitch.clamp(-0.7, 0.5);
    let base = start + (plan.pitch - start) * turn;
    let late = ((s - 0.35) / 0.65).max(0.0);
    match plan.form {
        TailForm::Hanging => (base + 0.25 * late, 0.0),
        TailForm::Curled => (base + 3.0 * late, 0.15 * plan.hand * late),
        TailForm::Spiral => (base + 9.5 * late, 0.06 * plan.hand),
        TailForm::Sideways => (base, plan.hand * 1.5 * ops::sin(s * 3.0)),
        TailForm::Two | TailForm::Three | TailForm::Nine => (base, fan),
        _ => (base + 0.3 * late, 0.1 * plan.hand * s),
    }
}

fn path(plan: &TailPlan, root: Vec3, length: f32, n: u32, fan: f32) -> Vec<Vec3> {
    let step = length / n as f32;
    let mut at = root;
    let mut points = vec![at];
    for i in 0..n {
        let (pitch, yaw) = aim(plan, (i as f32 + 0.5) / n as f32, fan);
        at += heading(pitch, yaw) * step;
        // What is longer than its root is high lies on the floor.
        let least = floor_gap(plan, length, i as f32 / n as f32);
        if at.y < least {
            let lack = least - at.y;
            at.y = least;
            at.z -= lack * 0.5;
        }
        points.push(at);
    }
    points
}

/// How high the middle of a tail is when it lies on the floor.
fn floor_gap(plan: &TailPlan, length: f32, t: f32) -> f32 {
    plan.radius / plan.length * length * width(plan, t) * 1.05
}

/// Half width at the share `t`: widest at the bulge, or tapering from the root.
fn width(plan: &TailPlan, t: f32) -> f32 {
    let tip = 0.25;
    if plan.bulge > 0.0 {
        let d = (t - plan.bulge) / if t < plan.bulge { plan.bulge } else { 1.0 - plan.bulge };
        let floor = if t < plan.bulge { 0.55 } else { tip };
        floor + (1.0 - floor) * (1.0 - d * d)
    } else {
        1.0 + (tip - 1.0) * t
    }
}

/// Where the tails of a fan start, `(x, y)` as shares of the height, and how they spread.
fn fan_places(plan: &TailPlan) -> Vec<(f32, f32, f32, f32)> {
    match plan.form {
        TailForm::Two => [-1.0, 1.0].map(|x| (x * 0.034, 0.0, x * 0.55, 0.0)).to_vec(),
        TailForm::Three => [-1.0, 0.0, 1.0]
            .map(|x| (x * 0.042, 0.012 * (1.0 - x * x), x * 0.7, 0.25 * (1.0 - x * x)))
            .to_vec(),
        TailForm::Nine => (0..9)
            .map(|i| {
                let x = (i as f32 - 4.0) / 4.0;
                let lift = if i % 2 == 0 { 0.35 } else { -0.15 };
                (x * 0.04, lift * 0.05, x * 1.25, lift)
            })
            .collect(),
        _ => vec![(0.0, 0.0, 0.0, 0.0)],
    }
}

/// The tails of `plan` on `body` (a bare field), `height` metres tall, hips at `hips`.
pub(crate) fn tails(plan: &TailPlan, body: &Field, height: f32, hips: Vec3) -> Vec<TailPiece> {
    let radius = plan.radius * height;
    fan_places(plan)
        .into_iter()
        .map(|(x, y, yaw, lift)| {
            let plan = TailPlan { pitch: plan.pitch + lift, ..*plan };
            let inside = Vec3::new(x * height, hips.y + (y + 0.005) * height, hips.z);
            let skin = body.exit(inside, heading(0.0, 0.0), 0.3 * height);
            one(&plan, skin, radius, height, yaw)
        })
        .collect()
}

fn one(plan: &TailPlan, skin: Vec3, radius: f32, height: f32, yaw: f32) -> TailPiece {
    let is_welded = plan.join == Join::Welded;
    // A welded tail begins a little outside the skin, a shell inside of it.
    let out = heading(plan.pitch.clamp(-0.7, 0.5), yaw * 0.5);
    let root = skin + out * if is_welded { 0.012 } else { -0.015 } * height;
    let length = plan.length * height;
    let tube = |points: Vec<Vec3>, scale: f32, from: f32, to: f32| {
        let t = Tube::round(points, plan.n_sides, |t| {
            radius * scale * width(plan, from + (to - from) * t)
        });
        if is_welded { t } else { t.capped() }
    };
    if plan.form == TailForm::Forked {
        return fork(plan, root, radius, length, is_welded);
    }
    let points = path(plan, root, length, plan.n_rings, yaw);
    let is_double = plan.join == Join::TwoShells;
    let fur = is_double.then(|| tube(points.clone(), 1.0, 0.0, 1.0).build());
    let core = if is_double {
        points.iter().take(points.len() * 9 / 10).copied().collect()
    } else {
        points
    };
    TailPiece {
        skin: tube(core, if is_double { 0.6 } else { 1.0 }, 0.0, 1.0).build(),
        n_ring: if is_welded { plan.n_sides } else { 0 },
        root_radius: radius * width(plan, 0.0),
        n_chains: 1,
        fur,
    }
}

fn fork(plan: &TailPlan, root: Vec3, radius: f32, length: f32, is_welded: bool) -> TailPiece {
    let n = plan.n_rings.max(10) / 2;
    let points = path(plan, root, length * 0.5, n, 0.0);
    let end = points.last().copied().unwrap_or(root);
    let mut trunk = Tube::round(points, plan.n_sides, |t| radius * width(plan, t * 0.5));
    trunk.is_capped = !is_welded;
    // With this the first half of each ring, which goes to the first branch, lies at +x.
    trunk.up = Vec3::X;
    let branch = |x: f32| {
        let step = length * 0.5 / n as f32;
        let way = |s: f32| heading(plan.pitch + 0.3 * s, x * 0.6);
        let mut at = end + way(0.0) * step * 0.8 + Vec3::X * x * radius * 0.35;
        let mut points = vec![at];
        for i in 0..n {
            at += way(i as f32 / n as f32) * step;
            points.push(at);
        }
        let width = |t| radius * 0.62 * width(plan, 0.5 + 0.5 * t).min(width(plan, 0.5));
        Tube { up: Vec3::X, ..Tube::round(points, plan.n_sides.max(6), width) }
    };
    TailPiece {
        skin: forked(&trunk, &[branch(1.0), branch(-1.0)]),
        n_ring: if is_welded { plan.n_sides } else { 0 },
        root_radius: radius * width(plan, 0.0),
        n_chains: 2,
        fur: None,
    }
}
