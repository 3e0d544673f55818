//! The library: a strip or a grid of tiles, each the user's own character in a clip.

use std::collections::BTreeMap;

use egui::{
    Align2, ComboBox, CornerRadius, Rect, RichText, ScrollArea, Sense, Stroke, StrokeKind,
    TextStyle, Ui, WidgetInfo,
};

use super::clip_menu::clip_menu;
use super::theme::{Theme, color};
use super::viewport::tile_picture;
use super::widgets::icon_button;
use super::{Asked, icons};
use crate::studio::scene::Scene;
use crate::studio::{
    Command, LibraryLook, PlayCommand, Shelf, ShelfOrder, ShelfQuery, ShelfSource, Tile,
    UserCommand, words,
};

/// Size of a tile in points, its title included.
const TILE: egui::Vec2 = egui::vec2(104.0, 118.0);

/// Height of a tile's picture.
const PICTURE: f32 = 92.0;

/// Between tiles.
const GAP: f32 = 6.0;

/// Pictures of tiles.
#[derive(Debug, Default)]
pub struct Pictures {
    /// Whether a graphics card draws them.
    pub has_gpu: bool,
    /// Those that are drawn anew in this frame, by place in the library.
    pub fresh: BTreeMap<usize, Scene>,
}

/// What the panel tells besides commands.
#[derive(Debug, Default)]
pub struct ShelfAnswer {
    /// Places of the tiles in sight, in order.
    pub visible: Vec<usize>,
    /// A clip whose star was clicked.
    pub starred: Option<String>,
    /// The look that was asked for.
    pub look: Option<LibraryLook>,
    /// Whether the query was changed.
    pub is_changed: bool,
    /// Whether the worst tiles stand first: a click goes to where a clip is worst.
    by_worst: bool,
}

/// Draws the panel.
pub fn shelf_ui(
    ui: &mut Ui,
    (shelf, query, look): (&Shelf, &mut ShelfQuery, LibraryLook),
    pictures: &Pictures,
    theme: &Theme,
    asked: &mut Asked,
) -> ShelfAnswer {
    let by_worst = query.order == ShelfOrder::Worst && query.text.is_empty();
    let mut answer = ShelfAnswer { by_worst, ..ShelfAnswer::default() };
    header_ui(ui, (shelf, query, look), theme, asked, &mut answer);
    if look == LibraryLook::Closed {
        return answer;
    }
    ui.add_space(2.0);
    if shelf.tiles.is_empty() {
        let text = if shelf.n_all == 0 {
            "Open a character to see it in every clip"
        } else {
            "No clip fits; clear the search or the filters"
        };
        ui.label(RichText::new(text).color(color(theme.ui.text_weak)));
        return answer;
    }
    match look {
        LibraryLook::Strip => strip_ui(ui, shelf, pictures, theme, asked, &mut answer),
        _ => grid_ui(ui, shelf, pictures, theme, asked, &mut answer),
    }
    answer
}

fn header_ui(
    ui: &mut Ui,
    (shelf, query, look): (&Shelf, &mut ShelfQuery, LibraryLook),
    theme: &Theme,
    asked: &mut Asked,
    answer: &mut ShelfAnswer,
) {
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut query.text)
            .hint_text(format!("{}  Search clips", icons::search()))
            .desired_width(170.0);
        let response = ui.add(field);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SearchInput, true, "Search clips"));
        answer.is_changed |= response.changed();
        answer.is_changed |= category_ui(ui, shelf, query);
        answer.is_changed |= source_ui(ui, shelf, query, asked);
        let star = query.only_favourites;
        let about = "Only clips marked by a star";
        if icon_button(ui, icons::star(), "Favourites", about, star).clicked() {
            query.only_favourites = !star;
            answer.is_changed = true;
        }
        answer.is_changed |= order_ui(ui, query);
        if query.order == ShelfOrder::Worst {
            sweep_ui(ui, shelf, theme, asked);
        }
        let n = shelf.tiles.len();
        let count = if n == shelf.n_all {
            words::counted(n, "clip", "clips")
        } else {
            format!("{} of {}", words::count(n), words::count(shelf.n_all))
        };
        ui.label(RichText::new(count).small().color(color(theme.ui.text_weak)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for (icon, label, wanted) in [
                (icons::closed(), "Header alone", LibraryLook::Closed),
                (icons::grid(), "Grid", LibraryLook::Grid),
                (icons::strip(), "Strip", LibraryLook::Strip),
            ] {
                if icon_button(ui, icon, label, label, look == wanted).clicked() {
                    answer.look = Some(wanted);
                }
            }
        });
    });
}

