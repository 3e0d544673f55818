//! What a seed decides: one record of numbers and choices, from which the character is then built without chance.

use crate::samples::figure::{Frames, Naming, Proportions, SkeletonPlan};
use crate::samples::random::Random;
use crate::samples::rigger::Claim;

/// Shapes of tails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TailForm {
    /// Straight down behind the legs, -85° to -70°.
    Hanging,
    /// Down and back, -65° to -25°.
    Drooping,
    /// Level, -20° to 20°.
    Level,
    /// Up along the back, 50° to 85°.
    Upright,
    /// Down, then up at the end.
    Curled,
    /// Rolled up like a husky's.
    Spiral,
    /// Swings out to one side and back.
    Sideways,
    /// One trunk, two ends.
    Forked,
    /// A pair.
    Two,
    /// A fan of three.
    Three,
    /// A fan of nine.
    Nine,
}

impl TailForm {
    /// All of them.
    pub(crate) const ALL: [Self; 11] = [
        Self::Hanging,
        Self::Drooping,
        Self::Level,
        Self::Upright,
        Self::Curled,
        Self::Spiral,
        Self::Sideways,
        Self::Forked,
        Self::Two,
        Self::Three,
        Self::Nine,
    ];
}

/// How a tail is joined to the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    /// One skin with it.
    Welded,
    /// A closed shell whose root is inside the body.
    Shell,
    /// Fur over skin, unwelded.
    TwoShells,
}

/// A tail, or a fan of them. Lengths as shares of the height.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TailPlan {
    /// Its shape.
    pub(crate) form: TailForm,
    /// How it is joined.
    pub(crate) join: Join,
    /// Along its middle.
    pub(crate) length: f32,
    /// Widest half width.
    pub(crate) radius: f32,
    /// Where it is widest, 0 root to 1 tip.
    pub(crate) bulge: f32,
    /// Elevation of its direction, radians; the form says where.
    pub(crate) pitch: f32,
    /// Which way it leans or curls, -1 or 1.
    pub(crate) hand: f32,
    /// Corners of a ring.
    pub(crate) n_sides: u32,
    /// Rings along it.
    pub(crate) n_rings: u32,
}

/// What hangs on a character and is no tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    Cape,
    LongCape,
    NarrowCape,
    StandOffCape,
    Skirt,
    TabardFront,
    TabardRear,
    TabardBoth,
    LoinclothRear,
    Sash,
    CoatTails,
    HipScabbard,
    HipSword,
    SpineScabbard,
    Quiver,
    Backpack,
    PointedEars,
    LongEars,
    FeatherWings,
    BatWings,
    Membranes,
    Sleeves,
    Ponytail,
    Braid,
    CentaurRear,
    HungCape,
    HungShield,
}

impl Extra {
    /// All of them.
    pub(crate) const ALL: [Self; 27] = [
        Self::Cape,
        Self::LongCape,
        Self::NarrowCape,
        Self::StandOffCape,
        Self::Skirt,
        Self::TabardFront,
        Self::TabardRear,
        Self::TabardBoth,
        Self::LoinclothRear,
        Self::Sash,
        Self::CoatTails,
        Self::HipScabbard,
        Self::HipSword,
        Self::SpineScabbard,
        Self::Quiver,
        Self::Backpack,
        Self::PointedEars,
        Self::LongEars,
        Self::FeatherWings,
        Self::BatWings,
        Self::Membranes,
        Self::Sleeves,
        Self::Ponytail,
        Self::Braid,
        Self::CentaurRear,
        Self::HungCape,
        Self::HungShield,
    ];

    /// Which place on the body it needs; two that need one place are never worn together.
    pub(crate) fn place(self) -> Place {
        match self {
            Self::Cape
            | Self::LongCape
            | Self::NarrowCape
            | Self::StandOffCape
            | Self::SpineScabbard
            | Self::Quiver
            | Self::Backpack
            | Self::FeatherWings
            | Self::BatWings
            | Self::HungCape => Place::Back,
            Self::Skirt
            | Self::TabardFront
            | Self::TabardRear
            | Self::TabardBoth
            | Self::LoinclothRear
            | Self::Sash
            | Self::CoatTails => Place::Waist,
            Self::HipScabbard | Self::HipSword => Place::Side,
            Self::PointedEars | Self::LongEars => Place::Crown,
            Self::Ponytail | Self::Braid => Place::Nape,
            Self::Membranes | Self::Sleeves | Self::HungShield => Place::Arms,
            Self::CentaurRear => Place::Rear,
        }
    }

    /// Whether a character can wear it and have a tail: a centaur's tail would sit on its rear.
    fn goes_with_tail(self) -> bool {
        self != Self::CentaurRear
    }
}

/// Places on a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Back,
    Waist,
    Side,
    Crown,
    Nape,
    Arms,
    Rear,
}

