//! What stands over everything: questions before work is lost, and a field for a path where the system has no dialog.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use egui::{Key, Modal, RichText, Ui, WidgetInfo};

use super::Asked;
use super::dialogs::{FileDialogs, title};
use super::theme::{Theme, color};
use crate::studio::{Answer, Command, FileCommand, PathQuestion, Question, words};

/// A dialog that is gone sooner than a hand could close it was never there: a bus without a portal.
const TOO_FAST: Duration = Duration::from_millis(600);

/// Questions that are open.
#[derive(Default)]
pub struct Desk {
    asking: Option<Asking>,
    typed: Option<Typed>,
}

/// A dialog of the system's that is open.
struct Asking {
    question: PathQuestion,
    answer: Receiver<PathBuf>,
    since: Instant,
}

/// The path field.
struct Typed {
    question: PathQuestion,
    text: String,
    is_fresh: bool,
}

impl Typed {
    fn new(question: PathQuestion) -> Self {
        let text = match &question {
            PathQuestion::SaveProject(suggested)
            | PathQuestion::SaveScript(suggested)
            | PathQuestion::SaveMap(suggested)
            | PathQuestion::Export(suggested) => suggested.clone(),
            PathQuestion::Open
            | PathQuestion::AddClips
            | PathQuestion::LoadMap
            | PathQuestion::Relink { .. } => String::new(),
        };
        Self { question, text, is_fresh: true }
    }
}

impl Desk {
    /// Whether keys go to a question.
    pub fn has_field(&self) -> bool {
        self.typed.is_some()
    }

    /// Asks by the system's dialog, or by a field for the path. A dialog that is open already is forgotten.
    pub fn ask(&mut self, question: PathQuestion, dialogs: &dyn FileDialogs, ctx: &egui::Context) {
        match dialogs.ask(&question, ctx.clone()) {
            Some(answer) => {
                self.asking = Some(Asking { question, answer, since: Instant::now() });
            }
            None => self.typed = Some(Typed::new(question)),
        }
    }

    /// What the dialog has answered.
    pub fn answer(&mut self) -> Option<Command> {
        let asking = self.asking.take()?;
        match asking.answer.try_recv() {
            // The system's dialog has asked about a file that is replaced.
            Ok(path) => return Some(asking.question.answered(&path, true)),
            Err(TryRecvError::Empty) => self.asking = Some(asking),
            Err(TryRecvError::Disconnected) if asking.since.elapsed() < TOO_FAST => {
                self.typed = Some(Typed::new(asking.question));
            }
            Err(TryRecvError::Disconnected) => {}
        }
        None
    }

    /// Draws what is open.
    pub fn show(
        &mut self,
        ctx: &egui::Context,
        question: Option<&Question>,
        theme: &Theme,
        asked: &mut Asked,
    ) {
        if let Some(question) = question {
            question_ui(ctx, question, theme, asked);
        } else if let Some(typed) = &mut self.typed {
            let done = path_ui(ctx, typed, theme);
            if let Some(path) = &done {
                let path = Path::new(path.trim());
                if !path.as_os_str().is_empty() {
                    asked.push(typed.question.answered(path, false));
                }
                self.typed = None;
            }
        }
    }
}

fn question_ui(ctx: &egui::Context, question: &Question, theme: &Theme, asked: &mut Asked) {
    let (title, text, answers): (String, &str, &[(&str, Answer)]) = match question {
        Question::Unsaved { name, .. } => (
            format!("Save what you decided about {name}?"),
            "Without saving it is lost: treatments, bones and springs.",
            &[("Save", Answer::Yes), ("Don't save", Answer::No), ("Cancel", Answer::Cancel)],
        ),
        Question::Replace { path, .. } => (
            format!("Replace {}?", words::file_name(path)),
            "A file of that name is there already.",
            &[("Replace", Answer::Yes), ("Cancel", Answer::Cancel)],
        ),
    };
    let mut answer = None;
    let modal = Modal::new(egui::Id::unique("question")).frame(frame(theme)).show(ctx, |ui| {
        ui.set_width(400.0);
        heading(ui, theme, &title);
        ui.label(text);
        ui.add_space(12.0);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            for (i, (label, wanted)) in answers.iter().enumerate() {
                if button(ui, theme, label, i == 0).clicked() {
                    answer = Some(*wanted);
                }
            }
        });
    });
    if modal.should_close() {
        answer = Some(Answer::Cancel);
    }
    if let Some(answer) = answer {
        asked.push(Command::File(FileCommand::Answer(answer)));
    }
}

/// Draws the path field; the path, once it is entered, empty where the user thought better of it.
fn path_ui(ctx: &egui::Context, typed: &mut Typed, theme: &Theme) -> Option<String> {
    let mut done = None;
    let modal = Modal::new(egui::Id::unique("path")).frame(frame(theme)).show(ctx, |ui| {
        ui.set_width(520.0);
        heading(ui, theme, title(&typed.question));
        ui.label(RichText::new("This system has no file dialog; type or paste a path").weak());
        ui.add_space(4.0);
        let field = egui::TextEdit::singleline(&mut typed.text)
            .desired_width(f32::INFINITY)
            .hint_text("/home/me/fox.glb");
        let response = ui.add(field);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Path"));
        if std::mem::take(&mut typed.is_fresh) {
            response.request_focus();
        }
        let is_entered = response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        ui.add_space(12.0);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let label = match &typed.question {
                PathQuestion::SaveProject(_)
                | PathQuestion::SaveScript(_)
                | PathQuestion::SaveMap(_) => "Save here",
                PathQuestion::Export(_) => "Use this",
                PathQuestion::AddClips => "Add this",
                PathQuestion::Open | PathQuestion::LoadMap | PathQuestion::Relink { .. } => {
                    "Open this"
                }
            };
            if button(ui, theme, label, true).clicked() || is_entered {
                done = Some(typed.text.clone());
            }
            if button(ui, theme, "Cancel", false).clicked() {
                done = Some(String::new());
            }
        });
    });
    if modal.should_close() {
        done = Some(String::new());
    }
    done
}

fn frame(theme: &Theme) -> egui::Frame {
    egui::Frame::new()
        .fill(color(theme.ui.panel))
        .stroke(egui::Stroke::new(1.0, color(theme.ui.line)))
        .corner_radius(10.0)
        .inner_margin(egui::Margin::same(20))
}

fn heading(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.label(RichText::new(text).heading().color(color(theme.ui.text_strong)));
    ui.add_space(4.0);
}

/// A button of a question; the first is the one that a hurried hand should hit.
fn button(ui: &mut Ui, theme: &Theme, label: &str, is_first: bool) -> egui::Response {
    let text = RichText::new(label);
    let size = egui::vec2(84.0, 28.0);
    if !is_first {
        return ui.add(egui::Button::new(text).min_size(size));
    }
    let text = text.color(color(theme.ui.on_accent));
    ui.add(egui::Button::new(text).fill(color(theme.ui.accent)).min_size(size))
}

/// The button of a message.
pub fn action_button(ui: &mut Ui, label: &str, theme: &Theme) -> egui::Response {
    let text = RichText::new(label).color(color(theme.ui.accent));
    ui.add(egui::Button::new(text).fill(color(theme.ui.panel)))
}
