//! What a recipe says: the data of `presets/clips/*.ron`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::channel::Side;
use super::fault::RecipeError;

/// Channel values by name.
pub type Settings = BTreeMap<String, f32>;

/// What recipes count time in.
pub const FRAMES_PER_SECOND: f32 = 30.0;

/// One clip's recipe. Everything it names adds up: the pose it starts from, keys, a gait, waves, flights.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// Name in the catalogue, such as `Walk_Loop`.
    pub name: String,
    /// Category in the catalogue, such as `Locomotion`.
    pub category: String,
    /// The recipe whose data this one begins with: its own fields replace, settings and waves add to, what stands there.
    pub like: Option<String>,
    /// Length in frames of 1/30 s.
    pub frames: Option<u32>,
    /// Names of layers (`layers.ron`) laid over what it is like: `breath`, `follow`.
    pub layers: Vec<String>,
    /// Parts whose keys, waves and settings are not taken over from `like`: `["arm", "head"]`.
    pub without: Vec<String>,
    /// Factors of the waves taken over from `like`, by part: `{"arm": 0.5}`.
    pub scale: Settings,
    /// Left and right change places, after all else: every other field speaks of the sides as they are before.
    pub mirror: bool,
    /// Runs backwards in time, after all else.
    pub reverse: bool,
    /// Whether the clip moves the root along `root.x`, `root.y`, `root.z`, `root.yaw`. Otherwise it stays in place.
    pub travels: bool,
    /// Whether feet may slide over the floor: it falls, or stays in place where it would get faster or slower.
    pub slides: bool,
    /// Keys a second of the clip, 30 where absent. 60 where legs are so fast that a planted foot would sink between keys.
    pub rate: Option<u32>,
    /// Whether its end is its beginning. Absent: as the name says (`…_Loop`).
    pub looping: Option<bool>,
    /// Whether no animator should see it yet.
    pub draft: bool,
    /// The named pose that channels rest in where nothing else sets them. Absent: `stand`.
    pub pose: Option<String>,
    /// What differs from that pose all through the clip.
    pub set: Settings,
    /// Poses at times.
    pub keys: Vec<Key>,
    /// The root's way, beside keys that are already as seen from it. Keys that set `root` channels themselves place feet
    /// and hands in the world instead.
    pub way: Vec<Key>,
    /// For a loop: the keys are of its first half, the second half is their mirror image.
    pub mirrored: bool,
    /// Footfalls.
    pub gait: Option<Gait>,
    /// Numbers of the gait that differ from that of `like`, by the names of its fields.
    pub pace: Settings,
    /// Recipes that the posture goes over to and back.
    pub blends: Vec<Blend>,
    /// Steps from place to place.
    pub steps: Vec<Step>,
    /// Sines added to channels.
    pub waves: Vec<Wave>,
    /// Times in the air.
    pub flights: Vec<Flight>,
    /// Seconds by which parts of the body follow the keys: `{"arm": 0.04, "hand": 0.08}`.
    pub drag: Settings,
}

/// A pose at a time. Channels it does not name pass by.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Key {
    /// Frame.
    pub at: f32,
    /// A named pose to begin with.
    pub pose: Option<String>,
    /// Channels that differ from it.
    pub set: Settings,
    /// Prescribed speeds, in units a second, of channels this key sets.
    pub speed: Settings,
}

