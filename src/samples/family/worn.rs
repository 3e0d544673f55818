//! What the family wears: cloth, sheaths, packs. None of it is a tail.

use glam::{Quat, Vec3};

use super::plan::{Extra, Plan};
use crate::math::ops;
use crate::samples::figure::{Figure, JointKey, Side};
use crate::samples::rigger::Claim;
use crate::samples::shape::{Field, Piece, Sheet, Tube, slab};
use crate::samples::truth::TruthKind;

/// How a worn thing follows the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WornHold {
    /// Skinned like the body.
    Skinned(Claim),
    /// Hung unskinned from a joint of the figure.
    Hung(usize),
}

/// One worn thing.
pub(crate) struct Worn {
    /// Its shell.
    pub(crate) piece: Piece,
    /// What it is.
    pub(crate) kind: TruthKind,
    /// Whether a default edit may touch it.
    pub(crate) should_edit: bool,
    /// How it follows.
    pub(crate) hold: WornHold,
    /// Sew it to the body: corners of its open root ring; 0 for a shell of its own.
    pub(crate) n_ring: u32,
}

impl Worn {
    pub(crate) fn shell(kind: TruthKind, piece: Piece) -> Self {
        let hold = WornHold::Skinned(Claim::Nearest);
        Self { piece, kind, should_edit: false, hold, n_ring: 0 }
    }
}

/// The body that things are hung on.
pub(crate) struct Wearer<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) figure: &'a Figure,
    pub(crate) body: &'a Field,
    /// Height in metres.
    pub(crate) h: f32,
}