/// Everything a seed decides.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Proportions and pose.
    pub(crate) proportions: Proportions,
    /// Thickness of limbs and trunk, 1 is common.
    pub(crate) girth: f32,
    /// Size of the belly, 0 to 1.
    pub(crate) belly: f32,
    /// Length of the muzzle, 0 for a human face.
    pub(crate) muzzle: f32,
    /// Names, turns, units.
    pub(crate) skeleton: SkeletonPlan,
    /// Cell of the body's mesh over the height.
    pub(crate) cell: f32,
    /// Whether triangles are fine in some places and coarse in others.
    pub(crate) is_uneven: bool,
    /// Whether vertices are split at UV seams.
    pub(crate) has_charts: bool,
    /// Whether cloth is a slab rather than one layer.
    pub(crate) is_cloth_thick: bool,
    /// Whether what is worn shares the body's mesh.
    pub(crate) is_one_mesh: bool,
    /// Who takes the tail.
    pub(crate) claim: Claim,
    /// Hue of the body, 0 to 1.
    pub(crate) hue: f32,
    /// The tail.
    pub(crate) tail: Option<TailPlan>,
    /// What else.
    pub(crate) extras: Vec<Extra>,
    /// For the builders' own small choices.
    pub(crate) random: Random,
}

impl Plan {
    /// The plan of `seed`. Every twelve seeds run through all forms of tail and none, every 27 through all extras.
    pub(crate) fn of(seed: u64) -> Self {
        let mut r = Random::new(seed);
        let first = Extra::ALL[(seed % Extra::ALL.len() as u64) as usize];
        let form = TailForm::ALL.get((seed % 12) as usize).copied();
        let form = form.filter(|_| first.goes_with_tail());
        let mut extras = vec![first];
        for _ in 0..2 {
            let extra = r.pick(&Extra::ALL);
            let is_free = extras.iter().all(|e| e.place() != extra.place());
            if r.chance(0.35) && is_free && (extra.goes_with_tail() || form.is_none()) {
                extras.push(extra);
            }
        }
        let proportions = proportions(&mut r);
        let skeleton = skeleton(&mut r);
        let tail = form.map(|form| tail(&mut r, form));
        Self {
            proportions,
            girth: r.range(0.75, 1.5),
            belly: if r.chance(0.35) { r.range(0.3, 1.0) } else { 0.0 },
            muzzle: if r.chance(0.5) { r.range(0.3, 1.0) } else { 0.0 },
            skeleton,
            cell: r.range(1.0 / 62.0, 1.0 / 36.0),
            is_uneven: r.chance(0.15),
            has_charts: r.chance(0.7),
            is_cloth_thick: r.chance(0.5),
            is_one_mesh: r.chance(0.6),
            claim: r.pick(&[Claim::LeftLeg, Claim::LeftLeg, Claim::Nearest, Claim::Limbs]),
            hue: r.unit(),
            tail,
            extras,
            random: r,
        }
    }
}

fn proportions(r: &mut Random) -> Proportions {
    let height = if r.chance(0.5) { r.range(1.5, 2.0) } else { r.range(0.3, 3.0) };
    Proportions {
        height,
        hips: r.range(0.44, 0.56),
        neck: r.range(0.78, 0.83),
        head: r.range(0.84, 0.87),
        shoulders: r.range(0.085, 0.125),
        hip_width: r.range(0.045, 0.065),
        arm: r.range(0.14, 0.17),
        arm_drop: if r.chance(0.5) { 0.0 } else { r.range(0.5, 0.9) },
        foot: r.range(0.07, 0.1),
        finger: 0.045,
        digitigrade: if r.chance(0.2) { r.range(0.5, 1.0) } else { 0.0 },
        has_fingers: r.chance(0.4),
        has_root: r.chance(0.4),
    }
}

fn skeleton(r: &mut Random) -> SkeletonPlan {
    let (units_per_metre, armature_scale) =
        r.pick(&[(1.0, None), (1.0, None), (100.0, None), (1.0, Some(0.01)), (1.0, Some(1.0))]);
    SkeletonPlan {
        naming: r.pick(&Naming::ALL),
        frames: r.pick(&[Frames::World, Frames::YAlong, Frames::XAlong]),
        units_per_metre,
        armature_scale,
    }
}

fn tail(r: &mut Random, form: TailForm) -> TailPlan {
    let is_fan = matches!(form, TailForm::Two | TailForm::Three | TailForm::Nine);
    let join = match form {
        TailForm::Forked => r.pick(&[Join::Welded, Join::Shell]),
        TailForm::Nine => Join::Shell,
        _ if is_fan => r.pick(&[Join::Welded, Join::Shell]),
        _ => r.pick(&[Join::Welded, Join::Welded, Join::Shell, Join::TwoShells]),
    };
    let (low, high) = match form {
        TailForm::Hanging => (-85.0_f32, -70.0),
        TailForm::Drooping => (-65.0, -25.0),
        TailForm::Upright => (50.0, 85.0),
        TailForm::Curled => (-70.0, -35.0),
        TailForm::Spiral => (20.0, 50.0),
        TailForm::Sideways => (-50.0, 0.0),
        _ => (-30.0, 20.0),
    };
    let length = match form {
        TailForm::Spiral => r.range(0.55, 0.75),
        TailForm::Nine => r.range(0.35, 0.5),
        _ => r.range(0.26, 0.6),
    };
    let radius = match form {
        TailForm::Spiral => r.range(0.014, 0.022),
        TailForm::Nine => r.range(0.012, 0.018),
        _ if is_fan => r.range(0.014, 0.026),
        _ => r.range(0.012, 0.05),
    };
    TailPlan {
        form,
        join,
        length,
        radius: radius.min(length * 0.13),
        bulge: if r.chance(0.5) { r.range(0.4, 0.75) } else { 0.0 },
        pitch: r.range(low, high).to_radians(),
        hand: r.sign(),
        n_sides: 6 + 2 * r.below(5) as u32,
        n_rings: 8 + r.below(20) as u32,
    }
}
