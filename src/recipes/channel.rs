//! Channels: the degrees of freedom that recipes speak of, in an animator's words.
//!
//! A channel is named `part.motion`, or `part.side.motion` for what comes in pairs: `hips.y`, `arm.l.swing`,
//! `knee.r.flex`. A paired name without its side (`arm.swing`) means both. Angles are degrees, lengths metres on the
//! 1.8 m body. Signs are the same on both sides, so that a symmetric pose has equal numbers left and right:
//! `swing` forward, `out` away from the midline, `flex` the way the joint closes; `bend` forward, `lean` and `twist`
//! towards the character's left. `foot` is a foot on the floor, placed by its ball (`out`, `y`, `z` from where it is in
//! T-pose); `heel` rolls it up about the ball, `tip` about the heel. `grip` is a hand at a place in the world.
//! `foot.plant` and `grip.hold` say how much of that counts against the free limb's own channels. `grip.follow` lets that
//! place go with the chest (a thing carried) instead of standing in the world (a wall, the floor); `grip.press` lays the
//! hand flat, palm down and fingers ahead, turned out by `grip.yaw` and up by `grip.pitch` (90: against a wall).
//! `root` is what the clip travels.

/// Left or right, the character's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// +X.
    Left,
    /// -X.
    Right,
}

impl Side {
    /// Both, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// +1 on the left, -1 on the right: the sign of x.
    pub const fn sign(self) -> f32 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }

    const fn index(self) -> usize {
        match self {
            Self::Left => 0,
            Self::Right => 1,
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

macro_rules! channels {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal, $low:literal, $high:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $(#[doc = concat!("`", $text, "`")] $variant),+ }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            const NAMES: &'static [&'static str] = &[$($text),+];
            const RANGES: &'static [(f32, f32)] = &[$(($low, $high)),+];
        }
    };
}

channels! {
    /// Channels of the body's middle: name, least and greatest value.
    Centre {
        HipsX = "hips.x", -10.0, 10.0;
        HipsY = "hips.y", -10.0, 10.0;
        HipsZ = "hips.z", -10.0, 10.0;
        HipsYaw = "hips.yaw", -3600.0, 3600.0;
        HipsPitch = "hips.pitch", -3600.0, 3600.0;
        HipsRoll = "hips.roll", -3600.0, 3600.0;
        SpineBend = "spine.bend", -30.0, 65.0;
        SpineLean = "spine.lean", -30.0, 30.0;
        SpineTwist = "spine.twist", -45.0, 45.0;
        ChestBend = "chest.bend", -30.0, 45.0;
        ChestLean = "chest.lean", -25.0, 25.0;
        ChestTwist = "chest.twist", -45.0, 45.0;
        NeckBend = "neck.bend", -40.0, 45.0;
        NeckLean = "neck.lean", -30.0, 30.0;
        NeckTwist = "neck.twist", -45.0, 45.0;
        HeadBend = "head.bend", -45.0, 45.0;
        HeadLean = "head.lean", -35.0, 35.0;
        HeadTwist = "head.twist", -55.0, 55.0;
        HeadLevel = "head.level", 0.0, 1.0;
        Ground = "body.ground", 0.0, 1.0;
        RootX = "root.x", -10.0, 10.0;
        RootY = "root.y", -10.0, 10.0;
        RootZ = "root.z", -10.0, 10.0;
        RootYaw = "root.yaw", -3600.0, 3600.0;
    }
}

channels! {
    /// Channels that come in pairs.
    Sided {
        ClavicleRaise = "clavicle.raise", -15.0, 40.0;
        ClavicleForward = "clavicle.forward", -25.0, 35.0;
        ArmSwing = "arm.swing", -75.0, 195.0;
        ArmOut = "arm.out", -55.0, 180.0;
        ArmTwist = "arm.twist", -90.0, 105.0;
        ElbowFlex = "elbow.flex", 0.0, 150.0;
        ElbowTwist = "elbow.twist", -90.0, 90.0;
        HandFlex = "hand.flex", -80.0, 80.0;
        HandSide = "hand.side", -25.0, 35.0;
        FingersCurl = "fingers.curl", -15.0, 95.0;
        FingersSpread = "fingers.spread", -5.0, 20.0;
        ThumbCurl = "thumb.curl", -20.0, 60.0;
        LegSwing = "leg.swing", -40.0, 135.0;
        LegOut = "leg.out", -30.0, 65.0;
        LegTwist = "leg.twist", -45.0, 50.0;
        KneeFlex = "knee.flex", 0.0, 155.0;
        KneeOut = "knee.out", -60.0, 80.0;
        AnkleFlex = "ankle.flex", -60.0, 40.0;
        ToesFlex = "toes.flex", -35.0, 75.0;
        FootPlant = "foot.plant", 0.0, 1.0;
        FootOut = "foot.out", -5.0, 5.0;
        FootY = "foot.y", -5.0, 5.0;
        FootZ = "foot.z", -10.0, 10.0;
        FootYaw = "foot.yaw", -90.0, 90.0;
        FootPitch = "foot.pitch", -180.0, 180.0;
        FootRoll = "foot.roll", -60.0, 60.0;
        FootHeel = "foot.heel", 0.0, 80.0;
        FootTip = "foot.tip", 0.0, 60.0;
        GripHold = "grip.hold", 0.0, 1.0;
        GripOut = "grip.out", -5.0, 5.0;
        GripY = "grip.y", -5.0, 5.0;
        GripZ = "grip.z", -5.0, 5.0;
        GripElbow = "grip.elbow", -180.0, 180.0;
        GripFollow = "grip.follow", 0.0, 1.0;
        GripPress = "grip.press", 0.0, 1.0;
        GripYaw = "grip.yaw", -180.0, 180.0;
        GripPitch = "grip.pitch", -120.0, 180.0;
    }
}

impl Centre {
    /// What its value is multiplied by when left and right change places.
    const fn mirror_sign(self) -> f32 {
        match self {
            Self::HipsX
            | Self::HipsYaw
            | Self::HipsRoll
            | Self::SpineLean
            | Self::SpineTwist
            | Self::ChestLean
            | Self::ChestTwist
            | Self::NeckLean
            | Self::NeckTwist
            | Self::HeadLean
            | Self::HeadTwist
            | Self::RootX
            | Self::RootYaw => -1.0,
            _ => 1.0,
        }
    }
}

/// One channel of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    /// Of the middle.
    Centre(Centre),
    /// Of one side.
    Sided(Side, Sided),
}