/// Footfalls on a floor that moves under the body (a treadmill), as people walk and run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gait {
    /// Metres a second over the floor.
    pub speed: f32,
    /// Direction of travel, degrees to the left of forward: 180 goes backwards.
    pub heading: f32,
    /// Degrees that feet and hips are turned to the left while chest and head go on looking ahead: for side steps.
    pub facing: f32,
    /// Strides (of two steps) in the loop.
    pub strides: u32,
    /// Share of a stride that a foot stands on the floor: above 0.5 walking, below it running.
    pub duty: f32,
    /// Phase of the left foot's strike, in strides; the right one's is half a stride later.
    pub phase: f32,
    /// Runs the feet's motion backwards in time: for walking backwards.
    pub reversed: bool,
    /// How far before the hips the middle of a stance lies, in metres along the heading.
    pub ahead: f32,
    /// How much further the feet stand out than the hip joints, in metres.
    pub width: f32,
    /// Degrees that the toes point outwards.
    pub toe_out: f32,
    /// How high the ankle rises over the straight way from toe-off to strike, in metres.
    pub lift: f32,
    /// When in the swing that is, 0 to 1.
    pub lift_peak: f32,
    /// Degrees that the toes are up at the strike.
    pub strike: f32,
    /// Share of the stance after which the sole is flat.
    pub flat: f32,
    /// Share of the stance after which the heel rises.
    pub heel_off: f32,
    /// Degrees that the heel is up at toe-off.
    pub push: f32,
    /// Degrees that the foot hangs (heel up) in the middle of the swing, besides what strike and push lead to.
    pub droop: f32,
    /// How far a foot still goes back with the floor after it has left it, in metres.
    pub trail: f32,
    /// How far before its strike a foot reaches out, in metres.
    pub reach: f32,
    /// How fast a foot comes down on its strike, in metres a second.
    pub fall: f32,
    /// How far outwards the swinging foot goes round the standing leg, in metres.
    pub swing_out: f32,
}

impl Default for Gait {
    fn default() -> Self {
        Self {
            speed: 1.0,
            heading: 0.0,
            facing: 0.0,
            strides: 1,
            duty: 0.62,
            phase: 0.0,
            reversed: false,
            ahead: 0.0,
            width: 0.0,
            toe_out: 6.0,
            lift: 0.1,
            lift_peak: 0.4,
            strike: 18.0,
            flat: 0.14,
            heel_off: 0.5,
            push: 50.0,
            droop: 0.0,
            trail: 0.05,
            reach: 0.03,
            fall: 0.0,
            swing_out: 0.0,
        }
    }
}

impl Gait {
    /// The number of a field by its name.
    pub(super) fn field(&mut self, name: &str) -> Option<&mut f32> {
        Some(match name {
            "speed" => &mut self.speed,
            "heading" => &mut self.heading,
            "facing" => &mut self.facing,
            "duty" => &mut self.duty,
            "phase" => &mut self.phase,
            "ahead" => &mut self.ahead,
            "width" => &mut self.width,
            "toe_out" => &mut self.toe_out,
            "lift" => &mut self.lift,
            "lift_peak" => &mut self.lift_peak,
            "strike" => &mut self.strike,
            "flat" => &mut self.flat,
            "heel_off" => &mut self.heel_off,
            "push" => &mut self.push,
            "droop" => &mut self.droop,
            "trail" => &mut self.trail,
            "reach" => &mut self.reach,
            "fall" => &mut self.fall,
            "swing_out" => &mut self.swing_out,
            _ => return None,
        })
    }
}

/// Whose step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum StepFoot {
    /// The left foot.
    #[serde(rename = "l")]
    Left,
    /// The right foot.
    #[serde(rename = "r")]
    Right,
}

impl StepFoot {
    /// The foot's side.
    pub(super) const fn side(self) -> Side {
        match self {
            Self::Left => Side::Left,
            Self::Right => Side::Right,
        }
    }
}

/// A foot goes from where it stands to another place. Places it does not name stay.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Whose.
    pub foot: StepFoot,
    /// Frame at which it leaves the floor.
    pub from: f32,
    /// Frame at which it stands again.
    pub to: f32,
    /// Metres to the character's left of the foot's place in T-pose.
    #[serde(default)]
    pub x: Option<f32>,
    /// Metres over the floor: a stair, a wall.
    #[serde(default)]
    pub y: Option<f32>,
    /// Metres before the foot's place in T-pose.
    #[serde(default)]
    pub z: Option<f32>,
    /// Degrees to the left that the toes point.
    #[serde(default)]
    pub yaw: Option<f32>,
    /// The place is meant as seen from where the root is at that frame; what it does not name is as in the beginning.
    #[serde(default)]
    pub seen: Option<f32>,
    /// How high it goes, in metres.
    #[serde(default = "step_lift")]
    pub lift: f32,
    /// Degrees that the heel comes up first.
    #[serde(default = "step_push")]
    pub push: f32,
    /// How much the hips go over the other foot meanwhile, 1 as usual.
    #[serde(default = "whole")]
    pub shift: f32,
}

