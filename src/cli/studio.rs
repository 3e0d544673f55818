//! No verb: the studio.

/// Opens the window on `file`, or on the fox, and returns when it is closed.
///
/// # Errors
/// Where this build has no window, or this machine shows none.
#[cfg(feature = "app")]
pub fn run(file: Option<String>) -> anyhow::Result<()> {
    if let Some(word) = file.as_deref().filter(|word| is_mistyped_verb(word)) {
        anyhow::bail!(
            "{word}: no such file, and no verb of that name; `tailbone --help` lists the verbs"
        );
    }
    crate::app::run(file).map_err(|error| {
        anyhow::anyhow!(
            "the studio needs a display with OpenGL 3.3 ({error}); `tailbone --help` lists what works without one, \
             `tailbone doctor` says what is missing"
        )
    })
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
#[cfg(feature = "app")]
fn is_mistyped_verb(word: &str) -> bool {
    let is_bare = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_bare && !std::path::Path::new(word).exists()
}
