//! Spring settings by name: one table behind `--set key=value`, preset files and their help.

use crate::model::SpringSettings;

/// What a value measures, and so which units it may be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Hertz: `0.9`, `0.9Hz`.
    Frequency,
    /// An angle: a bare number is degrees; `50deg`, `50°`, `0.87rad`.
    Angle,
    /// A length: a bare number is metres; `0.05m`, `5cm`, `50mm`.
    Length,
    /// m/s²: `1`, `1m/s2`.
    Acceleration,
    /// Per second: `12`, `12/s`.
    Rate,
    /// A number or a share: `0.65`, `65%`.
    Share,
    /// A share, or `auto`.
    ShareOrAuto,
    /// `on` or `off` (`true`, `false`, `yes`, `no`, `1`, `0`).
    Switch,
}

impl Dimension {
    /// How a value of this kind is written, for help and errors.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Frequency => "0.9 or 0.9Hz",
            Self::Angle => "50, 50deg or 0.87rad",
            Self::Length => "0.025, 2.5cm or 25mm",
            Self::Acceleration => "1 or 1m/s2",
            Self::Rate => "12 or 12/s",
            Self::Share => "0.65 or 65%",
            Self::ShareOrAuto => "auto, 0.5 or 50%",
            Self::Switch => "on or off",
        }
    }

    /// Suffixes and what they multiply by to reach the model's unit; the empty one is a bare number.
    const fn units(self) -> &'static [(&'static str, f64)] {
        const DEGREE: f64 = std::f64::consts::PI / 180.0;
        match self {
            Self::Frequency => &[("hz", 1.0), ("", 1.0)],
            Self::Angle => &[("deg", DEGREE), ("°", DEGREE), ("rad", 1.0), ("", DEGREE)],
            Self::Length => &[("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("", 1.0)],
            Self::Acceleration => &[("m/s2", 1.0), ("m/s²", 1.0), ("", 1.0)],
            Self::Rate => &[("/s", 1.0), ("", 1.0)],
            Self::Share | Self::ShareOrAuto => &[("%", 1e-2), ("", 1.0)],
            Self::Switch => &[],
        }
    }
}

/// A value in the model's units.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Number(f32),
    Switch(bool),
    Auto,
}

/// A setting that can be named.
pub struct SpringKey {
    /// As it is written.
    pub name: &'static str,
    /// What it measures.
    pub dimension: Dimension,
    /// What it does, in one line.
    pub about: &'static str,
    apply: fn(&mut SpringSettings, Value),
}

macro_rules! keys {
    ($($name:literal, $dimension:ident, $about:literal, $apply:expr;)+) => {
        /// Every setting there is, in the order of spec 2.9.
        pub const SPRING_KEYS: &[SpringKey] = &[$(SpringKey {
            name: $name,
            dimension: Dimension::$dimension,
            about: $about,
            apply: $apply,
        }),+];
    };
}

/// Sets a number field.
macro_rules! number {
    ($($field:tt).+) => {
        |s, v| if let Value::Number(x) = v { s.$($field).+ = x }
    };
}

/// Sets a switch.
macro_rules! switch {
    ($field:ident) => {
        |s, v| {
            if let Value::Switch(x) = v {
                s.$field = x
            }
        }
    };
}

keys! {
    "frequency", Frequency, "stiffness at the root; the tip keeps its ratio to it", |s, v| {
        if let Value::Number(x) = v {
            let root = s.frequency_hz.root;
            let ratio = if root > 0.0 { s.frequency_hz.tip / root } else { 0.5 };
            s.frequency_hz.root = x;
            s.frequency_hz.tip = x * ratio;
        }
    };
    "tip_frequency_ratio", Share, "frequency of the tip over that of the root", |s, v| {
        if let Value::Number(x) = v { s.frequency_hz.tip = s.frequency_hz.root * x }
    };
    "frequency_ease", Share, "way from root to tip: 1 is even, more keeps the root's value for longer", number!(frequency_hz.ease);
    "damping", Share, "damping ratio all along; below 1 it overshoots", |s, v| {
        if let Value::Number(x) = v { s.damping_ratio.root = x; s.damping_ratio.tip = x }
    };
    "tip_damping", Share, "damping ratio at the tip", number!(damping_ratio.tip);
    "damping_ease", Share, "way of the damping from root to tip", number!(damping_ratio.ease);
    "gravity", Acceleration, "downward pull; 1, not 9.8: a tail has muscle", number!(gravity);
    "carry", Angle, "lift of the whole tail, back and up", number!(carry_rad);
    "rest_curve", Share, "how much of the modelled sideways curl is kept", number!(rest_curve);
    "sag_curve", ShareOrAuto, "how much of the modelled up-and-down curve is kept", |s, v| match v {
        Value::Number(x) => s.sag_curve = Some(x),
        Value::Auto => s.sag_curve = None,
        Value::Switch(_) => {}
    };
    "coupling", Rate, "how fast neighbouring bends even out", number!(coupling_rate);
    "bend_limit", Angle, "largest bend of a link beyond rest", number!(bend_limit_rad);
    "ground", Switch, "whether the floor holds the tail", switch!(ground);
    "ground_height", Length, "height of the floor over the body's own", number!(ground_height_m);
    "clearance", Length, "distance kept from the floor: the tail's thickness", |s, v| {
        if let Value::Number(x) = v { s.radius_m.root = x; s.radius_m.tip = x }
    };
    "tip_clearance", Length, "the same at the tip", number!(radius_m.tip);
    "clearance_ease", Share, "way of the clearance from root to tip", number!(radius_m.ease);
    "slide_damping", Rate, "how fast sliding on the floor dies down", number!(slide_damping);
    "keep_behind", Switch, "whether the tail stays behind the plane through its root", switch!(keep_behind);
    "leg_colliders", Switch, "whether the legs push the tail", switch!(leg_colliders);
    "sway", Angle, "sway of a character that stands still, at the tip", number!(sway_rad);
    "sway_frequency", Frequency, "frequency of that sway", number!(sway_hz);
    "scale_with_height", Switch, "whether lengths and gravity scale with the height", switch!(scale_with_height);
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpringKeyError {
    /// There is no such key.
    #[error("there is no setting `{key}`; the settings are: {}", key_names())]
    UnknownKey {
        /// As given.
        key: String,
    },
    /// The text is no value of that key.
    #[error("`{value}` is no value for {key}; write it as {example}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// As given.
        value: String,
        /// How to write one.
        example: &'static str,
    },
    /// No `=` in `key=value`.
    #[error("`{text}` is not of the form key=value; the settings are: {}", key_names())]
    NotAnAssignment {
        /// As given.
        text: String,
    },
}

