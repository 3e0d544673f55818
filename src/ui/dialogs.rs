//! The system's file dialogs behind a trait: tests hand in a path, the window never waits.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

/// Asks for files. An answer comes on the channel, nothing when the user thought better of it.
pub trait FileDialogs {
    /// A character to open.
    fn open_character(&self, wake: egui::Context) -> Receiver<PathBuf>;
}

/// The system's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl FileDialogs for Native {
    fn open_character(&self, wake: egui::Context) -> Receiver<PathBuf> {
        let (sender, answer) = channel();
        // The dialog is made on the window's thread, as macOS wants, and awaited on another.
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Open character")
            .add_filter("glTF, GLB, VRM", &["glb", "gltf", "vrm"])
            .pick_file();
        let waiting = std::thread::Builder::new().name("file dialog".into()).spawn(move || {
            if let Some(file) = pollster::block_on(dialog) {
                // The window may be gone by now.
                let _ = sender.send(file.path().to_path_buf());
            }
            wake.request_repaint();
        });
        if let Err(error) = waiting {
            log::warn!("no thread for the file dialog: {error}");
        }
        answer
    }
}

/// Always the same answer, for tests.
#[derive(Clone, Debug)]
pub struct Fixed(
    /// The answer.
    pub PathBuf,
);

impl FileDialogs for Fixed {
    fn open_character(&self, wake: egui::Context) -> Receiver<PathBuf> {
        let (sender, answer) = channel();
        let _ = sender.send(self.0.clone());
        wake.request_repaint();
        answer
    }
}
