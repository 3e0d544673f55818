//! What may be wrong with a recipe, and the checks that find it.

use super::channel::Channel;
use super::poses::Poses;
use super::recipe::{Gait, Recipe, Settings};

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
        /// "pose", "recipe", "layer", "part", "number of a gait".
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
    /// Checks every name and number against `poses`.
    ///
    /// # Errors
    /// The first fault, with the recipe's name.
    pub(super) fn check(&self, poses: &Poses) -> Result<(), RecipeError> {
        let frames = self.frames.unwrap_or(0) as f32;
        self.bound("frames", frames, 1.0, 600.0)?;
        self.bound("rate", self.keys_per_second(), 30.0, 60.0)?;
        self.check_pose(self.pose.as_deref(), poses)?;
        self.check_settings(&self.set)?;
        for key in self.keys.iter().chain(&self.way) {
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
        for step in &self.steps {
            self.bound("the beginning of a step", step.from, 0.0, frames)?;
            self.bound("the end of a step", step.to, step.from + 0.5, frames)?;
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

    /// Checks what it says about the recipe it is like.
    ///
    /// # Errors
    /// The first name that is unknown.
    pub(super) fn check_words(&self) -> Result<(), RecipeError> {
        let mut gait = Gait::default();
        if let Some(name) = self.pace.keys().find(|name| gait.field(name).is_none()) {
            return Err(self.unknown("number of a gait", name));
        }
        let mut parts = self.without.iter().chain(self.scale.keys());
        match parts.find(|part| !Channel::all().any(|c| c.is_of(part))) {
            Some(part) => Err(self.unknown("part", part)),
            None => Ok(()),
        }
    }

    /// That something the recipe names does not exist.
    pub(super) fn unknown(&self, kind: &'static str, name: &str) -> RecipeError {
        RecipeError::UnknownName { recipe: self.name.clone(), kind, name: name.to_owned() }
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

    fn check_pose(&self, pose: Option<&str>, poses: &Poses) -> Result<(), RecipeError> {
        match pose {
            Some(name) if poses.get(name).is_none() => Err(self.unknown("pose", name)),
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