/// Number of all channels.
pub const N_CHANNELS: usize = Centre::ALL.len() + 2 * Sided::ALL.len();

impl Channel {
    /// The channels that `name` means: one, or two for a paired name without its side; none for an unknown name.
    pub fn named(name: &str) -> Vec<Self> {
        if let Some(i) = Centre::NAMES.iter().position(|n| *n == name) {
            return Centre::ALL.get(i).map(|&c| Self::Centre(c)).into_iter().collect();
        }
        let parts: Vec<&str> = name.split('.').collect();
        let (pair, sides): (String, &[Side]) = match parts[..] {
            [part, "l", motion] => (format!("{part}.{motion}"), &[Side::Left]),
            [part, "r", motion] => (format!("{part}.{motion}"), &[Side::Right]),
            _ => (name.to_owned(), &Side::BOTH),
        };
        let Some(i) = Sided::NAMES.iter().position(|n| *n == pair) else { return Vec::new() };
        sides.iter().filter_map(|&s| Sided::ALL.get(i).map(|&c| Self::Sided(s, c))).collect()
    }

    /// Whether the channel belongs to a part (`arm`), a side of it (`arm.l`), or is that very channel.
    pub fn is_of(self, part: &str) -> bool {
        let name = self.name();
        name == part
            || name.strip_prefix(part).is_some_and(|rest| rest.starts_with('.'))
            || Self::named(part).contains(&self)
    }

    /// Whether it is the way of the root.
    pub const fn is_root(self) -> bool {
        matches!(
            self,
            Self::Centre(Centre::RootX | Centre::RootY | Centre::RootZ | Centre::RootYaw)
        )
    }

    /// The channel's name, with its side.
    pub fn name(self) -> String {
        match self {
            Self::Centre(c) => {
                Centre::NAMES.get(c as usize).copied().unwrap_or_default().to_owned()
            }
            Self::Sided(side, c) => {
                let pair = Sided::NAMES.get(c as usize).copied().unwrap_or_default();
                let (part, motion) = pair.split_once('.').unwrap_or((pair, ""));
                format!("{part}.{}.{motion}", if side == Side::Left { "l" } else { "r" })
            }
        }
    }

