//! What floats over the viewport: how skin is drawn, which overlays are shown, the legend, the cube.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{
    Align2, Color32, PopupCloseBehavior, Pos2, Rect, RichText, Sense, Shape, Stroke, TextStyle, Ui,
    UiBuilder, WidgetInfo,
};
use glam::Vec2;

use super::keys::shortcut;
use super::theme::{Theme, color};
use super::viewport::ViewportState;
use super::widgets::{command_button, floating};
use super::{Asked, icons};
use crate::studio::{Legend, Overlay, Shade, UserCommand};
use crate::view::{cube_face_at, cube_faces, heat};

/// What the bar shows.
pub struct ViewBar<'a> {
    /// How skin is drawn.
    pub shade: Shade,
    /// Whether an overlay is shown.
    pub shows: &'a dyn Fn(Overlay) -> bool,
    /// Whether the turntable runs.
    pub is_turning: bool,
}

/// The way back from a split view, in the upper right corner of `rect`.
pub fn split_ui(ui: &mut Ui, rect: Rect, theme: &Theme, asked: &mut Asked) {
    let corner = rect.right_top() + egui::vec2(-48.0, 12.0);
    let area = Rect::from_min_size(corner, egui::vec2(36.0, 32.0));
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        floating(theme).show(ui, |ui| {
            command_button(ui, icons::split(), UserCommand::SplitView, true, asked);
        });
    });
}

/// The overlays, in the order of their menu, with the commands that toggle them.
const OVERLAYS: [(Overlay, UserCommand); 11] = [
    (Overlay::Regions, UserCommand::ShowRegions),
    (Overlay::Chains, UserCommand::ShowChains),
    (Overlay::Joints, UserCommand::ShowJoints),
    (Overlay::JointNames, UserCommand::ShowNames),
    (Overlay::Extent, UserCommand::ShowExtent),
    (Overlay::Colliders, UserCommand::ShowColliders),
    (Overlay::Floor, UserCommand::ShowFloor),
    (Overlay::Behind, UserCommand::ShowBehind),
    (Overlay::PeakHold, UserCommand::HoldPeak),
    (Overlay::Outlines, UserCommand::ShowOutlines),
    (Overlay::HairOutlines, UserCommand::ShowHairOutlines),
];

/// Draws the bar into the upper left corner of `rect`.
pub fn view_bar_ui(ui: &mut Ui, rect: Rect, bar: &ViewBar<'_>, theme: &Theme, asked: &mut Asked) {
    let area = Rect::from_min_size(rect.min + egui::vec2(12.0, 12.0), egui::vec2(420.0, 32.0));
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        floating(theme).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                shade_menu(ui, bar.shade, asked);
                overlay_menu(ui, bar.shows, theme, asked);
                command_button(ui, icons::frame(), UserCommand::FrameSelection, false, asked);
                let turns = bar.is_turning;
                command_button(ui, icons::turntable(), UserCommand::Turntable, turns, asked);
                command_button(ui, icons::split(), UserCommand::SplitView, false, asked);
                command_button(ui, icons::theme(), UserCommand::ToggleTheme, false, asked);
            });
        });
    });
}

fn title(icon: char, text: &str) -> RichText {
    RichText::new(format!("{icon}  {text}  {}", icons::down()))
}

fn shade_menu(ui: &mut Ui, shade: Shade, asked: &mut Asked) {
    let (button, _) = MenuButton::new(title(icons::lit(), shade.name())).ui(ui, |ui| {
        ui.set_min_width(190.0);
        for other in Shade::ALL {
            let keys = shortcut(ui.ctx(), UserCommand::Shade(other));
            let item = egui::Button::new(other.name()).shortcut_text(keys);
            let response = ui.add(item.selected(other == shade)).on_hover_text(other.about());
            if response.clicked() && other != shade {
                asked.user(UserCommand::Shade(other));
            }
        }
    });
    let label = format!("Shading: {}", shade.name());
    button.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &label));
    button.on_hover_text("How skin is drawn");
}

fn overlay_menu(ui: &mut Ui, shows: &dyn Fn(Overlay) -> bool, theme: &Theme, asked: &mut Asked) {
    // Several are switched in a row, so the menu stays open.
    let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let button = MenuButton::new(title(icons::overlays(), "Overlays")).config(stays);
    let (button, _) = button.ui(ui, |ui| {
        ui.set_min_width(220.0);
        for (overlay, command) in OVERLAYS {
            let row = command.row();
            let keys = shortcut(ui.ctx(), command);
            let is_on = shows(overlay);
            let mark = if is_on { icons::pass() } else { ' ' };
            let text = RichText::new(format!("{mark}  {}", row.text));
            let text = if is_on { text.color(color(theme.ui.text_strong)) } else { text };
            let response = ui.add(egui::Button::new(text).shortcut_text(keys));
            response
                .widget_info(|| WidgetInfo::selected(egui::Role::CheckBox, true, is_on, row.text));
            if response.on_hover_text(row.about).clicked() {
                asked.user(command);
            }
        }
    });
    button.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "Overlays"));
    button.on_hover_text("What is drawn over the skin");
}

/// Size of the legend in points.
const LEGEND: egui::Vec2 = egui::vec2(232.0, 66.0);