impl Wearer<'_> {
    fn axial(&self, i: u8) -> Vec3 {
        self.figure.at(JointKey::Axial(i))
    }

    /// The skin at height `y` and sideways `x` (metres), seen along `direction` from the body's middle plane.
    pub(crate) fn skin(&self, x: f32, y: f32, direction: Vec3) -> Vec3 {
        self.body.exit(Vec3::new(x, y, 0.0), direction, 0.4 * self.h)
    }

    /// Distance of the trunk's skin from its axis at height `y` in direction `a` (0 left, quarter turn front).
    fn girth(&self, y: f32, a: f32) -> f32 {
        let direction = Vec3::new(ops::cos(a), 0.0, ops::sin(a));
        let origin = Vec3::new(0.0, y, 0.0);
        // The nearest exit: arms that hang at the flank are no trunk.
        let step = 0.006 * self.h;
        let far = 0.22 * self.h;
        let mut t = 0.0;
        while t < far && self.body.value(origin + direction * t) < 0.0 {
            t += step;
        }
        t
    }

    fn sheet(&self, across: u32, down: u32, is_closed: bool) -> Sheet {
        let thickness = if self.plan.is_cloth_thick { 0.006 * self.h } else { 0.0 };
        Sheet { across, down, is_closed, thickness }
    }

    /// A strip of cloth from the belt down: `at` is the angle about the trunk of its middle.
    fn strip(&self, at: f32, width: f32, length: f32, away: f32) -> Piece {
        let h = self.h;
        let waist = self.axial(0).y + 0.03 * h;
        let r = self.girth(waist, at).max(0.04 * h) + 0.008 * h;
        let out = Vec3::new(ops::cos(at), 0.0, ops::sin(at));
        let side = Vec3::new(ops::sin(at), 0.0, -ops::cos(at));
        let lean = ops::sin(away);
        slab(self.sheet(4, 12, false), |u, v| {
            let bow = 0.012 * h * (1.0 - (2.0 * u - 1.0) * (2.0 * u - 1.0));
            Vec3::Y * (waist - length * v * ops::cos(away))
                + out * (r + 0.03 * h * (v * 3.0).min(1.0) + lean * length * v + bow)
                + side * ((u - 0.5) * width * (1.0 + 0.25 * v))
        })
    }

    /// A cape: half width at collar and hem, hem height, angle off the back. All shares of the height.
    fn cape(&self, collar: f32, hem: f32, bottom: f32, away: f32) -> Piece {
        let h = self.h;
        let top = self.axial(4).y - 0.03 * h;
        let back = self.skin(0.0, top - 0.05 * h, Vec3::NEG_Z).z.min(-0.03 * h) - 0.015 * h;
        let drop = top - bottom * h;
        let across = if collar < 0.06 { 5 } else { 10 };
        slab(self.sheet(across, 18, false), |u, v| {
            let x = (u * 2.0 - 1.0) * (collar + (hem - collar) * v) * h;
            let fold = 0.01 * h * ops::sin(u * 18.0) * v;
            let wrap = 0.03 * h * (u * 2.0 - 1.0).powi(2) * (1.0 - v) * (collar / 0.12);
            let z = back - ops::sin(away) * drop * v - 0.02 * h * (v * 4.0).min(1.0) + wrap - fold;
            Vec3::new(x, top - drop * v * ops::cos(away), z)
        })
    }

    fn skirt(&self) -> Piece {
        let h = self.h;
        let top = self.axial(0).y + 0.025 * h;
        let mut r = self.plan.random.clone();
        let (bottom, flare) = (r.range(0.12, 0.34) * h, r.range(1.2, 2.0));
        let columns = 28;
        let angle = |u: f32| u * std::f32::consts::TAU;
        // Angles run from the left to the back, so that the sheet's front is outside.
        let waist: Vec<f32> = (0..columns)
            .map(|c| self.girth(top, -angle(c as f32 / columns as f32)).max(0.05 * h) + 0.008 * h)
            .collect();
        slab(self.sheet(columns, 9, true), |u, v| {
            let a = angle(u);
            let base = waist[(u * columns as f32).round() as usize % waist.len()];
            let fold = 1.0 + 0.05 * v * ops::sin(a * 9.0);
            let radius = base * (1.0 + (flare - 1.0) * v) * fold + 0.02 * h * (v * 4.0).min(1.0);
            Vec3::new(ops::cos(a) * radius, top + (bottom - top) * v, -ops::sin(a) * radius)
        })
    }

    /// A bar between two points with a flat section, for blades and sheaths.
    fn bar(from: Vec3, to: Vec3, radii: [f32; 2], up: Vec3) -> Piece {
        let path: Vec<Vec3> = (0..=10).map(|i| from.lerp(to, i as f32 / 10.0)).collect();
        let radii = (0..=10).map(|i| radii.map(|r| r * (1.0 - 0.03 * i as f32))).collect();
        Tube { path, radii, n_sides: 8, up, is_capped: true }.build()
    }

    fn hip_scabbard(&self, has_hilt: bool) -> Piece {
        let h = self.h;
        let mut r = self.plan.random.clone();
        let side = r.sign();
        let waist = self.axial(0).y + 0.015 * h;
        let x = self.girth(waist, 0.0) + 0.02 * h;
        let top = Vec3::new(side * x, waist, 0.03 * h);
        let slope = r.range(0.5, 1.2);
        let way = Vec3::new(side * 0.15, -ops::sin(slope), -ops::cos(slope)).normalize();
        let tip = top + way * r.range(0.3, 0.42) * h;
        let mut piece = Self::bar(top, tip, [0.016 * h, 0.009 * h], Vec3::X);
        if has_hilt {
            piece.append(&Self::bar(top - way * 0.09 * h, top, [0.008 * h; 2], Vec3::X));
            let cross = way.cross(Vec3::X).normalize() * 0.045 * h;
            piece.append(&Self::bar(top - cross, top + cross, [0.007 * h; 2], Vec3::X));
        }
        piece
    }

    fn on_back(&self, extra: Extra) -> Piece {
        let h = self.h;
        let (chest, spine) = (self.axial(3), self.axial(1));
        let back =
            self.skin(0.0, chest.y, Vec3::NEG_Z).z.min(self.skin(0.0, spine.y, Vec3::NEG_Z).z);
        let mut r = self.plan.random.clone();
        match extra {
            Extra::SpineScabbard => {
                let lean = r.range(-0.5, 0.5);
                let way = Vec3::new(ops::sin(lean), -ops::cos(lean), 0.0);
                let top = Vec3::new(0.0, chest.y + 0.06 * h, back - 0.022 * h) - way * 0.05 * h;
                Self::bar(top, top + way * r.range(0.32, 0.42) * h, [0.02 * h, 0.01 * h], Vec3::Z)
            }
            Extra::Quiver => {
                let lean = r.range(-0.45, 0.45);
                let way = Vec3::new(ops::sin(lean), -ops::cos(lean), 0.05);
                let top = Vec3::new(0.0, chest.y + 0.05 * h, back - 0.038 * h) - way * 0.03 * h;
                let mut piece = Self::bar(top, top + way * 0.27 * h, [0.03 * h; 2], Vec3::Z);
                for i in 0..4 {
                    let a = i as f32 * 1.6;
                    let off = Vec3::new(ops::cos(a), 0.0, ops::sin(a)) * 0.014 * h;
                    let shaft = top + off - way * r.range(0.04, 0.07) * h;
                    piece.append(&Self::bar(shaft, top + off, [0.004 * h; 2], Vec3::Z));
                }
                piece
            }
            _ => {
                let middle = Vec3::new(0.0, (chest.y + spine.y) * 0.5, back - 0.055 * h);
                let size = Vec3::new(0.085, 0.11, 0.06) * h;
                let mut field = Field::default();
                field.add(
                    0,
                    0.02 * h,
                    0.02 * h,
                    vec![
                        crate::samples::shape::Shape::ball(middle, size),
                        crate::samples::shape::Shape::ball(
                            middle - Vec3::new(0.0, 0.05 * h, 0.035 * h),
                            size * 0.55,
                        ),
                    ],
                );
                crate::samples::shape::contour(&field, h / 45.0, 1)
            }
        }
    }

    fn sleeve(&self, side: Side) -> Piece {
        let h = self.h;
        let at = |i| self.figure.at(JointKey::Arm(side, i));
        let (elbow, wrist) = (at(2).lerp(at(1), 0.3), at(3));
        let knee = self.figure.at(JointKey::Leg(side, 1)).y;
        let along = (wrist - elbow).normalize_or(Vec3::X);
        slab(self.sheet(16, 8, true), |u, v| {
            let a = u * std::f32::consts::TAU * -side.sign();
            let open = 0.04 * h + 0.03 * h * v;
            let across = along.cross(Vec3::Z).normalize_or(Vec3::Y);
            let ring = across * (ops::sin(a) * open) + Vec3::Z * (ops::cos(a) * open);
            // The lower half of the hem hangs down towards the knee.
            let hang = (-ops::sin(a) * across.y.signum()).max(0.0) * v * v;
            let drop = (wrist.y - knee).max(0.1 * h) * 0.95;
            elbow.lerp(wrist, v) + ring - Vec3::Y * (hang * drop)
        })
    }

    /// Skin between arm and flank.
    fn membrane(&self, side: Side) -> Piece {
        let arm = |i| self.figure.at(JointKey::Arm(side, i));
        let (upper, wrist) = (arm(1), arm(3));
        let hip = self.figure.at(JointKey::Leg(side, 0));
        slab(self.sheet(10, 10, false), |u, v| {
            let u = if side == Side::Left { u } else { 1.0 - u };
            let arm_point = upper.lerp(wrist, u);
            let low = hip.lerp(wrist, u);
            let sag = (u * (1.0 - u)) * v * 0.25;
            let low = low.lerp(upper, sag);
            arm_point.lerp(low, v) - Vec3::Z * 0.012 * self.h
        })
    }

    fn wing(&self, side: Side, is_bat: bool) -> Piece {
        let h = self.h;
        let x = side.sign();
        let chest = self.axial(3);
        let back = self.skin(0.04 * h * x, chest.y, Vec3::NEG_Z);
        let mut r = self.plan.random.clone();
        let (span, depth) = (r.range(0.35, 0.6) * h, r.range(0.25, 0.45) * h);
        let turn = Quat::from_rotation_y(x * 0.5);
        slab(self.sheet(14, 8, false), |u, v| {
            let u = if side == Side::Left { u } else { 1.0 - u };
            let lift = 0.12 * h * ops::sin(u * 2.6);
            let scallop =
                if is_bat { 1.0 - 0.3 * ops::sin(u * 9.4).abs() } else { 1.0 - 0.5 * u * u };
            let fall = (0.05 * h + depth * scallop * (1.0 - 0.25 * u)) * v;
            back + Vec3::Z * 0.01 * h + turn * Vec3::new(x * span * u, lift - fall, -0.02 * h * v)
        })
    }

    fn ear(&self, side: Side, is_long: bool) -> (Piece, u32) {
        let h = self.h;
        let head = self.axial(5);
        let x = side.sign();
        let from = Vec3::new(x * 0.03 * h, head.y + 0.07 * h, 0.005 * h);
        let way = Vec3::new(x * if is_long { 0.25 } else { 0.6 }, 1.0, -0.1).normalize();
        let root = self.body.exit(from, way, 0.2 * h) + way * 0.004 * h;
        let length = if is_long { 0.2 } else { 0.07 } * h;
        let path: Vec<Vec3> = (0..=7).map(|i| root + way * (length * i as f32 / 7.0)).collect();
        let radii = (0..=7)
            .map(|i| {
                let t = i as f32 / 7.0;
                let w = if is_long { 1.0 - t * t } else { 1.0 - t }.max(0.12) * 0.028 * h;
                [w, w * 0.45]
            })
            .collect();
        let tube = Tube { path, radii, n_sides: 8, up: Vec3::Z, is_capped: false };
        (tube.build(), 8)
    }

    fn hair(&self, is_braided: bool) -> Piece {
        let h = self.h;
        let head = self.axial(5);
        let mut r = self.plan.random.clone();
        let length = r.range(0.32, 0.44) * h;
        let root = self.body.exit(
            head + Vec3::Y * 0.08 * h,
            Vec3::new(0.0, 0.1, -1.0).normalize(),
            0.2 * h,
        ) + Vec3::Z * 0.012 * h;
        let back = self.skin(0.0, self.axial(3).y, Vec3::NEG_Z).z - 0.03 * h;
        let path: Vec<Vec3> = (0..=20)
            .map(|i| {
                let t = i as f32 / 20.0;
                let out = root.z - 0.045 * h;
                let z = if t < 0.12 {
                    root.z + (out - root.z) * t / 0.12
                } else {
                    out + (back.min(out) - out) * ((t - 0.12) * 2.0).min(1.0)
                };
                let y = root.y + 0.02 * h * ops::sin((t / 0.2).min(1.0) * 3.1) - length * t;
                Vec3::new(0.0, y, z)
            })
            .collect();
        let width = |t: f32| {
            let body = 0.028 * h * (0.5 + 1.2 * t * (1.0 - t) + 0.3 * (1.0 - t));
            if is_braided { body * (0.7 + 0.18 * ops::sin(t * 50.0)) } else { body }
        };
        Tube::round(path, 10, width).capped().build()
    }
}

