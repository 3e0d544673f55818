//! The editor of mapping and retarget pose: the table of bones, the turns of the selected one, and both figures side by
//! side.

use egui::{Align2, ComboBox, Rect, RichText, TextStyle, Ui, WidgetInfo, vec2};
use glam::Vec3;

use super::bone_picker::{BonesOf, bone_picker};
use super::theme::{Theme, color};
use super::turn_hand::TurnHand;
use super::viewport::{ViewportState, camera_ui, picture_ui};
use super::widgets::{Knob, fold, named, section};
use super::{Asked, icons};
use crate::model::{BodySide, PoseBase, RetargetPose, Role};
use crate::studio::{
    Command, FileCommand, MapRow, PathQuestion, PosePane, PosingCommand, RetargetPanel, Selection,
    words,
};

/// Angles from which two bones do not point alike, degrees.
const APART_DEG: f32 = 3.0;
/// Widths of a row's role and its bones on either side, points.
const CELLS: [f32; 3] = [106.0, 60.0, 98.0];
/// The same where both bones can be chosen.
const CELLS_OF_CHOICES: [f32; 3] = [104.0, 80.0, 84.0];

/// As it stands in the list of presets, and what it means.
const fn base_words(base: PoseBase) -> (&'static str, &'static str) {
    match base {
        PoseBase::Computed => ("Computed", "Arms, legs and fingers are straightened on both sides"),
        PoseBase::Bind => ("Bind pose", "As the skin was bound"),
        PoseBase::File => ("File pose", "As the file was saved"),
        PoseBase::TPose => ("T-pose", "Arms straight to the sides"),
        PoseBase::APose => ("A-pose", "Arms 45° below T"),
    }
}

/// Draws the panel. `suggested` is where a mapping is likely to be saved.
pub fn retarget_ui(
    ui: &mut Ui,
    panel: &RetargetPanel,
    suggested: &str,
    theme: &Theme,
    asked: &mut Asked,
) {
    shown_ui(ui, panel, theme, asked);
    files_ui(ui, suggested, asked);
    section(ui, theme, "POSE THAT MOTION IS MEASURED FROM");
    pose_ui(ui, panel, theme, asked);
    let mut reach_hands = panel.poses.reach_hands;
    let about = "What meets, holds or points does so on arms of other lengths; otherwise arms turn as in the clip";
    let response = ui.checkbox(&mut reach_hands, "Hands reach as in the clip").on_hover_text(about);
    if response.changed() {
        asked.push(Command::Edit(panel.edit_reach(reach_hands)));
    }
    section(ui, theme, "BONES");
    let is_first = |row: &&MapRow| row.role.is_essential;
    panel.rows.iter().filter(is_first).for_each(|row| row_ui(ui, panel, row, theme, asked));
    fold(ui, "Fingers and more", "more bones", false, |ui| {
        let others = panel.rows.iter().filter(|row| !row.role.is_essential);
        others.for_each(|row| row_ui(ui, panel, row, theme, asked));
    });
}

/// Mappings as files.
fn files_ui(ui: &mut Ui, suggested: &str, asked: &mut Asked) {
    ui.horizontal(|ui| {
        let ask = |question| Command::File(FileCommand::Ask(question));
        let about = "Roles and pose, for the next character of this kind and for --map";
        if ui.button("Save mapping…").on_hover_text(about).clicked() {
            asked.push(ask(PathQuestion::SaveMap(suggested.to_owned())));
        }
        let about = "Roles and pose as they were saved; undo takes them back";
        if ui.button("Load mapping…").on_hover_text(about).clicked() {
            asked.push(ask(PathQuestion::LoadMap));
        }
    });
}

/// What stands beside the character, what is shown of both, and whose pose is edited.
fn shown_ui(ui: &mut Ui, panel: &RetargetPanel, theme: &Theme, asked: &mut Asked) {
    let mut choice = |ui: &mut Ui, is_on: bool, text: &str, about: &str, command| {
        let response = ui.selectable_label(is_on, text).on_hover_text(about);
        if response.clicked() {
            asked.push(Command::Posing(command));
        }
    };
    ui.horizontal(|ui| {
        let about = "Both in the pose that rotations are measured from";
        choice(ui, !panel.shows_clip, "Show pose", about, PosingCommand::ShowClip(false));
        let about = "Both in the clip that plays, as it comes out with this pose";
        choice(ui, panel.shows_clip, "Show clip", about, PosingCommand::ShowClip(true));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let about = "Back to the viewport; what you decided stays";
            choice(ui, false, "Done", about, PosingCommand::Close);
        });
    });
    match (&panel.beside, &panel.file) {
        (None, _) => {
            ui.weak(
                "Nothing that plays is retargeted: play a clip of the library, not of the file",
            );
        }
        (Some(_), Some(file)) => {
            ui.horizontal(|ui| {
                let about = "Turn bones of this character";
                let of = PosingCommand::OfSource;
                choice(ui, !panel.of_source, "This character", about, of(false));
                let about = "Turn bones of the skeleton that this file's clips were made for";
                choice(ui, panel.of_source, file, about, of(true));
            });
        }
        (Some(title), None) => {
            ui.weak(format!("{title} on its own skeleton, beside this character"));
        }
    }
    if let Some(fault) = &panel.fault {
        ui.colored_label(color(theme.ui.warning), fault.as_str());
    }
}

