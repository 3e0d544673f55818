//! No verb: the studio.

/// Opens the window on `file`, or on the fox, and returns when it is closed.
///
/// # Errors
/// Where this build has no window, or this machine shows none.
#[cfg(feature = "app")]
pub fn run(file: Option<String>) -> anyhow::Result<()> {
    let shown = file.clone().unwrap_or_else(|| "sample:fox".to_owned());
    crate::app::run(file).map_err(|error| {
        anyhow::anyhow!(
            "the studio needs a display with OpenGL 3.3: {}; without one, `tailbone bake {shown} --all-clips -o OUT.glb` \
             does the same from the command line, and `tailbone doctor` says what is missing",
            plain(&error.to_string())
        )
    })
}

/// What the system says, without the place in a library's source that it says it from.
#[cfg(feature = "app")]
fn plain(said: &str) -> &str {
    if said.contains("glutin configs") {
        // What was looked for fills a screen; that there is none fits a line.
        return "this display offers no OpenGL at all";
    }
    match said.find("os error at ") {
        Some(_) => said
            .split_once(".rs:")
            .and_then(|(_, rest)| rest.split_once(": "))
            .map_or(said, |(_, why)| why),
        None => said,
    }
    .trim_end_matches('.')
}

#[cfg(all(test, feature = "app"))]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_comes_without_a_librarys_source() {
        let said = "winit EventLoopError: os error at /root/x/linux/mod.rs:765: neither DISPLAY nor WAYLAND_DISPLAY is set.";
        assert_eq!(plain(said), "neither DISPLAY nor WAYLAND_DISPLAY is set");
        assert_eq!(plain("no GL"), "no GL");
        let said = "Found no glutin configs matching the template: ConfigTemplate { … }";
        assert_eq!(plain(said), "this display offers no OpenGL at all");
    }
}

/// Without the window there is nothing to open.
///
/// # Errors
/// Always.
#[cfg(not(feature = "app"))]
pub fn run(_file: Option<String>) -> anyhow::Result<()> {
    anyhow::bail!(
        "this build has no studio; `cargo build --release --features app` makes one, `tailbone --help` lists the verbs"
    )
}

/// A bare word that is no file was meant as a verb.
pub fn is_mistyped_verb(word: &str) -> bool {
    let is_bare = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_bare && !std::path::Path::new(word).exists()
}
