//! The system's file dialogs behind a trait: tests hand in a path, the window never waits.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

use crate::studio::PathQuestion;

/// Asks for files. An answer comes on the channel, nothing when the user thought better of it.
pub trait FileDialogs {
    /// Asks; `None` where there is no dialog to ask with.
    fn ask(&self, question: &PathQuestion, wake: egui::Context) -> Option<Receiver<PathBuf>>;
}

/// The system's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl FileDialogs for Native {
    fn ask(&self, question: &PathQuestion, wake: egui::Context) -> Option<Receiver<PathBuf>> {
        if !has_dialogs() {
            return None;
        }
        let (sender, answer) = channel();
        let title = title(question);
        let dialog = rfd::AsyncFileDialog::new().set_title(title);
        // The dialog is made on the window's thread, as macOS wants, and awaited on another.
        let done = std::thread::Builder::new().name("file dialog".into());
        let (dialog, saves_to) = match question {
            PathQuestion::Open => {
                let endings = ["glb", "gltf", "vrm", "tailbone"];
                (dialog.add_filter("Characters and projects", &endings), None)
            }
            PathQuestion::AddClips => {
                let endings = ["glb", "gltf", "vrm", "vrma", "bvh", "fbx"];
                (dialog.add_filter("Clips", &endings), None)
            }
            PathQuestion::Relink { .. } => {
                (dialog.add_filter("glTF, GLB, VRM", &["glb", "gltf", "vrm"]), None)
            }
            PathQuestion::LoadMap => (dialog.add_filter("Mapping", &["ron"]), None),
            PathQuestion::Export(suggested) => {
                let dialog = dialog.add_filter("GLB", &["glb"]).add_filter("glTF", &["gltf"]);
                (dialog, Some(suggested))
            }
            PathQuestion::SaveMap(suggested) => {
                (dialog.add_filter("Mapping", &["ron"]), Some(suggested))
            }
            PathQuestion::SaveScript(suggested) => {
                (dialog.add_filter("Script", &["ron"]), Some(suggested))
            }
            PathQuestion::SaveProject(suggested) => {
                (dialog.add_filter("Tailbone project", &["tailbone"]), Some(suggested))
            }
        };
        let waiting = match saves_to {
            Some(file) => {
                let dialog = starting_at(dialog, file).save_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
            None => {
                let dialog = dialog.pick_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
        };
        if let Err(error) = waiting {
            log::warn!("no thread for the file dialog: {error}");
        }
        Some(answer)
    }
}

/// Whether the system could show a dialog at all: elsewhere it always can; on Linux a desktop's portal is asked over the
/// session's bus, and zenity is what is left without one.
fn has_dialogs() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let is_set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let bus = is_set("XDG_RUNTIME_DIR").map(|folder| Path::new(&folder).join("bus"));
    let has_bus = is_set("DBUS_SESSION_BUS_ADDRESS").is_some() || bus.is_some_and(|b| b.exists());
    let paths = is_set("PATH").unwrap_or_default();
    has_bus || std::env::split_paths(&paths).any(|folder| folder.join("zenity").is_file())
}

/// A dialog that opens in a file's folder with its name filled in.
fn starting_at(dialog: rfd::AsyncFileDialog, file: &str) -> rfd::AsyncFileDialog {
    let path = Path::new(file);
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let dialog = dialog.set_file_name(name);
    match path.parent().filter(|folder| folder.is_dir()) {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    }
}

fn answered(
    file: Option<rfd::FileHandle>,
    sender: &std::sync::mpsc::Sender<PathBuf>,
    wake: &egui::Context,
) {
    if let Some(file) = file {
        // The window may be gone by now.
        let _ = sender.send(file.path().to_path_buf());
    }
    wake.request_repaint();
}

/// What a question is called.
pub fn title(question: &PathQuestion) -> &'static str {
    match question {
        PathQuestion::Open => "Open a character or a project",
        PathQuestion::AddClips => "Add clips to the library; folders can be dropped on the window",
        PathQuestion::SaveProject(_) => "Save project",
        PathQuestion::SaveScript(_) => "Save steps as a script",
        PathQuestion::SaveMap(_) => "Save roles and retarget pose",
        PathQuestion::LoadMap => "Load roles and retarget pose",
        PathQuestion::Relink { .. } => "Find the character of this project",
        PathQuestion::Export(_) => "Export to",
    }
}

/// Always the same answer, for tests.
#[derive(Clone, Debug)]
pub struct Fixed(
    /// The answer.
    pub PathBuf,
);

impl FileDialogs for Fixed {
    fn ask(&self, _question: &PathQuestion, wake: egui::Context) -> Option<Receiver<PathBuf>> {
        let (sender, answer) = channel();
        let _ = sender.send(self.0.clone());
        wake.request_repaint();
        Some(answer)
    }
}

/// No dialogs at all, as on a machine without a desktop, for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDialogs;

impl FileDialogs for NoDialogs {
    fn ask(&self, _question: &PathQuestion, _wake: egui::Context) -> Option<Receiver<PathBuf>> {
        None
    }
}