/// Presets, the turns of the selected bone, mirroring.
fn pose_ui(ui: &mut Ui, panel: &RetargetPanel, theme: &Theme, asked: &mut Asked) {
    let pose = panel.pose();
    named(ui, theme, "Starts from", |ui| {
        let combo = ComboBox::from_id_salt("retarget pose").width(170.0);
        let shown = combo.selected_text(base_words(pose.base).0).show_ui(ui, |ui| {
            for base in PoseBase::ALL {
                let (text, about) = base_words(base);
                let response = ui.selectable_label(base == pose.base, text).on_hover_text(about);
                if response.clicked() {
                    let pose = RetargetPose { base, ..RetargetPose::default() };
                    asked.push(Command::Edit(panel.edit(pose)));
                }
            }
        });
        let said = || WidgetInfo::labeled(egui::Role::ComboBox, true, "Retarget pose starts from");
        shown.response.widget_info(said);
    });
    match panel.selected {
        Some(role) => turn_ui(ui, panel, (role, &pose), theme, asked),
        None => {
            ui.weak("Click a bone on the right, or its row below, to turn it");
        }
    }
    ui.horizontal(|ui| {
        let mut step = |ui: &mut Ui, text: &str, about: &str, pose: RetargetPose| {
            let is_other = pose != panel.pose();
            let response = ui.add_enabled(is_other, egui::Button::new(text)).on_hover_text(about);
            if response.clicked() {
                asked.push(Command::Edit(panel.edit(pose)));
            }
        };
        let about = "Turns of the left side on the right side too";
        step(ui, "Mirror left to right", about, pose.clone().mirrored(BodySide::Left));
        let about = "Turns of the right side on the left side too";
        step(ui, "Mirror right to left", about, pose.clone().mirrored(BodySide::Right));
        step(ui, "Reset all", "Back to the computed pose", RetargetPose::default());
    });
}

/// The turns of one bone.
fn turn_ui(
    ui: &mut Ui,
    panel: &RetargetPanel,
    (role, pose): (Role, &RetargetPose),
    theme: &Theme,
    asked: &mut Asked,
) {
    let label = words::role(role.name());
    ui.horizontal(|ui| {
        ui.label(RichText::new(&label).strong());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let is_turned = pose.rotation(role).is_some();
            let reset = ui.add_enabled(is_turned, egui::Button::new("Reset bone").small());
            if reset.on_hover_text("This bone as the pose starts").clicked() {
                let pose = pose.clone().with_turn(role, Vec3::ZERO);
                asked.push(Command::Edit(panel.edit(pose)));
            }
        });
    });
    let mut turn = pose.turn(role);
    let about = [
        "About the axis that points to the character's left: tips it ahead or back",
        "About the upright axis: swings it round",
        "About the axis that points ahead: lifts or lowers it to the side",
    ];
    for (i, name) in ["Turn about x", "Turn about y", "Turn about z"].into_iter().enumerate() {
        let knob = Knob {
            name,
            about: about[i],
            range: (-180.0, 180.0),
            reset: 0.0,
            unit: "°",
            decimals: 1,
        };
        if let Some(degrees) = knob.show(ui, theme, turn[i], asked) {
            turn[i] = degrees;
            let pose = pose.clone().with_turn(role, turn);
            asked.before_commit(Command::Edit(panel.edit(pose)));
        }
    }
}

