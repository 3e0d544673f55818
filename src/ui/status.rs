//! The line at the bottom, and the messages over the viewport.

use egui::{ProgressBar, RichText, Ui};

use super::desk::action_button;
use super::keys::shortcut;
use super::theme::{Theme, color};
use super::widgets::icon_button;
use super::{Asked, icons};
use crate::studio::{Command, Notice, NoticeKind, Status, UserCommand, words};

/// Draws the line.
///
/// `frames` are frames in a second while something moves, and what one takes, for the tooltip.
pub fn status_ui(
    ui: &mut Ui,
    status: &Status,
    (fps, cost): (Option<f32>, Option<&str>),
    theme: &Theme,
    asked: &mut Asked,
) {
    let weak = |text: &str| RichText::new(text).small().color(color(theme.ui.text_weak));
    ui.horizontal_centered(|ui| {
        ui.label(weak(&status.summary));
        for job in &status.jobs {
            let stage = if job.stage.is_empty() { job.kind.name() } else { &job.stage };
            ui.label(weak(&words::sentence(stage)));
            ui.add(ProgressBar::new(job.share).desired_width(120.0).desired_height(6.0));
            if ui.small_button("Cancel").clicked() {
                asked.push(Command::Cancel(job.id));
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(weak(&hints(ui.ctx())));
            ui.add_space(12.0);
            if let Some(us) = status.solver_us {
                let about = "Springs and pose, mean of the last frames";
                let about = cost.map_or(about.to_owned(), |cost| format!("{about}\n{cost}"));
                let text = match fps {
                    Some(fps) => format!("{us:.0} µs a frame · {fps:.0} fps"),
                    None => format!("{us:.0} µs a frame"),
                };
                ui.label(weak(&text)).on_hover_text(about);
            }
        });
    });
}

/// The keys that a newcomer needs.
fn hints(ctx: &egui::Context) -> String {
    use UserCommand as C;
    let hint = |command: UserCommand| {
        let row = command.row();
        format!("{} {}", shortcut(ctx, command), row.text.to_lowercase())
    };
    [C::FrameSelection, C::PlayPause, C::NextDoubtful, C::KeySheet].map(hint).join(" · ")
}

/// Draws the messages, newest first, in the upper right corner of what `ui` covers.
pub fn notices_ui(ui: &mut Ui, notices: &[Notice], theme: &Theme, asked: &mut Asked) {
    for notice in notices.iter().rev() {
        let (icon, tone) = match notice.kind {
            NoticeKind::Info => (icons::info(), theme.ui.accent),
            NoticeKind::Warning => (icons::warning(), theme.ui.warning),
            NoticeKind::Error => (icons::warning(), theme.ui.error),
        };
        let frame = egui::Frame::new()
            .fill(color(theme.ui.raised))
            .corner_radius(6.0)
            .inner_margin(egui::Margin::symmetric(10, 6));
        frame.show(ui, |ui| {
            ui.set_max_width(360.0);
            ui.horizontal_top(|ui| {
                ui.label(RichText::new(icon).color(color(tone)));
                ui.add(egui::Label::new(&notice.text).wrap());
                if icon_button(ui, icons::close(), "Dismiss", "Put this message away", false)
                    .clicked()
                {
                    asked.push(Command::Dismiss(notice.id));
                }
            });
            if notice.actions.is_empty() {
                return;
            }
            ui.horizontal(|ui| {
                ui.add_space(20.0);
                for action in &notice.actions {
                    if action_button(ui, action.label, theme).clicked() {
                        asked.push(Command::Dismiss(notice.id));
                        asked.push(action.command.clone());
                    }
                }
            });
        });
    }
}
