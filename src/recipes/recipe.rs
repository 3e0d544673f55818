//! What a recipe says: the data of `presets/clips/*.ron`, and the faults it may have.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::channel::Channel;

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
    /// For a loop: the keys are of its first half, the second half is their mirror image.
    pub mirrored: bool,
    /// Footfalls.
    pub gait: Option<Gait>,
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

/// What is wrong with a recipe.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecipeError {
    /// The text is not a list of recipes.
    #[error("{file}: {message}")]
    Syntax {
        /// Name of the file.
        file: String,
        /// Position and reason, in the parser's words.
        message: String,
    },
    /// A channel that does not exist.
    #[error("{recipe}: there is no channel `{channel}`; the nearest is `{nearest}`")]
    UnknownChannel {
        /// The recipe.
        recipe: String,
        /// As written.
        channel: String,
        /// The existing name with the fewest differing letters.
        nearest: String,
    },
    /// A pose or recipe that does not exist.
    #[error("{recipe}: there is no {kind} `{name}`")]
    UnknownName {
        /// The recipe.
        recipe: String,
        /// "pose" or "recipe".
        kind: &'static str,
        /// As written.
        name: String,
    },
    /// A number out of its bounds.
    #[error("{recipe}: {what} is {value}, which is not within {bounds}")]
    OutOfBounds {
        /// The recipe.
        recipe: String,
        /// Which number.
        what: String,
        /// Its value.
        value: f32,
        /// What is allowed.
        bounds: String,
    },
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

    /// Strides in the clip: those of the gait, else one.
    pub fn strides(&self) -> u32 {
        self.gait.as_ref().map_or(1, |g| g.strides.max(1))
    }

    /// This recipe over the one it is like.
    pub(super) fn over(self, base: &Self) -> Self {
        let mut waves: Vec<Wave> = base
            .waves
            .iter()
            .filter(|w| !self.waves.iter().any(|o| o.on == w.on))
            .cloned()
            .collect();
        waves.extend(self.waves);
        let add = |mut to: Settings, from: Settings| {
            to.extend(from);
            to
        };
        let or = |own: Vec<_>, other: &Vec<_>| if own.is_empty() { other.clone() } else { own };
        Self {
            name: self.name,
            category: if self.category.is_empty() { base.category.clone() } else { self.category },
            like: None,
            frames: self.frames.or(base.frames),
            rate: self.rate.or(base.rate),
            looping: self.looping,
            draft: self.draft,
            pose: self.pose.or_else(|| base.pose.clone()),
            set: add(base.set.clone(), self.set),
            mirrored: if self.keys.is_empty() { base.mirrored } else { self.mirrored },
            keys: or(self.keys, &base.keys),
            gait: self.gait.or_else(|| base.gait.clone()),
            waves,
            flights: if self.flights.is_empty() { base.flights.clone() } else { self.flights },
            drag: add(base.drag.clone(), self.drag),
        }
    }

    /// Checks every name and number against `poses`.
    ///
    /// # Errors
    /// The first fault, with the recipe's name.
    pub(super) fn check(&self, poses: &BTreeMap<String, Settings>) -> Result<(), RecipeError> {
        let frames = self.frames.unwrap_or(0) as f32;
        self.bound("frames", frames, 1.0, 600.0)?;
        self.bound("rate", self.keys_per_second(), 30.0, 60.0)?;
        self.check_pose(self.pose.as_deref(), poses)?;
        self.check_settings(&self.set)?;
        for key in &self.keys {
            self.check_pose(key.pose.as_deref(), poses)?;
            self.check_settings(&key.set)?;
            self.check_names(key.speed.keys())?;
            let end = if self.mirrored { frames / 2.0 } else { frames };
            self.bound("the time of a key", key.at, 0.0, end)?;
        }
        for pair in self.keys.windows(2) {
            if let [a, b] = pair {
                self.bound("the time of a key after another", b.at, a.at + 1e-3, frames)?;
            }
        }
        self.check_names(self.waves.iter().map(|w| &w.on))?;
        for wave in &self.waves {
            self.bound("the number of waves", wave.times as f32, 1.0, 64.0)?;
        }
        for flight in &self.flights {
            self.bound("a take-off", flight.from, 0.0, frames)?;
            self.bound("a landing", flight.to, flight.from + 1.0, frames)?;
            self.bound("gravity", flight.gravity, 0.1, 50.0)?;
        }
        if let Some(gait) = &self.gait {
            self.bound("duty", gait.duty, 0.1, 0.95)?;
            self.bound("strides", gait.strides as f32, 1.0, 16.0)?;
            self.bound("flat", gait.flat, 0.0, gait.heel_off)?;
            self.bound("heel_off", gait.heel_off, gait.flat, 1.0)?;
            self.bound("trail", gait.trail, 0.0, 1.0)?;
            self.bound("reach", gait.reach, 0.0, 1.0)?;
            self.bound("lift_peak", gait.lift_peak, 0.1, 0.9)?;
        }
        Ok(())
    }

    fn bound(&self, what: &str, value: f32, low: f32, high: f32) -> Result<(), RecipeError> {
        if value >= low && value <= high {
            return Ok(());
        }
        Err(RecipeError::OutOfBounds {
            recipe: self.name.clone(),
            what: what.to_owned(),
            value,
            bounds: format!("{low} to {high}"),
        })
    }

    fn check_pose(
        &self,
        pose: Option<&str>,
        poses: &BTreeMap<String, Settings>,
    ) -> Result<(), RecipeError> {
        match pose {
            Some(name) if !poses.contains_key(name) => Err(RecipeError::UnknownName {
                recipe: self.name.clone(),
                kind: "pose",
                name: name.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn check_settings(&self, settings: &Settings) -> Result<(), RecipeError> {
        check_settings(&self.name, settings)
    }

    fn check_names<'a>(
        &self,
        mut names: impl Iterator<Item = &'a String>,
    ) -> Result<(), RecipeError> {
        names.try_for_each(|name| check_channel(&self.name, name))
    }
}

fn check_channel(recipe: &str, name: &str) -> Result<(), RecipeError> {
    if !Channel::named(name).is_empty() {
        return Ok(());
    }
    let nearest = Channel::all()
        .map(Channel::name)
        .flat_map(|n| [n.replace(".l.", ".").replace(".r.", "."), n])
        .min_by_key(|n| (differing_letters(n, name), n.len()))
        .unwrap_or_default();
    Err(RecipeError::UnknownChannel {
        recipe: recipe.to_owned(),
        channel: name.to_owned(),
        nearest,
    })
}

/// Checks that every channel exists and every value is within its range. `recipe` is whose they are.
///
/// # Errors
/// The first fault.
pub(super) fn check_settings(recipe: &str, settings: &Settings) -> Result<(), RecipeError> {
    for (name, &value) in settings {
        check_channel(recipe, name)?;
        for channel in Channel::named(name) {
            let (low, high) = channel.range();
            if !(value >= low && value <= high) {
                return Err(RecipeError::OutOfBounds {
                    recipe: recipe.to_owned(),
                    what: channel.name(),
                    value,
                    bounds: format!("{low} to {high}"),
                });
            }
        }
    }
    Ok(())
}

/// Levenshtein distance.
fn differing_letters(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (y, above) in b.iter().zip(row.iter_mut().skip(1)) {
            let here = (diagonal + usize::from(x != *y)).min(left + 1).min(*above + 1);
            diagonal = *above;
            *above = here;
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
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

fn from_ron<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> Result<T, RecipeError> {
    let options =
        ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    options
        .from_str(text)
        .map_err(|error| RecipeError::Syntax { file: file.to_owned(), message: error.to_string() })
}