/// All keys, for help and errors.
pub fn key_names() -> String {
    SPRING_KEYS.iter().map(|k| k.name).collect::<Vec<_>>().join(", ")
}

/// `settings` with one of them set by name, as in `--set carry=50deg`. Ranges are not looked at: see
/// [`SpringSettings::validated`].
///
/// # Errors
/// [`SpringKeyError`] where the key does not exist, or the text is no value of it.
pub fn set_spring(
    settings: SpringSettings,
    key: &str,
    value: &str,
) -> Result<SpringSettings, SpringKeyError> {
    let wanted = key.trim().to_lowercase().replace('-', "_");
    let Some(found) = SPRING_KEYS.iter().find(|k| k.name == wanted) else {
        return Err(SpringKeyError::UnknownKey { key: key.trim().to_owned() });
    };
    let parsed = parse(found.dimension, value).ok_or_else(|| SpringKeyError::BadValue {
        key: found.name,
        value: value.trim().to_owned(),
        example: found.dimension.example(),
    })?;
    let mut settings = settings;
    (found.apply)(&mut settings, parsed);
    Ok(settings)
}

/// `settings` after one `key=value`.
///
/// # Errors
/// As [`set_spring`], and where there is no `=`.
pub fn assign_spring(
    settings: SpringSettings,
    assignment: &str,
) -> Result<SpringSettings, SpringKeyError> {
    match assignment.split_once('=') {
        Some((key, value)) => set_spring(settings, key, value),
        None => Err(SpringKeyError::NotAnAssignment { text: assignment.to_owned() }),
    }
}

fn parse(dimension: Dimension, text: &str) -> Option<Value> {
    let text = text.trim().to_lowercase();
    match (dimension, text.as_str()) {
        (Dimension::Switch, "on" | "true" | "yes" | "1") => return Some(Value::Switch(true)),
        (Dimension::Switch, "off" | "false" | "no" | "0") => return Some(Value::Switch(false)),
        (Dimension::ShareOrAuto, "auto") => return Some(Value::Auto),
        _ => {}
    }
    dimension.units().iter().find_map(|&(suffix, factor)| {
        // In f64, so that 5cm and 0.05 are the same number.
        let number: f64 = text.strip_suffix(suffix)?.trim_end().parse().ok()?;
        let number = (number * factor) as f32;
        number.is_finite().then_some(Value::Number(number))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn set(assignment: &str) -> SpringSettings {
        assign_spring(SpringSettings::default(), assignment).unwrap()
    }

    #[test]
    fn values_are_read_in_their_units() {
        assert!((set("carry=50deg").carry_rad - 50.0_f32.to_radians()).abs() < 1e-6);
        assert_eq!(set("carry=50").carry_rad, set("carry = 50 °").carry_rad);
        assert_eq!(set("Bend-Limit=0.5rad").bend_limit_rad, 0.5);
        assert_eq!(set("clearance=5cm").radius_m.tip, 0.05);
        assert_eq!(set("clearance=50mm").radius_m.root, 0.05);
        assert_eq!(set("ground_height=-0.5m").ground_height_m, -0.5);
        assert_eq!(set("frequency=1.8").frequency_hz.tip, 0.9, "the tip keeps its ratio");
        assert_eq!(set("rest_curve=25%").rest_curve, 0.25);
        assert_eq!(set("sag_curve=1").sag_curve, Some(1.0));
        assert_eq!(set("sag_curve=auto").sag_curve, None);
        assert!(!set("ground=off").ground);
        assert_eq!(set("gravity=2m/s2").gravity, 2.0);
    }

    #[test]
    fn what_cannot_be_read_is_said_with_what_could() {
        let fails = |a: &str| assign_spring(SpringSettings::default(), a).unwrap_err().to_string();
        let unknown = fails("stifness=3");
        assert!(unknown.contains("`stifness`") && unknown.contains("frequency, "), "{unknown}");
        assert!(fails("carry=steep").contains("50deg"));
        assert!(fails("carry=5cm").contains("`5cm`"));
        assert!(fails("gravity=nan").contains("gravity"));
        assert!(fails("ground=maybe").contains("on or off"));
        assert!(fails("carry").contains("key=value"));
    }

    #[test]
    fn keys_are_distinct_and_each_changes_something() {
        let names: BTreeSet<_> = SPRING_KEYS.iter().map(|k| k.name).collect();
        assert_eq!(names.len(), SPRING_KEYS.len());
        for key in SPRING_KEYS {
            let (a, b) = match key.dimension {
                Dimension::Switch => ("on", "off"),
                _ => ("0.3", "0.4"),
            };
            let set = |v| set_spring(SpringSettings::default(), key.name, v).unwrap();
            assert_ne!(set(a), set(b), "{}", key.name);
        }
    }
}
