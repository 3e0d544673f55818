//! Spring presets: named settings in `presets/*.ron`, embedded, and the same kind of file from the user.
//!
//! A preset file is a RON map from the keys of [`SPRING_KEYS`](super::SPRING_KEYS) to values as `--set` takes them;
//! what it does not name keeps its default.

use std::path::Path;

use ron::Value;

use super::spring_keys::{SpringKeyError, set_spring};
use crate::io::{ReadError, read_text};
use crate::model::{SettingsError, SpringSettings};

macro_rules! presets {
    ($($name:literal),+ $(,)?) => {
        /// Embedded presets: name and RON text.
        const EMBEDDED: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../presets/", $name, ".ron")))),+];
    };
}

presets!["fox", "mouse", "cat", "lizard", "heavy", "lazy", "lively", "cloth"];

/// A preset: a name, and settings that are copied wherever they are used.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its own name, or its file's.
    pub name: String,
    /// Its settings.
    pub settings: SpringSettings,
}

/// A preset that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PresetError {
    /// Neither an embedded name nor a file.
    #[error("there is no preset `{name}`, and no such file; the presets are: {}", preset_names().join(", "))]
    Unknown {
        /// As given.
        name: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// The text is no RON map.
    #[error("preset {name} is not a RON map of settings: {message}")]
    NotAMap {
        /// Name or path.
        name: String,
        /// What the parser says, with the place.
        message: String,
    },
    /// A setting of it cannot be used.
    #[error("preset {name}")]
    Setting {
        /// Name or path.
        name: String,
        /// Which and why.
        #[source]
        cause: SpringKeyError,
    },
    /// Settings out of range.
    #[error("preset {name}")]
    Range {
        /// Name or path.
        name: String,
        /// All of them.
        #[source]
        cause: SettingsError,
    },
}

/// Names of the embedded presets.
pub fn preset_names() -> Vec<&'static str> {
    EMBEDDED.iter().map(|(name, _)| *name).collect()
}

/// The preset `name_or_path`: an embedded one by name, else a file.
///
/// # Errors
/// [`PresetError`] where there is no such preset, or the file is none.
pub fn preset(name_or_path: &str) -> Result<Preset, PresetError> {
    let wanted = name_or_path.trim().to_lowercase();
    if let Some((name, text)) = EMBEDDED.iter().find(|(name, _)| *name == wanted) {
        return parse_preset(name, text);
    }
    let path = Path::new(name_or_path);
    if !path.is_file() {
        return Err(PresetError::Unknown { name: name_or_path.to_owned() });
    }
    let text = read_text(path)?;
    let name = path.file_stem().map_or(name_or_path.into(), |s| s.to_string_lossy());
    parse_preset(&name, &text)
}

/// The preset that RON `text` holds.
///
/// # Errors
/// [`PresetError`] that names the setting, or the place in the text.
pub fn parse_preset(name: &str, text: &str) -> Result<Preset, PresetError> {
    let no_map = |message: String| PresetError::NotAMap { name: name.to_owned(), message };
    let value: Value = ron::from_str(text).map_err(|e| no_map(e.to_string()))?;
    let Value::Map(map) = value else { return Err(no_map("it holds something else".into())) };
    // In the table's order, not the file's: `frequency` moves the tip with it, `tip_…` has the last word.
    let mut entries: Vec<(String, String)> = Vec::new();
    for (key, value) in map.iter() {
        let Value::String(key) = key else { return Err(no_map("a key is no text".into())) };
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(on) => on.to_string(),
            Value::Number(number) => number.into_f64().to_string(),
            other => return Err(no_map(format!("`{key}` holds {other:?}"))),
        };
        entries.push((key.clone(), text));
    }
    let rank = |key: &str| super::SPRING_KEYS.iter().position(|k| k.name == key);
    entries.sort_by_key(|(key, _)| rank(key));
    let mut settings = SpringSettings::default();
    for (key, text) in entries {
        settings = set_spring(settings, &key, &text)
            .map_err(|cause| PresetError::Setting { name: name.to_owned(), cause })?;
    }
    let settings = settings
        .validated()
        .map_err(|cause| PresetError::Range { name: name.to_owned(), cause })?;
    Ok(Preset { name: name.to_owned(), settings })
}

