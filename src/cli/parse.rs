//! Values of arguments: what is out of bounds is wrong usage, and says what would be right.

use std::path::PathBuf;

use super::args::HeightArg;
use crate::document::export::check_pattern;

/// A number from `least` to `most`, called `what`.
fn number(text: &str, (least, most): (f64, f64), what: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|v| (least..=most).contains(v));
    number.ok_or_else(|| format!("{what} must be a number from {least} to {most}"))
}

/// Keys per second.
pub fn rate(text: &str) -> Result<f64, String> {
    number(text, (1.0, 1000.0), "keys per second")
}

/// An angle below which keys are dropped, degrees.
pub fn reduction(text: &str) -> Result<f32, String> {
    number(text, (0.0, 10.0), "degrees").map(|v| v as f32)
}

/// How long a measurement runs, seconds: a tenth, in which three frames are looked at, to an hour.
pub fn run_time(text: &str) -> Result<f64, String> {
    number(text, (0.1, 3600.0), "seconds")
}

/// A moment of a clip, seconds.
#[cfg(feature = "app")]
pub fn moment(text: &str) -> Result<f64, String> {
    number(text, (0.0, 86_400.0), "seconds")
}

/// A character's height: metres, or `auto`.
pub fn height(text: &str) -> Result<HeightArg, String> {
    if text == "auto" {
        return Ok(HeightArg::Auto);
    }
    // As `StatedBody::HEIGHTS_M`, in the digits that are said to people.
    number(text, (0.01, 100.0), "metres").map(|height| HeightArg::Metres(height as f32))
}

/// 4 or 8 influences.
pub fn influences(text: &str) -> Result<u32, String> {
    match text {
        "4" => Ok(4),
        "8" => Ok(8),
        _ => Err("it must be 4 or 8".into()),
    }
}

/// Frames per second of the hair protocol.
pub fn frames(text: &str) -> Result<u32, String> {
    match text {
        "30" => Ok(30),
        "60" => Ok(60),
        "120" => Ok(120),
        "240" => Ok(240),
        _ => Err("it must be 30, 60, 120 or 240".into()),
    }
}

/// A name pattern of clips.
pub fn pattern(text: &str) -> Result<String, String> {
    check_pattern(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

/// A file to be written with a character in it.
pub fn scene_file(text: &str) -> Result<PathBuf, String> {
    file(text, &["glb", "gltf", "vrm"])
}

/// A picture to be written.
#[cfg(feature = "app")]
pub fn picture_file(text: &str) -> Result<PathBuf, String> {
    file(text, &["png"])
}

fn file(text: &str, endings: &[&str]) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() {
        return Err("this is a folder; name a file in it".into());
    }
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if ending.is_some_and(|e| endings.contains(&e.as_str())) {
        return Ok(path);
    }
    Err(format!("the file must end in .{}", endings.join(", .")))
}

/// A size as `WxH`, each side from 16 to 8192 pixels.
#[cfg(feature = "app")]
pub fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides
        .filter(|sides| sides.iter().all(|side| (16..=8192).contains(side)))
        .ok_or_else(|| "give width and height from 16 to 8192, e.g. 1280x800".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_within_bounds_and_are_numbers() {
        assert_eq!(rate("29.97"), Ok(29.97));
        for bad in ["0", "-30", "nan", "inf", "1e4", "", "x"] {
            assert!(rate(bad).unwrap_err().contains("from 1 to 1000"), "{bad}");
        }
        assert_eq!(reduction("0"), Ok(0.0));
        for bad in ["-1", "nan", "inf", "90"] {
            assert!(reduction(bad).unwrap_err().contains("from 0 to 10"), "{bad}");
        }
        for bad in ["0", "nan", "-2", "1e9"] {
            assert!(run_time(bad).unwrap_err().contains("from 0.1 to 3600"), "{bad}");
        }
    }

    #[test]
    fn a_height_is_one_that_a_body_can_be_said_to_have() {
        assert_eq!(height("auto"), Ok(HeightArg::Auto));
        for text in ["0.01", "1.85", "100"] {
            let Ok(HeightArg::Metres(height)) = height(text) else { panic!("{text}") };
            assert!(crate::model::StatedBody::HEIGHTS_M.contains(&height), "{text}");
        }
        for bad in ["0", "-1", "nan", "1000", "tall"] {
            assert!(height(bad).unwrap_err().contains("from 0.01 to 100"), "{bad}");
        }
    }

    #[test]
    fn a_file_ends_as_what_is_written_into_it() {
        assert_eq!(scene_file("a/b.GLB"), Ok("a/b.GLB".into()));
        for bad in ["x.fbx", "x.txt", "x", "x.glb.zip", ".glb", ""] {
            assert_eq!(scene_file(bad), Err("the file must end in .glb, .gltf, .vrm".into()));
        }
        assert!(scene_file(".").unwrap_err().contains("folder"));
    }

    #[test]
    fn a_pattern_has_fields_that_there_are() {
        assert_eq!(pattern("{file}_{clip}").as_deref(), Ok("{file}_{clip}"));
        assert!(pattern("{foo}").unwrap_err().contains("{title}"));
    }
}
