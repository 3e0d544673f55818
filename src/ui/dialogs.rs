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
        let waiting = match question {
            PathQuestion::Open => {
                let dialog = dialog
                    .add_filter("Characters and projects", &["glb", "gltf", "vrm", "tailbone"])
                    .pick_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
            PathQuestion::AddClips => {
                let endings = ["glb", "gltf", "vrm", "vrma", "bvh", "fbx"];
                let dialog = dialog.add_filter("Clips", &endings).pick_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
            PathQuestion::Relink { .. } => {
                let dialog =
                    dialog.add_filter("glTF, GLB, VRM", &["glb", "gltf", "vrm"]).pick_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
            PathQuestion::Export(suggested) => {
                let dialog = dialog.add_filter("GLB", &["glb"]).add_filter("glTF", &["gltf"]);
                let dialog = starting_at(dialog, suggested).save_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
            PathQuestion::LoadMap => {
                let dialog = dialog.add_filter("Mapping", &["ron"]).pick_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
            PathQuestion::SaveMap(suggested) => {
                let dialog = starting_at(dialog.add_filter("Mapping", &["ron"]), suggested);
                let dialog = dialog.save_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
            PathQuestion::SaveScript(suggested) => {
                let dialog = starting_at(dialog.add_filter("Script", &["ron"]), suggested);
                let dialog = dialog.save_file();
                done.spawn(move || answered(pollster::block_on(dialog), &sender, &wake))
            }
            PathQuestion::SaveProject(suggested) => {
                let dialog =
                    starting_at(dialog.add_filter("Tailbone project", &["tailbone"]), suggested);
                let dialog = dialog.save_file();
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
        PathQuestion::AddClips => "Add clips to the library: a file, or a folder of files",
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