const fn step_lift() -> f32 {
    0.07
}

const fn step_push() -> f32 {
    24.0
}

const fn whole() -> f32 {
    1.0
}

/// The posture goes over to that of another recipe.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blend {
    /// The recipe's name; one above this one.
    pub to: String,
    /// Frame at which it begins to count. At or after `until` the other counts wholly before, and ends between.
    pub from: f32,
    /// Frame from which it alone counts.
    pub until: f32,
    /// Frame of the other recipe at this one's first frame.
    #[serde(default)]
    pub begin: f32,
}

/// The form of a wave over its period u, from its crest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub enum Shape {
    /// cos(2π u).
    #[default]
    Sine,
    /// A hand or foot that goes evenly from +1 to -1 for that share of the period, as if held by the floor, and swings
    /// back in the rest.
    Tread(f32),
    /// Lifted, from 0 to 1 and back, while a [`Shape::Tread`] of the same share swings back; 0 else.
    Lift(f32),
}

/// A part of a recipe that many share.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Layer {
    /// Settings, under the recipe's own.
    pub set: Settings,
    /// Waves, where the recipe has none of its own on their channels.
    pub waves: Vec<Wave>,
    /// Drags, under the recipe's own.
    pub drag: Settings,
}

/// A sine added to a channel: `by · cos(2π · times · (phase - peak))`, closed by construction.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wave {
    /// The channel.
    pub on: String,
    /// How far it goes to either side, in the channel's unit.
    pub by: f32,
    /// Whole waves in the clip.
    #[serde(default = "one")]
    pub times: u32,
    /// Phase of a crest, 0 to 1 of the clip.
    #[serde(default)]
    pub peak: f32,
    /// The right side does the same half a stride later.
    #[serde(default)]
    pub alternate: bool,
    /// Its form.
    #[serde(default)]
    pub shape: Shape,
}

const fn one() -> u32 {
    1
}

/// A time in the air: the centre of mass flies a parabola.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flight {
    /// Frame of the take-off.
    pub from: f32,
    /// Frame of the landing.
    pub to: f32,
    /// Metres a second squared.
    #[serde(default = "earth")]
    pub gravity: f32,
}

const fn earth() -> f32 {
    9.81
}

impl Recipe {
    /// Length in seconds.
    pub fn seconds(&self) -> f32 {
        self.frames.unwrap_or(0) as f32 / FRAMES_PER_SECOND
    }

    /// Keys a second of its clip.
    pub fn keys_per_second(&self) -> f32 {
        self.rate.map_or(FRAMES_PER_SECOND, |rate| rate as f32)
    }

    /// Whether its end is its beginning.
    pub fn is_looping(&self) -> bool {
        self.looping.unwrap_or_else(|| self.name.ends_with("_Loop"))
    }

    /// Whether keys themselves move the root.
    pub(super) fn moves_root_in_keys(&self) -> bool {
        self.keys.iter().any(|key| key.set.keys().any(|name| name.starts_with("root.")))
    }

    /// Strides in the clip: those of the gait, else one.
    pub fn strides(&self) -> u32 {
        self.gait.as_ref().map_or(1, |g| g.strides.max(1))
    }
}

/// Parses a file of recipes.
///
/// # Errors
/// [`RecipeError::Syntax`] with line and column.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<Recipe>, RecipeError> {
    from_ron(file, text)
}

/// Parses a file of named poses.
///
/// # Errors
/// [`RecipeError::Syntax`] with line and column.
pub(super) fn parse_poses(
    file: &str,
    text: &str,
) -> Result<BTreeMap<String, Settings>, RecipeError> {
    from_ron(file, text)
}

/// Parses a file of layers.
///
/// # Errors
/// [`RecipeError::Syntax`] with line and column.
pub(super) fn parse_layers(file: &str, text: &str) -> Result<BTreeMap<String, Layer>, RecipeError> {
    from_ron(file, text)
}

fn from_ron<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> Result<T, RecipeError> {
    let options =
        ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options
        .from_str(text)
        .map_err(|error| RecipeError::Syntax { file: file.to_owned(), message: error.to_string() })
}