/// Draws the legend of a heat into the lower right corner of `rect`: the ramp, its ends, its threshold.
pub fn legend_ui(ui: &Ui, rect: Rect, legend: &Legend, theme: &Theme) {
    let scale = &legend.scale;
    let place = Rect::from_min_size(
        egui::pos2(rect.right() - LEGEND.x - 12.0, rect.bottom() - LEGEND.y - 12.0),
        LEGEND,
    );
    let number = |v: f32| format!("{v:.*}{}", scale.decimals, scale.unit);
    let spoken = format!(
        "{} from {} to {}{}. {}",
        scale.title,
        number(scale.low),
        number(scale.high),
        scale.threshold.map_or_else(String::new, |(v, name)| format!(", {name} at {}", number(v))),
        legend.note
    );
    let response = ui.interact(place, ui.scope_id().with("legend"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Meter, true, &spoken));
    let painter = ui.painter();
    let colors = &theme.ui;
    painter.rect_filled(place, 8.0, color(colors.panel));
    let font = TextStyle::Small.resolve(ui.style());
    let inner = place.shrink2(egui::vec2(10.0, 8.0));
    let (text, weak) = (color(colors.text), color(colors.text_weak));
    painter.text(inner.left_top(), Align2::LEFT_TOP, scale.title, font.clone(), text);
    painter.text(inner.right_top(), Align2::RIGHT_TOP, &legend.note, font.clone(), weak);
    let ramp = Rect::from_min_size(
        egui::pos2(inner.left(), inner.top() + 19.0),
        egui::vec2(inner.width(), 10.0),
    );
    let x = |share: f32| ramp.left() + ramp.width() * share;
    const STEPS: u8 = 58;
    for i in 0..STEPS {
        let (from, to) = (f32::from(i) / f32::from(STEPS), f32::from(i + 1) / f32::from(STEPS));
        let c = (heat((from + to) * 0.5) * 255.0).round();
        let strip = Rect::from_min_max(
            egui::pos2(x(from), ramp.top()),
            egui::pos2(x(to) + 0.5, ramp.bottom()),
        );
        painter.rect_filled(strip, 0.0, Color32::from_rgb(c.x as u8, c.y as u8, c.z as u8));
    }
    let below = |share: f32| egui::pos2(x(share), ramp.bottom() + 5.0);
    painter.text(below(0.0), Align2::LEFT_TOP, number(scale.low), font.clone(), weak);
    let most = format!("{}+", number(scale.high));
    painter.text(below(1.0), Align2::RIGHT_TOP, most, font.clone(), weak);
    if let (Some(share), Some((value, name))) = (scale.threshold_share(), scale.threshold) {
        let line = Stroke::new(2.0, color(colors.text_strong));
        let at = x(share);
        painter.line_segment(
            [egui::pos2(at, ramp.top() - 3.0), egui::pos2(at, ramp.bottom() + 4.0)],
            line,
        );
        let said = format!("{name} {}", number(value));
        painter.text(below(share), Align2::CENTER_TOP, said, font, text);
    }
}

/// Half the width of the cube's picture, in points.
const CUBE: f32 = 40.0;

/// Draws the cube into the upper right corner of `rect`; a click on a face looks from there.
pub fn cube_ui(ui: &Ui, rect: Rect, state: &mut ViewportState, theme: &Theme) {
    let center = egui::pos2(rect.right() - CUBE - 14.0, rect.top() + CUBE + 12.0);
    let place = Rect::from_center_size(center, egui::Vec2::splat(CUBE * 2.0));
    let response = ui.interact(place, ui.scope_id().with("view cube"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "View cube"));
    let faces = cube_faces(state.camera());
    let on_cube = |p: Pos2| Vec2::new((p.x - center.x) / CUBE, (center.y - p.y) / CUBE);
    let on_screen = |p: Vec2| egui::pos2(center.x + p.x * CUBE, center.y - p.y * CUBE);
    let pointed = response.hover_pos().and_then(|p| cube_face_at(&faces, on_cube(p))).copied();
    let colors = &theme.ui;
    let font = TextStyle::Small.resolve(ui.style());
    for face in &faces {
        let is_pointed = pointed.is_some_and(|p| p.direction == face.direction);
        let fill = color(if is_pointed { colors.hovered } else { colors.raised });
        let corners: Vec<Pos2> = face.corners.iter().map(|&c| on_screen(c)).collect();
        let edge = Stroke::new(1.0, color(colors.line));
        let shade = fill.gamma_multiply(0.65 + 0.35 * face.facing);
        ui.painter().add(Shape::convex_polygon(corners, shade, edge));
        // Letters on a face that is seen edge on cannot be read.
        if face.facing > 0.45 {
            let middle = face.corners.iter().sum::<Vec2>() / 4.0;
            let tone = color(if is_pointed { colors.text_strong } else { colors.text_weak });
            ui.painter().text(
                on_screen(middle),
                Align2::CENTER_CENTER,
                face.name,
                font.clone(),
                tone,
            );
        }
    }
    if let Some(face) = pointed.filter(|_| response.clicked()) {
        state.look_from(face.direction);
    }
}