/// The text of a preset file with `settings`: every key, in the table's order.
pub fn preset_text(settings: &SpringSettings) -> String {
    let s = settings;
    let (root, tip) = (s.frequency_hz.root, s.frequency_hz.tip);
    let ratio = if root > 0.0 { tip / root } else { 0.0 };
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let entries = [
        ("frequency", format!("{root} Hz")),
        ("tip_frequency_ratio", ratio.to_string()),
        ("frequency_ease", s.frequency_hz.ease.to_string()),
        ("damping", s.damping_ratio.root.to_string()),
        ("tip_damping", s.damping_ratio.tip.to_string()),
        ("damping_ease", s.damping_ratio.ease.to_string()),
        ("gravity", format!("{} m/s2", s.gravity)),
        ("carry", degrees(s.carry_rad)),
        ("rest_curve", s.rest_curve.to_string()),
        ("sag_curve", s.sag_curve.map_or_else(|| "auto".to_owned(), |sag| sag.to_string())),
        ("coupling", format!("{} /s", s.coupling_rate)),
        ("bend_limit", degrees(s.bend_limit_rad)),
        ("ground", switch(s.ground)),
        ("ground_height", format!("{} m", s.ground_height_m)),
        ("clearance", format!("{} m", s.radius_m.root)),
        ("tip_clearance", format!("{} m", s.radius_m.tip)),
        ("clearance_ease", s.radius_m.ease.to_string()),
        ("slide_damping", format!("{} /s", s.slide_damping)),
        ("keep_behind", switch(s.keep_behind)),
        ("leg_colliders", switch(s.leg_colliders)),
        ("sway", degrees(s.sway_rad)),
        ("sway_frequency", format!("{} Hz", s.sway_hz)),
        ("scale_with_height", switch(s.scale_with_height)),
    ];
    let lines = entries.iter().map(|(key, value)| format!("    \"{key}\": \"{value}\",\n"));
    format!("{{\n{}}}\n", lines.collect::<String>())
}

/// An angle in degrees, in as few digits as tell it from every other.
fn degrees(rad: f32) -> String {
    let degrees = f64::from(rad).to_degrees();
    let text = |digits: usize| format!("{degrees:.digits$}");
    let tells =
        |text: &String| text.parse::<f64>().is_ok_and(|degrees| degrees.to_radians() as f32 == rad);
    let found = (0..12).map(text).find(tells).unwrap_or_else(|| text(12));
    format!("{found} deg")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::with_causes;

    #[test]
    fn a_preset_that_is_written_is_read_as_it_was() {
        for name in preset_names() {
            let settings = preset(name).unwrap().settings;
            let text = preset_text(&settings);
            for key in crate::document::SPRING_KEYS {
                assert_eq!(text.matches(&format!("\"{}\"", key.name)).count(), 1, "{}", key.name);
            }
            let mut back = parse_preset(name, &text).unwrap().settings;
            // The tip's is written as a ratio.
            assert!((back.frequency_hz.tip - settings.frequency_hz.tip).abs() < 1e-6);
            back.frequency_hz.tip = settings.frequency_hz.tip;
            assert_eq!(back, settings, "{name}: {text}");
        }
        assert_eq!(degrees(50.0_f32.to_radians()), "50 deg");
    }

    #[test]
    fn every_embedded_preset_reads_and_fox_is_the_default() {
        for name in preset_names() {
            let found = preset(name).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(found.name, name);
        }
        assert_eq!(preset("Fox").unwrap().settings, SpringSettings::default());
    }

    #[test]
    fn a_tip_setting_wins_over_the_whole_s_wherever_it_stands() {
        let text = r#"{ "tip_damping": 0.2, "damping": 0.8 }"#;
        let damping = parse_preset("x", text).unwrap().settings.damping_ratio;
        assert_eq!((damping.root, damping.tip), (0.8, 0.2));
    }

    #[test]
    fn a_bad_preset_says_what_is_wrong() {
        let fails = |text: &str| with_causes(&parse_preset("mine", text).unwrap_err());
        assert!(fails(r#"{ "carry": "much" }"#).contains("carry"));
        assert!(fails(r#"{ "bounce": 3 }"#).contains("the settings are"));
        assert!(fails(r#"{ "rest_curve": 3 }"#).contains("between 0 and 1"));
        assert!(fails("{ oops").contains("mine"));
        assert!(fails("3").contains("map"));
        assert!(preset("no-such-preset").unwrap_err().to_string().contains("fox, mouse"));
    }

    #[test]
    fn a_preset_file_is_read_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("springy.ron");
        std::fs::write(&path, "// mine\n{ \"frequency\": \"2Hz\" }").unwrap();
        let found = preset(path.to_str().unwrap()).unwrap();
        assert_eq!((found.name.as_str(), found.settings.frequency_hz.root), ("springy", 2.0));
    }
}