/// The shells of `extra`; a centaur's rear is part of the body and gives none.
pub(crate) fn worn(wearer: &Wearer<'_>, extra: Extra) -> Vec<Worn> {
    use TruthKind as K;
    use std::f32::consts::FRAC_PI_2;
    let w = wearer;
    let h = w.h;
    let mut r = w.plan.random.clone();
    let (front, rear) = (FRAC_PI_2, -FRAC_PI_2);
    let one = |kind, piece| vec![Worn::shell(kind, piece)];
    let pair = |kind, make: &dyn Fn(Side) -> Piece| {
        Side::BOTH.map(|side| Worn::shell(kind, make(side))).into_iter().collect()
    };
    let knee = w.figure.at(JointKey::Leg(Side::Left, 1)).y;
    let to_knee = w.figure.at(JointKey::Axial(0)).y + 0.03 * h - knee;
    match extra {
        Extra::Cape => one(K::Cape, w.cape(0.11, r.range(0.16, 0.24), r.range(0.2, 0.4), 0.1)),
        Extra::LongCape => one(K::Cape, w.cape(0.11, r.range(0.14, 0.2), 0.05, 0.15)),
        Extra::NarrowCape => one(K::Cape, w.cape(0.05, 0.06, r.range(0.08, 0.25), 0.12)),
        Extra::StandOffCape => one(K::Cape, w.cape(0.06, r.range(0.07, 0.12), 0.12, 0.7)),
        Extra::Skirt => one(K::Skirt, w.skirt()),
        Extra::TabardFront => one(K::Tabard, w.strip(front, 0.13 * h, to_knee, 0.05)),
        Extra::TabardRear => one(K::Tabard, w.strip(rear, 0.12 * h, to_knee, r.range(0.05, 0.5))),
        Extra::TabardBoth => vec![
            Worn::shell(K::Tabard, w.strip(front, 0.12 * h, to_knee, 0.05)),
            Worn::shell(K::Tabard, w.strip(rear, 0.12 * h, to_knee, 0.1)),
        ],
        Extra::LoinclothRear => {
            one(K::Loincloth, w.strip(rear, 0.08 * h, to_knee * r.range(0.7, 1.1), 0.15))
        }
        Extra::Sash => {
            let at = rear + r.range(-0.9, 0.9);
            one(K::Sash, w.strip(at, 0.035 * h, to_knee * r.range(0.8, 1.3), 0.2))
        }
        Extra::CoatTails => [-0.35, 0.35]
            .map(|a| Worn::shell(K::CoatTail, w.strip(rear + a, 0.07 * h, to_knee * 1.2, 0.18)))
            .into_iter()
            .collect(),
        Extra::HipScabbard => one(K::Scabbard, w.hip_scabbard(false)),
        Extra::HipSword => one(K::Scabbard, w.hip_scabbard(true)),
        Extra::SpineScabbard => spine_prop(K::Scabbard, w.on_back(extra)),
        Extra::Quiver => spine_prop(K::Quiver, w.on_back(extra)),
        Extra::Backpack => spine_prop(K::Backpack, w.on_back(extra)),
        Extra::PointedEars | Extra::LongEars => Side::BOTH
            .map(|side| {
                let (piece, n_ring) = w.ear(side, extra == Extra::LongEars);
                Worn { n_ring, ..Worn::shell(K::Ear, piece) }
            })
            .into_iter()
            .collect(),
        Extra::FeatherWings => pair(K::Wing, &|side| w.wing(side, false)),
        Extra::BatWings => pair(K::Wing, &|side| w.wing(side, true)),
        Extra::Membranes => pair(K::Membrane, &|side| w.membrane(side)),
        Extra::Sleeves => pair(K::Sleeve, &|side| w.sleeve(side)),
        Extra::Ponytail => one(K::Ponytail, w.hair(false)),
        Extra::Braid => one(K::Ponytail, w.hair(true)),
        Extra::CentaurRear => Vec::new(),
        Extra::HungCape => hung(w, JointKey::Axial(3), K::Cape, w.cape(0.1, 0.16, 0.2, 0.15)),
        Extra::HungShield => {
            let hand = w.figure.at(JointKey::Arm(Side::Left, 3));
            let to = hand + Vec3::new(0.02, 0.0, 0.05) * h;
            let disc = Wearer::bar(hand + Vec3::Z * 0.03 * h, to, [0.12 * h; 2], Vec3::Y);
            hung(w, JointKey::Arm(Side::Left, 3), K::Prop, disc)
        }
    }
}

/// A prop in a shell of its own on the spine: a default edit makes it rigid.
fn spine_prop(kind: TruthKind, piece: Piece) -> Vec<Worn> {
    vec![Worn { should_edit: true, ..Worn::shell(kind, piece) }]
}

fn hung(w: &Wearer<'_>, key: JointKey, kind: TruthKind, piece: Piece) -> Vec<Worn> {
    let joint = w.figure.find(key).unwrap_or(0);
    vec![Worn { hold: WornHold::Hung(joint), ..Worn::shell(kind, piece) }]
}
