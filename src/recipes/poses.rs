//! The library of named poses and how a recipe calls them: `crouch`, `guard+fists`, `wall_run~`.

use std::collections::BTreeMap;

use super::channel::Channel;
use super::fault::{RecipeError, check_settings};
use super::recipe::{self, Settings};

/// Values of the channels a pose sets.
pub(super) type Values = BTreeMap<Channel, f32>;

/// Named poses. A pose may set a few channels only (`fists`), to be laid over another.
#[derive(Clone, Debug, Default)]
pub(super) struct Poses(BTreeMap<String, Values>);

impl Poses {
    /// Of a file's text.
    ///
    /// # Errors
    /// [`RecipeError`] where the text is no map of settings, or a channel is unknown or out of its range.
    pub fn read(file: &str, text: &str) -> Result<Self, RecipeError> {
        let mut poses = BTreeMap::new();
        for (name, settings) in recipe::parse_poses(file, text)? {
            check_settings(&name, &settings)?;
            poses.insert(name, values(&settings));
        }
        Ok(Self(poses))
    }

    /// The values of a pose expression: poses joined by `+`, the later over the earlier; `~` after a name is its mirror
    /// image. None where a name is unknown.
    pub fn get(&self, expression: &str) -> Option<Values> {
        let mut all = Values::new();
        for name in expression.split('+').map(str::trim) {
            match name.strip_suffix('~') {
                None => all.extend(self.0.get(name)?),
                Some(name) => all.extend(self.0.get(name)?.iter().map(|(channel, value)| {
                    let (other, sign) = channel.mirrored();
                    (other, sign * value)
                })),
            }
        }
        Some(all)
    }
}

/// All channels that settings name, with their values; a sided name wins over the paired one.
pub(super) fn values(settings: &Settings) -> Values {
    let named = |both: bool| {
        settings.iter().map(|(name, &value)| (Channel::named(name), value)).filter_map(
            move |(channels, value)| ((channels.len() > 1) == both).then_some((channels, value)),
        )
    };
    let mut all = Values::new();
    for (channels, value) in named(true).chain(named(false)) {
        all.extend(channels.into_iter().map(|c| (c, value)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poses() -> Poses {
        let text = "{\"low\": {\"hips.y\": -0.4, \"hips.x\": 0.1, \"arm.swing\": 5, \"arm.l.swing\": 9}, \"up\": {\"hips.y\": 0}}";
        Poses::read("poses.ron", text).unwrap()
    }

    fn value(poses: &Poses, expression: &str, channel: &str) -> f32 {
        poses.get(expression).unwrap()[&Channel::named(channel)[0]]
    }

    #[test]
    fn a_later_pose_lies_over_an_earlier_one() {
        let poses = poses();
        assert_eq!(value(&poses, "low+up", "hips.y"), 0.0);
        assert_eq!(value(&poses, "up + low", "hips.y"), -0.4);
        assert!(poses.get("low+none").is_none());
    }

    #[test]
    fn the_mirror_image_changes_sides_and_signs() {
        let poses = poses();
        assert_eq!(value(&poses, "low~", "hips.x"), -0.1);
        assert_eq!(value(&poses, "low~", "arm.r.swing"), 9.0);
        assert_eq!(value(&poses, "low~", "arm.l.swing"), 5.0);
    }
}
