//! The words and numbers of the screen. Code and JSON keep the field's terms; the screen speaks as riggers do.

use crate::model::{NamingConvention, RegionKind, Verdict};

/// A kind of region, as a heading.
pub const fn kind(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Tail => "Tail",
        RegionKind::Worn => "Prop",
        RegionKind::Ear => "Ear",
        RegionKind::Hair => "Hair",
        // A breastplate is found as a cape is, and a row of spikes as wings are: the screen says no more than is known.
        RegionKind::Garment => "Cloth or shell",
        RegionKind::Wing => "Paired part",
        RegionKind::Body => "Body",
        RegionKind::Other => "Other",
    }
}

/// What is done with a region.
pub const fn treatment(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Chain => "Bone chain",
        Verdict::Rigid => "Rigid",
        Verdict::Spread => "Spread",
        Verdict::Columns => "Strips",
        Verdict::Leave => "Leave",
    }
}

/// What a treatment means, for a tooltip.
pub const fn treatment_about(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Chain => "New bones along it, driven by springs",
        Verdict::Rigid => "All of it follows the bone it hangs from",
        Verdict::Spread => "Smooth weights over several bones",
        Verdict::Columns => "Several bone chains side by side",
        Verdict::Leave => "Weights stay as they are in the file",
    }
}

/// A role as words: `leftUpperArm` is `Left upper arm`.
pub fn role(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    sentence(&words)
}

/// Whose convention a skeleton's names follow.
pub const fn convention(convention: NamingConvention) -> &'static str {
    match convention {
        NamingConvention::Mixamo => "Mixamo",
        NamingConvention::Unreal => "Unreal",
        NamingConvention::Rigify => "Rigify",
        NamingConvention::Vrm => "VRM",
        NamingConvention::Biped => "3ds Max Biped",
        NamingConvention::Plain => "plain words",
        NamingConvention::Geometry => "told by shape alone",
        NamingConvention::None => "no humanoid",
    }
}

/// A length: `0.81 m`, `4.2 cm`, `1.3 mm`.
pub fn length(metres: f32) -> String {
    match metres.abs() {
        m if m >= 0.1 || m == 0.0 => format!("{metres:.2} m"),
        m if m >= 0.01 => format!("{:.1} cm", metres * 100.0),
        _ => format!("{:.1} mm", metres * 1000.0),
    }
}

/// A whole number with thin spaces between thousands.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

/// How much of the skin tears: `no tears`, `8.3 % torn`.
pub fn torn(percent: f64) -> String {
    match percent {
        p if p <= 0.0 => "no tears".to_owned(),
        p if p < 0.05 => "under 0.1 % torn".to_owned(),
        p => format!("{p:.1} % torn"),
    }
}

/// A time of a clip: `0.62 s`.
pub fn seconds(secs: f64) -> String {
    format!("{secs:.2} s")
}

/// A number and its noun: `1 bone`, `5 bones`.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A number as it was typed into a field of `unit`, with or without a unit of its own: `5 cm` in a field of metres is
/// 0.05. `None` where it is no number.
pub fn number_in(text: &str, unit: &str) -> Option<f64> {
    let text = text.trim().replace(',', ".").to_lowercase();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
        .unwrap_or(text.len());
    let (number, typed) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    let typed = typed.trim();
    if typed.is_empty() || typed == unit.trim().to_lowercase() {
        return Some(number);
    }
    Some(number * base(typed)? / base(unit.trim())?)
}

/// What a unit is in metres, degrees or ones.
fn base(unit: &str) -> Option<f64> {
    Some(match unit.to_lowercase().as_str() {
        "mm" => 1e-3,
        "cm" => 1e-2,
        "m" | "°" | "deg" | "hz" | "s" | "" => 1.0,
        "rad" => 180.0 / std::f64::consts::PI,
        "%" => 1e-2,
        "ms" => 1e-3,
        _ => return None,
    })
}

/// The name of a file without its folders; of a sample without its prefix.
pub fn file_name(path: &str) -> String {
    let name = path.strip_prefix("sample:").unwrap_or(path);
    let last = std::path::Path::new(name).file_name();
    last.map_or_else(|| name.to_owned(), |n| n.to_string_lossy().into_owned())
}

/// How long ago: ` 3 minutes ago`; nothing for a moment.
pub fn ago(since: std::time::Duration) -> String {
    let minutes = since.as_secs() / 60;
    match minutes {
        0 => String::new(),
        1..=89 => format!(", {} ago", counted(minutes as usize, "minute", "minutes")),
        90..=2879 => format!(", {} ago", counted(minutes as usize / 60, "hour", "hours")),
        _ => format!(", {} ago", counted(minutes as usize / 1440, "day", "days")),
    }
}

/// A sentence from what a reason says: capital letter, no full stop.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_units_and_thin_spaces() {
        assert_eq!(length(0.812), "0.81 m");
        assert_eq!(length(0.042), "4.2 cm");
        assert_eq!(length(0.0013), "1.3 mm");
        assert_eq!(count(1_582), "1\u{2009}582");
        assert_eq!(count(23), "23");
        assert_eq!(count(1_234_567), "1\u{2009}234\u{2009}567");
        assert_eq!(counted(1, "bone", "bones"), "1 bone");
        assert_eq!(torn(0.0), "no tears");
        assert_eq!(torn(0.02), "under 0.1 % torn");
        assert_eq!(torn(8.34), "8.3 % torn");
        assert_eq!(sentence("long and thin"), "Long and thin");
        assert_eq!(role("leftUpperArm"), "Left upper arm");
    }

    #[test]
    fn typed_numbers_bring_their_units() {
        assert_eq!(number_in("5 cm", " m"), Some(0.05));
        assert_eq!(number_in("0.05m", " cm"), Some(5.0));
        assert_eq!(number_in("45deg", "°"), Some(45.0));
        assert_eq!(number_in(" 1,5 ", " Hz"), Some(1.5));
        assert!((number_in("3.14159rad", "°").unwrap() - 180.0).abs() < 1e-3);
        assert_eq!(number_in("five", "°"), None);
        assert_eq!(number_in("5 furlongs", " m"), None);
    }

    #[test]
    fn files_and_times_are_named_in_short() {
        assert_eq!(file_name("sample:fox"), "fox");
        assert_eq!(file_name("a/b/fox.glb"), "fox.glb");
        let ago = |secs| ago(std::time::Duration::from_secs(secs));
        assert_eq!(ago(30), "");
        assert_eq!(ago(60), ", 1 minute ago");
        assert_eq!(ago(3 * 3600), ", 3 hours ago");
        assert_eq!(ago(50 * 3600), ", 2 days ago");
    }
}