fn category_ui(ui: &mut Ui, shelf: &Shelf, query: &mut ShelfQuery) -> bool {
    let all = format!("All  {}", words::count(shelf.n_all));
    let text = query.category.clone().unwrap_or_else(|| all.clone());
    let before = query.category.clone();
    let combo = ComboBox::from_id_salt("category").selected_text(text).width(130.0).height(400.0);
    let shown = combo.show_ui(ui, |ui| {
        ui.selectable_value(&mut query.category, None, all);
        for (name, n) in &shelf.categories {
            let text = format!("{name}  {}", words::count(*n));
            ui.selectable_value(&mut query.category, Some(name.clone()), text);
        }
    });
    shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Category"));
    query.category != before
}

/// Where clips come from, with what adds and removes libraries of the user's; whether another source was chosen.
fn source_ui(ui: &mut Ui, shelf: &Shelf, query: &mut ShelfQuery, asked: &mut Asked) -> bool {
    let before = query.source.clone();
    let chosen = shelf.sources.iter().find(|line| Some(&line.source) == before.as_ref());
    let text = chosen.map_or("All sources", |line| line.name.as_str());
    let combo = ComboBox::from_id_salt("source").selected_text(text).width(110.0).height(400.0);
    let shown = combo.show_ui(ui, |ui| {
        ui.selectable_value(&mut query.source, None, "All sources");
        for line in &shelf.sources {
            let text = format!("{}  {}", line.name, words::count(line.n_clips));
            let row = ui.selectable_value(&mut query.source, Some(line.source.clone()), text);
            match (&line.source, &line.fault) {
                (_, Some(fault)) => row.on_hover_text(fault),
                (ShelfSource::User(path), None) => row.on_hover_text(path),
                _ => row,
            };
        }
    });
    shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Clip source"));
    if let Some(ShelfSource::User(path)) = &query.source {
        let label = format!("Remove {}", words::file_name(path));
        let about = "Take it out of the library; the file itself stays";
        if icon_button(ui, icons::close(), &label, about, false).clicked() {
            asked.push(Command::RemoveLibrary(path.clone()));
        }
    }
    let about = UserCommand::AddClips.row().about;
    if icon_button(ui, icons::add(), "Add clips to the library", about, false).clicked() {
        asked.user(UserCommand::AddClips);
    }
    query.source != before
}

fn order_ui(ui: &mut Ui, query: &mut ShelfQuery) -> bool {
    let before = query.order;
    let combo = ComboBox::from_id_salt("order").selected_text(before.name()).width(120.0);
    let shown = combo.show_ui(ui, |ui| {
        for order in ShelfOrder::ALL {
            ui.selectable_value(&mut query.order, order, order.name());
        }
    });
    shown.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Sort clips"));
    query.order != before
}

/// Plays the clips that are shown through, those that nothing is known of yet.
fn sweep_ui(ui: &mut Ui, shelf: &Shelf, theme: &Theme, asked: &mut Asked) {
    let unknown = shelf.tiles.iter().filter(|tile| tile.fault.is_none()).map(|tile| tile.place);
    let places: Vec<usize> = unknown.collect();
    if shelf.is_sweeping {
        ui.label(RichText::new("Playing through…").small().color(color(theme.ui.text_weak)));
    } else if !places.is_empty() {
        let text = format!("Play {} through", words::counted(places.len(), "clip", "clips"));
        let about = "Stretch, depth in floor and body, sliding feet and seam of each on this character; \
                     a click on a tile then goes to where it is worst";
        if ui.button(text).on_hover_text(about).clicked() {
            asked.push(Command::Sweep(places));
        }
    }
}