/// One role: its name, whose it is on either side, and how far apart they point.
fn row_ui(ui: &mut Ui, panel: &RetargetPanel, row: &MapRow, theme: &Theme, asked: &mut Asked) {
    let colors = &theme.ui;
    let label = words::role(row.role.role.name());
    let is_selected = panel.selected == Some(row.role.role);
    let can_choose = !panel.source_bones.is_empty();
    let [role, source, own] = if can_choose { CELLS_OF_CHOICES } else { CELLS };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let (icon, tone) = match (row.is_mapped, row.is_sure) {
            (true, true) => (icons::pass(), colors.good),
            (false, _) if !row.role.is_essential => (icons::miss(), colors.text_weak),
            _ => (icons::warning(), colors.warning),
        };
        ui.label(RichText::new(icon).color(color(tone))).on_hover_text(&row.why);
        let text = if row.is_turned { format!("{label} •") } else { label.clone() };
        let tone = if row.is_mapped { colors.text } else { colors.text_weak };
        let button = egui::Button::new(RichText::new(text).color(color(tone)))
            .selected(is_selected)
            .frame_when_inactive(is_selected)
            .truncate();
        let response = cell(ui, role, |ui| {
            // Room for `Right upper arm`, which else could not be told from its leg.
            ui.spacing_mut().button_padding.x = 3.0;
            ui.add(button)
        });
        let said = match (row.is_mapped, row.angle_deg) {
            (false, _) => format!("Row {label}, not mapped"),
            (true, Some(angle)) => format!("Row {label}, {angle:.0}° apart"),
            (true, None) => format!("Row {label}"),
        };
        response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, is_selected, &said));
        let about = format!("{}\nA click selects the bone, to turn it", row.why);
        if let (true, Some((node, _))) = (response.on_hover_text(about).clicked(), &row.role.bone) {
            asked.push(Command::Select(Selection::Joint(*node)));
        }
        cell(ui, source, |ui| source_ui(ui, panel, row, theme, asked))
            .on_hover_text("Its bone on the skeleton that the clip was made for");
        let bone = (&row.role, panel.bones.as_slice(), own);
        cell(ui, own, |ui| bone_picker(ui, BonesOf::Character, bone, theme, asked))
            .on_hover_text(&row.why);
        if let Some(angle) = row.angle_deg {
            let tone = if angle > APART_DEG { colors.text_strong } else { colors.text_weak };
            ui.label(RichText::new(format!("{angle:.0}°")).color(color(tone)))
                .on_hover_text("How far apart the two bones point in this pose");
        }
    });
}

/// Whose a role is on the skeleton that the clip was made for; a choice where that is a user's.
fn source_ui(
    ui: &mut Ui,
    panel: &RetargetPanel,
    row: &MapRow,
    theme: &Theme,
    asked: &mut Asked,
) -> egui::Response {
    match &row.source {
        Some(source) if !panel.source_bones.is_empty() => {
            let bone = (source, panel.source_bones.as_slice(), CELLS_OF_CHOICES[1]);
            bone_picker(ui, BonesOf::Clip, bone, theme, asked)
        }
        source => {
            let bone = source.as_ref().and_then(|source| source.bone.as_ref());
            let name = bone.map_or("none", |(_, name)| name.as_str());
            let text = RichText::new(name).color(color(theme.ui.text_weak));
            ui.add(egui::Label::new(text).truncate())
        }
    }
}

/// A cell of the table: what is in it stands at its left and is cut off at `width`.
fn cell<R>(ui: &mut Ui, width: f32, content: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    ui.allocate_ui_with_layout(vec2(width, 20.0), layout, |ui| {
        ui.set_min_width(width);
        ui.set_max_width(width);
        content(ui)
    })
    .inner
}

/// Draws both figures over all of `ui`, one camera; a click on a bone of the character selects it, and rings at `turned`
/// turn it.
pub fn pose_panes_ui(
    ui: &mut Ui,
    (state, hand): (&mut ViewportState, &mut TurnHand),
    (panes, turned): (&[PosePane; 2], Option<Vec3>),
    theme: &Theme,
    asked: &mut Asked,
) {
    let whole = ui.available_rect_before_wrap();
    let size = vec2(whole.width() / 2.0, whole.height());
    let [_, own] = panes;
    let is_taken = hand.takes_left(ui, state, &own.scene, turned);
    state.left_is_taken = is_taken;
    let response = camera_ui(ui, state, size);
    let font = TextStyle::Body.resolve(ui.style());
    for (i, pane) in panes.iter().enumerate() {
        let rect = Rect::from_min_size(whole.left_top() + vec2(size.x * i as f32, 0.0), size);
        picture_ui(ui, rect, state, &pane.scene, theme);
        let at = rect.left_top() + vec2(12.0, 12.0);
        let tone = color(theme.ui.text);
        ui.painter().text(at, Align2::LEFT_TOP, &pane.name, font.clone(), tone);
        if i == 0 {
            continue;
        }
        hand.work(ui, rect, (&*state, &pane.scene), turned, theme, asked);
        let pointer = response.interact_pointer_pos().filter(|p| rect.contains(*p));
        if let (Some(pointer), true) = (pointer, response.clicked() && !is_taken)
            && let Some(selection @ Selection::Joint(_)) =
                state.drawn_under(&pane.scene, rect, pointer)
        {
            asked.push(Command::Select(selection));
        }
    }
    let middle = whole.center_top().x;
    let line = egui::Stroke::new(1.0, color(theme.ui.line));
    ui.painter().vline(middle, whole.y_range(), line);
}
