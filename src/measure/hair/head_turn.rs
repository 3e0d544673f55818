//! The head-turn test: four seconds of turning and swaying, then stillness.
//!
//! Based on: spec 8 (4.4, P-HEADTURN).

use std::f64::consts::TAU;

use glam::{Quat, Vec3};

use crate::math::polar_rotation;
use crate::model::{Clip, Interpolation, NodeIndex, Rigged, Role, Track, TrackValues};

/// Four seconds of motion, eight of stillness.
pub const HEAD_TURN_SECS: f64 = 12.0;
/// Seconds of motion.
const MOVING_SECS: f64 = 4.0;
/// In and out.
const EASE_SECS: f64 = 0.25;
/// Keys lie on the substeps.
const RATE_HZ: u32 = 120;

/// The head-turn test on a character's own nodes; `None` without a head and hips.
///
/// t < 4 s: yaw 55° sin(2π 0.5 t), pitch 12° sin(2π 0.75 t), body x 0.06 λ sin(2π 0.5 t), z 0.03 λ sin(2π t), all ×
/// a smoothstep of 0.25 s in and out; still until 12 s. 120 keys a second while it moves.
pub fn head_turn(rigged: &Rigged) -> Option<Clip> {
    let head = rigged.humanoid.node(Role::Head)?;
    let hips = rigged.humanoid.node(Role::Hips)?;
    let n = (MOVING_SECS * f64::from(RATE_HZ)) as u32;
    let mut times: Vec<f32> = (0..=n).map(|k| (f64::from(k) / f64::from(RATE_HZ)) as f32).collect();
    times.push(HEAD_TURN_SECS as f32);
    let world = rigged.character.loaded_world();
    let above = |node: NodeIndex| match rigged.character.skeleton.parent(node) {
        Some(parent) => world.matrix(parent),
        None => rigged.character.root_matrix(),
    };
    let body = rigged.body.world_from_body;
    let size = rigged.body.size_ratio();
    let head_local = rigged.character.skeleton.node(head).local;
    let hips_local = rigged.character.skeleton.node(hips).local;
    let head_above = polar_rotation(&above(head));
    let hips_above = above(hips).inverse();
    let at = |k: usize| Offsets::at((k as u32).min(n));
    let turns = (0..times.len())
        .map(|k| {
            let o = at(k);
            let turn = body
                * Quat::from_rotation_y(o.yaw)
                * Quat::from_rotation_x(o.pitch)
                * body.conjugate();
            (head_above.conjugate() * turn * head_above * head_local.rotation).normalize()
        })
        .collect();
    let places = (0..times.len())
        .map(|k| {
            let o = at(k);
            let moved = body * (Vec3::new(o.x, 0.0, o.z) * size);
            hips_local.translation + hips_above.transform_vector3(moved)
        })
        .collect();
    let track = |node, values| Track {
        node,
        times: times.clone(),
        values,
        interpolation: Interpolation::Linear,
    };
    Some(Clip {
        name: "Head turn".into(),
        duration_secs: HEAD_TURN_SECS,
        looping: false,
        tracks: vec![
            track(head, TrackValues::Rotation(turns)),
            track(hips, TrackValues::Translation(places)),
        ],
        source: None,
    })
}

/// Angles in radians, lengths in metres on a character of 1.91 m.
struct Offsets {
    yaw: f32,
    pitch: f32,
    x: f32,
    z: f32,
}

impl Offsets {
    fn at(k: u32) -> Self {
        let t = f64::from(k) / f64::from(RATE_HZ);
        let smooth = |x: f64| {
            let x = x.clamp(0.0, 1.0);
            x * x * (3.0 - 2.0 * x)
        };
        let share = smooth(t / EASE_SECS) * smooth((MOVING_SECS - t) / EASE_SECS);
        let wave = |most: f64, hz: f64| (most * share * libm::sin(TAU * hz * t)) as f32;
        Self {
            yaw: wave(55.0_f64.to_radians(), 0.5),
            pitch: wave(12.0_f64.to_radians(), 0.75),
            x: wave(0.06, 0.5),
            z: wave(0.03, 1.0),
        }
    }
}