fn strip_ui(
    ui: &mut Ui,
    shelf: &Shelf,
    pictures: &Pictures,
    theme: &Theme,
    asked: &mut Asked,
    answer: &mut ShelfAnswer,
) {
    let size = egui::vec2((TILE.x + GAP) * shelf.tiles.len() as f32, TILE.y);
    ScrollArea::horizontal().auto_shrink([false, true]).id_salt("strip").show_viewport(
        ui,
        |ui, viewport| {
            let (area, _) = ui.allocate_exact_size(size, Sense::hover());
            let first = (viewport.left() / (TILE.x + GAP)).floor().max(0.0) as usize;
            let n = (viewport.width() / (TILE.x + GAP)).ceil() as usize + 1;
            for (i, tile) in shelf.tiles.iter().enumerate().skip(first).take(n) {
                let left = area.left() + i as f32 * (TILE.x + GAP);
                let rect = Rect::from_min_size(egui::pos2(left, area.top()), TILE);
                tile_ui(ui, rect, tile, pictures, theme, asked, answer);
            }
        },
    );
}

fn grid_ui(
    ui: &mut Ui,
    shelf: &Shelf,
    pictures: &Pictures,
    theme: &Theme,
    asked: &mut Asked,
    answer: &mut ShelfAnswer,
) {
    let columns = ((ui.available_width() + GAP) / (TILE.x + GAP)).floor().max(1.0) as usize;
    let rows = shelf.tiles.len().div_ceil(columns);
    let area = ScrollArea::vertical().auto_shrink(false).id_salt("grid");
    ui.spacing_mut().item_spacing.y = GAP;
    area.show_rows(ui, TILE.y, rows, |ui, range| {
        for row in range {
            let size = egui::vec2(ui.available_width(), TILE.y);
            let (area, _) = ui.allocate_exact_size(size, Sense::hover());
            for (i, tile) in shelf.tiles.iter().skip(row * columns).take(columns).enumerate() {
                let left = area.left() + i as f32 * (TILE.x + GAP);
                let rect = Rect::from_min_size(egui::pos2(left, area.top()), TILE);
                tile_ui(ui, rect, tile, pictures, theme, asked, answer);
            }
        }
    });
}

fn tile_ui(
    ui: &mut Ui,
    rect: Rect,
    tile: &Tile,
    pictures: &Pictures,
    theme: &Theme,
    asked: &mut Asked,
    answer: &mut ShelfAnswer,
) {
    if !ui.is_rect_visible(rect) {
        return;
    }
    answer.visible.push(tile.place);
    let response = ui.interact(rect, ui.scope_id().with(("tile", tile.place)), Sense::click());
    let refused = if tile.refusal.is_some() { ", cannot be played" } else { "" };
    let label = format!("Clip {}{refused}", tile.title);
    response
        .widget_info(|| WidgetInfo::selected(egui::Role::Button, true, tile.is_playing, &label));
    let colors = &theme.ui;
    let picture = Rect::from_min_size(rect.min, egui::vec2(rect.width(), PICTURE));
    let painter = ui.painter();
    let radius = CornerRadius::same(6);
    let fill = if response.hovered() { colors.hovered } else { colors.sunken };
    painter.rect_filled(picture, radius, color(fill));
    if tile.refusal.is_some() {
        let font = TextStyle::Heading.resolve(ui.style());
        let tone = color(colors.text_weak);
        painter.text(picture.center(), Align2::CENTER_CENTER, icons::warning(), font, tone);
    } else if pictures.has_gpu {
        tile_picture(ui, picture.shrink(1.0), tile.place, pictures.fresh.get(&tile.place), theme);
    }
    let ring = match (tile.is_playing, response.has_focus() || response.hovered()) {
        (true, _) => Some(Stroke::new(2.0, color(colors.accent))),
        (false, true) => Some(Stroke::new(1.0, color(colors.text_weak))),
        _ => None,
    };
    if let Some(ring) = ring {
        painter.rect_stroke(picture, radius, ring, StrokeKind::Inside);
    }
    caption(ui, rect, tile, answer.by_worst, theme);
    clip_menu(&response, tile, theme, asked);
    let star = Rect::from_min_size(picture.right_top() + egui::vec2(-24.0, 2.0), [22.0; 2].into());
    let is_starred = star_ui(ui, star, tile, response.hovered(), theme);
    if is_starred {
        answer.starred = Some(tile.name.clone());
    } else if response.on_hover_text(about(tile)).clicked() {
        asked.push(match tile.fault {
            Some(_) if answer.by_worst => Command::ShowWorst(tile.place),
            _ => Command::Play(PlayCommand::Clip(Some(tile.place))),
        });
    }
}