    /// All channels, in the order of [`Channel::index`].
    pub fn all() -> impl Iterator<Item = Self> {
        let sided =
            Side::BOTH.into_iter().flat_map(|s| Sided::ALL.iter().map(move |&c| Self::Sided(s, c)));
        Centre::ALL.iter().map(|&c| Self::Centre(c)).chain(sided)
    }

    /// The channel's place in a posture.
    pub const fn index(self) -> usize {
        match self {
            Self::Centre(c) => c as usize,
            Self::Sided(side, c) => {
                Centre::ALL.len() + side.index() * Sided::ALL.len() + c as usize
            }
        }
    }

    /// The same motion on a mirrored body, and the factor of its value.
    pub fn mirrored(self) -> (Self, f32) {
        match self {
            Self::Centre(c) => (self, c.mirror_sign()),
            Self::Sided(side, c) => (Self::Sided(side.other(), c), 1.0),
        }
    }

    /// Least and greatest value: the joint's limits, where it has some.
    pub fn range(self) -> (f32, f32) {
        let range = match self {
            Self::Centre(c) => Centre::RANGES.get(c as usize),
            Self::Sided(_, c) => Sided::RANGES.get(c as usize),
        };
        range.copied().unwrap_or((f32::MIN, f32::MAX))
    }
}

/// A value for every channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Posture {
    values: [f32; N_CHANNELS],
}

impl Default for Posture {
    /// Upright, arms hanging straight, both feet planted below the hips.
    fn default() -> Self {
        let mut posture = Self { values: [0.0; N_CHANNELS] };
        for side in Side::BOTH {
            posture.set(Channel::Sided(side, Sided::FootPlant), 1.0);
        }
        posture
    }
}

impl Posture {
    /// Value of a channel.
    pub fn get(&self, channel: Channel) -> f32 {
        self.values.get(channel.index()).copied().unwrap_or_default()
    }

    /// Value of a channel of the middle.
    pub fn centre(&self, channel: Centre) -> f32 {
        self.get(Channel::Centre(channel))
    }

    /// Value of a channel of one side.
    pub fn sided(&self, side: Side, channel: Sided) -> f32 {
        self.get(Channel::Sided(side, channel))
    }

    /// Sets a channel.
    pub fn set(&mut self, channel: Channel, value: f32) {
        if let Some(slot) = self.values.get_mut(channel.index()) {
            *slot = value;
        }
    }

    /// Adds to a channel.
    pub fn add(&mut self, channel: Channel, value: f32) {
        self.set(channel, self.get(channel) + value);
    }

    /// Goes over to another posture by a share of the way.
    pub fn go_over_to(&mut self, other: &Self, share: f32) {
        for (value, goal) in self.values.iter_mut().zip(&other.values) {
            *value += (goal - *value) * share;
        }
    }

    /// The same posture with left and right changed.
    pub fn mirrored(&self) -> Self {
        let mut image = Self { values: [0.0; N_CHANNELS] };
        for channel in Channel::all() {
            let (other, sign) = channel.mirrored();
            image.set(other, sign * self.get(channel));
        }
        image
    }

    /// Holds every channel inside its range.
    pub fn clamp_to_limits(&mut self) {
        for channel in Channel::all() {
            let (low, high) = channel.range();
            self.set(channel, self.get(channel).clamp(low, high));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_channel_is_found_by_its_own_name_and_has_its_own_place() {
        let mut places = Vec::new();
        for channel in Channel::all() {
            assert_eq!(Channel::named(&channel.name()), [channel], "{}", channel.name());
            places.push(channel.index());
        }
        assert_eq!(places, (0..N_CHANNELS).collect::<Vec<_>>());
    }

    #[test]
    fn a_paired_name_without_side_means_both() {
        let both = Channel::named("knee.flex");
        assert_eq!(both.len(), 2);
        assert!(both.iter().all(|c| c.is_of("knee") && c.is_of("knee.flex") && !c.is_of("kn")));
        assert!(Channel::named("knee.x.flex").is_empty() && Channel::named("knees").is_empty());
    }

    #[test]
    fn mirroring_twice_changes_nothing() {
        for channel in Channel::all() {
            let (other, sign) = channel.mirrored();
            let (back, again) = other.mirrored();
            assert_eq!((back, sign * again), (channel, 1.0));
        }
    }
}
