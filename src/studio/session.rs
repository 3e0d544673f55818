//! Where the user was in a file: camera, clip, selection, what was shown. Kept beside the preferences, by file; never
//! undone, and no reason to save a project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::command::{Overlay, Selection};
use super::workspace::Workspace;
use crate::document::project::fingerprint;
use crate::io::{self, Overwrite};

/// Files that are remembered; the one not opened for longest goes first.
const MOST_FILES: usize = 200;

/// Where a camera was. Angles in radians, lengths in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CameraPlace {
    /// The point it turns about.
    pub target: [f32; 3],
    /// About the vertical.
    pub yaw: f32,
    /// Above the horizon.
    pub pitch: f32,
    /// From the target.
    pub distance: f32,
    /// Without perspective.
    pub is_orthographic: bool,
}

impl CameraPlace {
    /// Whether a camera can stand there.
    fn is_sound(&self) -> bool {
        let numbers = [self.yaw, self.pitch, self.distance];
        numbers.iter().chain(&self.target).all(|v| v.is_finite()) && self.distance > 1e-4
    }
}

/// Where the user was in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The camera.
    pub camera: Option<CameraPlace>,
    /// Panels around the viewport.
    pub workspace: Workspace,
    /// The clip, by its name in the library; `None` is the rest pose.
    pub clip: Option<String>,
    /// Whether time passed.
    pub is_playing: bool,
    /// How fast the clock ran.
    pub speed: Option<f32>,
    /// What was selected.
    pub selection: Selection,
    /// What was shown over the skin.
    pub overlays: BTreeSet<Overlay>,
    /// Meshes that were hidden, by their places.
    pub hidden: BTreeSet<u32>,
}

/// The store of sessions: one small file each.
#[derive(Clone, Debug)]
pub(super) struct Sessions {
    folder: PathBuf,
}

impl Sessions {
    pub(super) fn below(state: &Path) -> Self {
        Self { folder: state.join("sessions") }
    }

    /// The session of a file or project, as it was opened; none where it is new here or cannot be read.
    pub(super) fn load(&self, what: &str) -> Option<Session> {
        let text = std::fs::read_to_string(self.place(what)).ok()?;
        let mut session: Session = ron::from_str(&text).ok()?;
        session.camera = session.camera.filter(CameraPlace::is_sound);
        Some(session)
    }

    /// Remembers it.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn save(&self, what: &str, session: &Session) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let text = ron::to_string(session).map_err(std::io::Error::other)?;
        io::save(&self.place(what), text.as_bytes(), Overwrite::Force)
            .map_err(std::io::Error::other)?;
        self.forget_the_oldest()
    }

    fn place(&self, what: &str) -> PathBuf {
        let whole = Path::new(what).canonicalize();
        let name = whole.map_or_else(|_| what.to_owned(), |p| p.to_string_lossy().into_owned());
        self.folder.join(format!("{}.ron", fingerprint(name.as_bytes())))
    }

    fn forget_the_oldest(&self) -> std::io::Result<()> {
        let mut files: Vec<(SystemTime, PathBuf)> = std::fs::read_dir(&self.folder)?
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
            })
            .collect();
        files.sort();
        let n_old = files.len().saturating_sub(MOST_FILES);
        files.iter().take(n_old).try_for_each(|(_, path)| std::fs::remove_file(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_comes_back_by_file_and_a_broken_one_is_none() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::below(state.path());
        assert_eq!(sessions.load("sample:fox"), None);
        let camera = CameraPlace { distance: 3.0, yaw: 0.5, ..CameraPlace::default() };
        let session = Session {
            camera: Some(camera),
            clip: Some("Walk_Loop".into()),
            selection: Selection::Chain(1),
            hidden: [2].into(),
            ..Session::default()
        };
        sessions.save("sample:fox", &session).unwrap();
        assert_eq!(sessions.load("sample:fox"), Some(session.clone()));
        assert_eq!(sessions.load("sample:mouse"), None);
        let lost = CameraPlace { distance: f32::NAN, ..camera };
        sessions.save("sample:fox", &Session { camera: Some(lost), ..session }).unwrap();
        assert_eq!(sessions.load("sample:fox").unwrap().camera, None);
        std::fs::write(sessions.place("sample:fox"), "}{").unwrap();
        assert_eq!(sessions.load("sample:fox"), None);
    }
}