/// The title below, in the picture how long it is, or how bad where that orders the tiles.
fn caption(ui: &Ui, rect: Rect, tile: &Tile, by_worst: bool, theme: &Theme) {
    let colors = &theme.ui;
    let font = TextStyle::Small.resolve(ui.style());
    let painter = ui.painter();
    let tone = if tile.is_playing { colors.text_strong } else { colors.text };
    let y = rect.top() + PICTURE + 4.0;
    let mut job =
        egui::text::LayoutJob::simple_singleline(tile.title.clone(), font.clone(), color(tone));
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width() - 4.0);
    let title = painter.layout_job(job);
    painter.galley(egui::pos2(rect.left() + 2.0, y), title, color(tone));
    let bottom = egui::pos2(rect.left() + 6.0, rect.top() + PICTURE - 4.0);
    let number = match &tile.fault {
        Some(fault) if by_worst => fault.short.clone(),
        _ => words::seconds(tile.duration_secs),
    };
    let weak = color(colors.text_weak);
    painter.text(bottom, Align2::LEFT_BOTTOM, number, font.clone(), weak);
    if tile.looping {
        let right = egui::pos2(rect.right() - 6.0, rect.top() + PICTURE - 4.0);
        painter.text(right, Align2::RIGHT_BOTTOM, icons::looping(), font, weak);
    }
}

/// The star in a tile's corner; whether it was clicked.
fn star_ui(ui: &Ui, rect: Rect, tile: &Tile, is_hovered: bool, theme: &Theme) -> bool {
    let response = ui.interact(rect, ui.scope_id().with(("star", tile.place)), Sense::click());
    let label = format!("Favourite {}", tile.title);
    response
        .widget_info(|| WidgetInfo::selected(egui::Role::Button, true, tile.is_favourite, &label));
    if tile.is_favourite || is_hovered || response.hovered() || response.has_focus() {
        let tone = if tile.is_favourite { theme.ui.accent } else { theme.ui.text_weak };
        let font = TextStyle::Body.resolve(ui.style());
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, icons::star(), font, color(tone));
    }
    response.clicked()
}

fn about(tile: &Tile) -> String {
    let mut parts = vec![tile.title.clone()];
    let facts = [tile.category.clone(), words::seconds(tile.duration_secs), tile.source.clone()];
    parts.push(facts.into_iter().filter(|f| !f.is_empty()).collect::<Vec<_>>().join(" · "));
    parts.push(if tile.looping { "Loops".to_owned() } else { "Plays once".to_owned() });
    parts.extend(tile.fault.as_ref().map(|fault| fault.text.clone()));
    parts.extend(tile.refusal.clone());
    parts.push(match &tile.edit {
        Some(_) => format!("Made of {}; a right click changes it", tile.whole.0),
        None => "A right click makes another clip of it".to_owned(),
    });
    parts.join("\n")
}
