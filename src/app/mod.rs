//! Floor 12: the window: frames to ticks, keys to commands, panels to their places.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::studio::keymap::Keymap;
use crate::studio::{
    CameraPlace, ChainPanel, Changes, CharacterPanel, ColliderCommand, ColliderPanel, Command,
    ExportCommand, FileCommand, LibraryLook, NewCollider, NoticeKind, Outliner, Overlay,
    PathQuestion, PlayCommand, PosingCommand, Preferences, RegionPanel, RetargetPanel, Shade,
    Shelf, ShelfHabits, ShelfOrder, ShelfQuery, ShelfSource, SpringPanel, Studio, ThemeChoice,
    ToolCommand, UserCommand, Workspace,
};
use crate::ui::desk::Desk;
use crate::ui::dialogs::{FileDialogs, Native};
use crate::ui::export::ExportInput;
use crate::ui::history::history_ui;
use crate::ui::outliner::Finding;
use crate::ui::palette::{MOST_LINES, Palette, palette_ui};
use crate::ui::preferences::PreferencesWindow;
use crate::ui::theme::Theme;
use crate::ui::tools::ToolHand;
use crate::ui::turn_hand::TurnHand;
use crate::ui::viewport::ViewportState;
use crate::ui::{Asked, keys};
use crate::view::{self, ViewDirection};

use dock::{Docks, PanelKind};
use labels::Labels;
use times::FrameTimes;

mod dock;
pub mod fonts;
mod labels;
mod panes;
mod places;
mod pointing;
mod times;

/// How the window is opened.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// What to open first.
    pub file: Option<String>,
    /// Where preferences are kept, and beside them unsaved work; nowhere in most tests.
    pub preferences: Option<PathBuf>,
    /// When the program began; now, where that is not said.
    pub started: Option<Instant>,
}

/// Panels as they were last worked out.
#[derive(Default)]
struct Panels {
    outliner: Outliner,
    region: Option<RegionPanel>,
    chain: Option<ChainPanel>,
    character: Option<CharacterPanel>,
    retarget: Option<RetargetPanel>,
    springs: Option<SpringPanel>,
    collider: Option<ColliderPanel>,
    shelf: Shelf,
}

/// The window.
pub struct App {
    /// The application without a screen.
    pub studio: Studio,
    /// The user's preferences.
    pub preferences: Preferences,
    /// Asks for files.
    pub dialogs: Box<dyn FileDialogs>,
    theme: Theme,
    viewport: ViewportState,
    panels: Panels,
    finding: Finding,
    query: ShelfQuery,
    palette: Option<Palette>,
    shows_keys: bool,
    shows_history: bool,
    hand: ToolHand,
    turn_hand: TurnHand,
    docks: Docks,
    /// The tile that holds the viewport's tab.
    viewport_tile: Option<egui_tiles::TileId>,
    /// How the library was asked to stand.
    library_wanted: Option<LibraryLook>,
    /// The library's height before the editor of retarget poses took its room.
    library_before: Option<f32>,
    times: FrameTimes,
    desk: Desk,
    export: ExportInput,
    settings: PreferencesWindow,
    title: String,
    keep: Option<PathBuf>,
    samples: Vec<(&'static str, &'static str)>,
}

impl App {
    /// The window's contents, in a window that eframe made.
    ///
    /// # Errors
    /// Where the card's OpenGL is too old, or a theme that was built in cannot be read.
    pub fn new(
        cc: &eframe::CreationContext<'_>,
        launch: Launch,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let (preferences, fault) =
            launch.preferences.as_deref().map(Preferences::load).unwrap_or_default();
        let theme = Theme::load(preferences.theme)?;
        cc.egui_ctx.set_fonts(Theme::fonts());
        if let Some(labels) = Labels::wanted() {
            cc.egui_ctx.add_plugin(labels);
        }
        let wake = cc.egui_ctx.clone();
        let mut studio = Studio::new(Arc::new(move || wake.request_repaint()));
        if let Some(fault) = fault {
            studio.notice(NoticeKind::Warning, fault);
        }
        let mut viewport = ViewportState::default();
        if let Some(gl) = &cc.gl {
            view::attach(gl.clone()).map_err(|e| crate::document::with_causes(&e))?;
            viewport.has_gpu = true;
        }
        if let Some(folder) = launch.preferences.as_deref().and_then(Path::parent) {
            studio.keep_in(folder);
        }
        studio.keep_libraries(&preferences.libraries);
        if let Some(file) = launch.file {
            studio.apply(Command::Open(file));
        }
        let docks = Docks::of(&preferences.layouts);
        let mut app = Self {
            studio,
            preferences,
            dialogs: Box::new(Native),
            theme,
            viewport,
            panels: Panels::default(),
            finding: Finding::default(),
            query: ShelfQuery::default(),
            palette: None,
            shows_keys: false,
            shows_history: false,
            hand: ToolHand::default(),
            turn_hand: TurnHand::default(),
            docks,
            viewport_tile: None,
            library_wanted: None,
            library_before: None,
            times: FrameTimes::since(launch.started.unwrap_or_else(Instant::now)),
            desk: Desk::default(),
            export: ExportInput::default(),
            settings: PreferencesWindow::default(),
            title: String::new(),
            keep: launch.preferences,
            samples: crate::studio::samples(),
        };
        app.follow_preferences(&cc.egui_ctx);
        Ok(app)
    }

    /// Where the camera is, or is on its way to.
    pub fn camera_place(&self) -> CameraPlace {
        self.viewport.place()
    }

    /// The point of the window that shows a point of the world, where the viewport stands in `rect`.
    pub fn on_screen(&self, p: glam::Vec3, rect: egui::Rect) -> Option<egui::Pos2> {
        let size = glam::Vec2::new(rect.width(), rect.height());
        let at = self.viewport.eye(self.studio.scene()).pixel(p, size)?;
        Some(egui::pos2(rect.left() + at.x, rect.bottom() - at.y))
    }

    fn take(&mut self, changes: Changes) {
        if changes.has(Changes::LIBRARY) {
            self.follow_libraries();
        }
        if changes.has(Changes::DOCUMENT) || changes.has(Changes::SELECTION) {
            self.panels.outliner = self.studio.outliner();
            self.panels.region = self.studio.region_panel();
            self.panels.character = self.studio.character_panel();
            self.panels.retarget = self.studio.retarget_panel();
            self.refill_shelf();
        }
        if changes.any() {
            self.panels.springs = self.studio.spring_panel();
            self.panels.chain = self.studio.chain_panel();
            self.panels.collider = self.studio.collider_panel();
        }
        if changes.has(Changes::FRAMING) {
            self.viewport.forget_pointed();
            match (self.studio.camera_wanted(), self.studio.scene().bounds) {
                (Some(place), _) => self.viewport.jump_to_place(place),
                (None, Some(bounds)) => self.viewport.jump_to(&bounds),
                (None, None) => {}
            }
            view::forget_tiles();
        }
    }

    /// Libraries have come or gone: they are kept, tiles are others, and a filter by one that is gone shows nothing.
    fn follow_libraries(&mut self) {
        let rows = self.studio.libraries().into_iter();
        self.preferences.libraries = rows.map(|row| row.path).collect();
        let known = &self.preferences.libraries;
        let is_gone = |source: &ShelfSource| match source {
            ShelfSource::User(path) => !known.contains(path),
            _ => false,
        };
        if self.query.source.as_ref().is_some_and(is_gone) {
            self.query.source = None;
        }
        view::forget_tiles();
    }

    fn refill_shelf(&mut self) {
        let Preferences { favourites, recent_clips, .. } = &self.preferences;
        let habits = ShelfHabits { favourites, recent: recent_clips };
        self.panels.shelf = self.studio.shelf(&self.query, habits);
    }

    fn apply(&mut self, command: Command) {
        if let Command::Play(PlayCommand::Clip(Some(place))) | Command::ShowWorst(place) = command
            && let Some(tile) = self.panels.shelf.tiles.iter().find(|t| t.place == place)
        {
            self.preferences.remember_clip(&tile.name);
        }
        if let Command::Sweep(_) = command {
            // What is found shows in this order only.
            self.query.order = ShelfOrder::Worst;
            self.refill_shelf();
        }
        let changes = self.studio.apply(command);
        self.take(changes);
    }

    /// Does what was asked for by name.
    pub fn user(&mut self, command: UserCommand, ctx: &egui::Context) {
        use {ColliderCommand as K, ToolCommand as T, UserCommand as C};
        let collider = |c| Some(Command::Collider(c));
        let play = |p| Some(Command::Play(p));
        let file = |f| Some(Command::File(f));
        let tool = |t| Some(Command::Tool(t));
        let asked = match command {
            C::Undo => Some(Command::Undo),
            C::Redo => Some(Command::Redo),
            C::PlayPause => play(PlayCommand::Toggle),
            C::StepBack => play(PlayCommand::Step(-1)),
            C::StepForward => play(PlayCommand::Step(1)),
            C::LeapBack => play(PlayCommand::Step(-10)),
            C::LeapForward => play(PlayCommand::Step(10)),
            C::Rewind => play(PlayCommand::Rewind),
            C::RangeStart | C::RangeEnd | C::RangeClear => {
                play(PlayCommand::Range(self.range(command)))
            }
            C::ResetSprings => play(PlayCommand::ResetSprings),
            C::ToggleSprings => play(PlayCommand::ToggleSprings),
            C::ToggleInPlace => play(PlayCommand::ToggleInPlace),
            C::ToggleRepeat => play(PlayCommand::ToggleRepeat),
            C::ShowJoints => Some(Command::Toggle(Overlay::Joints)),
            C::ShowRegions => Some(Command::Toggle(Overlay::Regions)),
            C::ShowChains => Some(Command::Toggle(Overlay::Chains)),
            C::ShowNames => Some(Command::Toggle(Overlay::JointNames)),
            C::ShowExtent => Some(Command::Toggle(Overlay::Extent)),
            C::ShowColliders => Some(Command::Toggle(Overlay::Colliders)),
            C::ShowFloor => Some(Command::Toggle(Overlay::Floor)),
            C::ShowBehind => Some(Command::Toggle(Overlay::Behind)),
            C::HoldPeak => Some(Command::Toggle(Overlay::PeakHold)),
            C::ShowOutlines => Some(Command::Toggle(Overlay::Outlines)),
            C::ShowHairOutlines => Some(Command::Toggle(Overlay::HairOutlines)),
            // Asked for again, skin is lit again.
            C::Shade(shade) if shade == self.studio.shade() => Some(Command::Shade(Shade::Lit)),
            C::Shade(shade) => Some(Command::Shade(shade)),
            C::Open => file(FileCommand::Ask(PathQuestion::Open)),
            C::AddClips => file(FileCommand::Ask(PathQuestion::AddClips)),
            C::Save => file(FileCommand::Save),
            C::SaveAs => file(FileCommand::Ask(PathQuestion::SaveProject(self.studio.suggested()))),
            C::SaveScript => {
                file(FileCommand::Ask(PathQuestion::SaveScript(self.studio.suggested_script())))
            }
            C::Reload => file(FileCommand::Reload),
            C::Quit => file(FileCommand::Quit),
            C::NextDoubtful => Some(Command::NextDoubtful),
            C::SelectNone => tool(T::Escape),
            C::Tool(other) => tool(T::Use(other)),
            C::BrushSmaller => tool(T::Radius(self.studio.tool_panel().radius / 1.2)),
            C::BrushLarger => tool(T::Radius(self.studio.tool_panel().radius * 1.2)),
            C::MirrorMarks => tool(T::ToggleMirror),
            C::ReachThrough => tool(T::ToggleThrough),
            C::GrowMarks => tool(T::Grow),
            C::ShrinkMarks => tool(T::Shrink),
            C::NewRegion => tool(T::NewRegion),
            C::SplitRegion => tool(T::SplitRegion),
            C::MergeRegions => tool(T::MergeRegions),
            C::UnmakeRegion if self.selected_collider().is_some() => collider(K::Remove),
            C::UnmakeRegion => tool(T::UnmakeRegion),
            C::AddSphere => collider(K::Add(NewCollider::Sphere)),
            C::AddCapsule => collider(K::Add(NewCollider::Capsule)),
            C::MirrorCollider => collider(K::Mirror),
            C::FitCollider => collider(K::Fit),
            C::RestoreCollider => collider(K::Restore),
            C::HideMesh | C::SoloMesh => self.hiding(command),
            C::ShowMeshes => {
                self.apply(Command::Collider(K::ShowAll));
                Some(Command::ShowMeshes)
            }
            C::RigWorkspace => Some(Command::Workspace(Workspace::Rig)),
            C::HairWorkspace => Some(Command::Workspace(Workspace::Hair)),
            C::MotionWorkspace => Some(Command::Workspace(Workspace::Motion)),
            C::EditRetargetPose => Some(Command::Posing(PosingCommand::Open)),
            C::CompareWorkspace => Some(Command::Workspace(Workspace::Compare)),
            C::SplitView => Some(Command::ToggleSplit),
            C::ExportWorkspace => Some(Command::Workspace(Workspace::Export)),
            C::Export if self.studio.workspace() == Workspace::Export => {
                Some(Command::Export(ExportCommand::Run { replace: false }))
            }
            C::Export => Some(Command::Workspace(Workspace::Export)),
            _ => None,
        };
        match (asked, command) {
            (Some(command), _) => self.apply(command),
            (None, C::ToggleTheme) => self.toggle_theme(ctx),
            (None, C::Palette) => self.palette = Some(Palette::default()),
            (None, C::ToggleLibrary) => self.toggle_panel(PanelKind::Library),
            (None, C::ResetLayout) => self.docks.reset(self.studio.workspace()),
            (None, C::HoldBefore) => {}
            (None, C::Preferences) => self.settings.is_open = !self.settings.is_open,
            (None, C::KeySheet) => self.shows_keys = !self.shows_keys,
            (None, C::History) => self.shows_history = !self.shows_history,
            (None, C::Rename) => self.start_renaming(),
            (None, C::HideMesh | C::SoloMesh) => {
                self.studio.notice(NoticeKind::Info, "Select a mesh, a region or a collider first");
            }
            (None, view) => self.look(view),
        }
    }

    /// Closes a window that stands before the panels; whether there was one.
    fn close_window(&mut self) -> bool {
        let windows = [&mut self.settings.is_open, &mut self.shows_keys, &mut self.shows_history];
        let front = windows.into_iter().find(|is_open| **is_open);
        front.map(|is_open| *is_open = false).is_some()
    }

    /// The part that plays, from or to the moment that is shown: to the clip's end, or from its start, where that moment
    /// lies beyond the other end of the part.
    fn range(&self, command: UserCommand) -> Option<[f64; 2]> {
        let transport = self.studio.transport();
        let (now, all) = (transport.secs, [0.0, transport.duration_secs?]);
        let [from, to] = transport.range_secs.unwrap_or(all);
        match command {
            UserCommand::RangeStart => Some([now, if now < to { to } else { all[1] }]),
            UserCommand::RangeEnd => Some([if now > from { from } else { all[0] }, now]),
            _ => None,
        }
    }

    fn look(&mut self, command: UserCommand) {
        let all = self.studio.scene().bounds;
        match command {
            UserCommand::FrameSelection => {
                if let Some(bounds) = self.studio.selection_bounds().or(all) {
                    self.viewport.frame(&bounds);
                }
            }
            UserCommand::FrameAll => {
                if let Some(bounds) = all {
                    self.viewport.frame(&bounds);
                }
            }
            UserCommand::ViewFront => self.viewport.look_from(ViewDirection::Front),
            UserCommand::ViewBack => self.viewport.look_from(ViewDirection::Back),
            UserCommand::Turntable => self.viewport.toggle_turntable(),
            UserCommand::ViewSide => self.viewport.look_from(ViewDirection::Side),
            UserCommand::ViewTop => self.viewport.look_from(ViewDirection::Top),
            _ => self.viewport.toggle_orthographic(),
        }
    }

    fn toggle_theme(&mut self, ctx: &egui::Context) {
        self.preferences.theme = match self.preferences.theme {
            ThemeChoice::Dark => ThemeChoice::Light,
            ThemeChoice::Light => ThemeChoice::Dark,
        };
        self.follow_preferences(ctx);
    }

    /// Brings theme, sizes, keys, camera and safety up to the preferences.
    fn follow_preferences(&mut self, ctx: &egui::Context) {
        let preferences = &self.preferences;
        if let Ok(theme) = Theme::load(preferences.theme) {
            self.theme = theme;
        }
        self.theme.apply(ctx, preferences.text_scale);
        ctx.set_zoom_factor(preferences.ui_scale);
        self.viewport.navigation = preferences.navigation;
        let keymap = Keymap::new(preferences.keys.clone());
        self.studio.keymap = keymap.clone();
        keys::put(ctx, keymap);
        let folder = self.keep.as_deref().and_then(Path::parent);
        if folder.is_some() && preferences.autosave != self.studio.keeps_unsaved() {
            self.studio.keep_unsaved(folder.filter(|_| preferences.autosave));
        }
    }

    /// Paths that were asked for, the title, and the wish to leave.
    fn files(&mut self, ctx: &egui::Context) {
        for question in self.studio.take_path_questions() {
            self.desk.ask(question, self.dialogs.as_ref(), ctx);
        }
        if let Some(command) = self.desk.answer() {
            self.apply(command);
        }
        self.studio.set_camera(self.viewport.place());
        let title = self.studio.title();
        if title != self.title {
            let shown =
                if title.is_empty() { "Tailbone".into() } else { format!("{title} – Tailbone") };
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(shown));
            self.title = title;
        }
        let is_closing = ctx.input(|i| i.viewport().close_requested());
        if is_closing && !self.studio.is_leaving() {
            self.apply(Command::File(FileCommand::Quit));
        }
        if is_closing && !self.studio.is_leaving() {
            // There is a question first.
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
        } else if self.studio.is_leaving() && !is_closing {
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }

    /// What workers, dialogs and the user's hands have brought since the last frame.
    fn gather(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        let paths = dropped.into_iter().map(|file| file.path().display().to_string());
        let paths: Vec<String> = paths.filter(|path| !path.is_empty()).collect();
        if !paths.is_empty() {
            self.apply(Command::Drop(paths));
        }
        self.files(ctx);
        let changes = self.studio.poll();
        self.take(changes);
        for file in self.studio.take_opened_files() {
            // Who has opened a file of their own needs no more guidance.
            self.preferences.show_card &= file.starts_with("sample:");
            self.preferences.remember(&file);
        }
        // Keys that are pressed during a drag are the drag's.
        let is_held = self.hand.is_busy() || self.turn_hand.is_busy();
        let drags = is_held && ctx.input(|i| i.pointer.any_down());
        let is_busy = self.studio.question().is_some() || self.desk.has_field() || drags;
        if self.palette.is_none() && !is_busy && !self.settings.wants_key() {
            // The window in front has Escape first, what is selected behind it comes next.
            let is_closing = keys::escaped(ctx) && self.close_window();
            for command in keys::pressed(ctx) {
                if !(is_closing && command == UserCommand::SelectNone) {
                    self.user(command, ctx);
                }
            }
        }
        let dt = ctx.input(|i| i.stable_dt);
        if self.studio.tick(f64::from(dt)).any()
            && let Some(panel) = &mut self.panels.springs
        {
            panel.trace = self.studio.trace_lines();
        }
        for fault in view::take_faults() {
            self.studio.notice(NoticeKind::Warning, fault);
        }
        if self.studio.is_playing() || view::wants_more() {
            ctx.request_repaint();
        }
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        let start = Instant::now();
        self.gather(&ctx);
        let gathered = Instant::now();
        let mut asked = Asked::default();
        self.places(ui, &mut asked);
        keys::sheet_ui(&ctx, &mut self.shows_keys, &self.theme);
        if self.shows_history {
            let (labels, n_done) = self.studio.steps();
            let steps = (labels.as_slice(), n_done);
            history_ui(&ctx, &mut self.shows_history, steps, &self.theme, &mut asked);
        }
        if let Some(palette) = &mut self.palette {
            let find = |typed: &str| self.studio.palette(typed, MOST_LINES);
            if !palette_ui(&ctx, palette, find, &self.theme, &mut asked) {
                self.palette = None;
            }
        }
        if self.settings.is_open && self.settings.show(&ctx, &mut self.preferences, &self.theme) {
            self.follow_preferences(&ctx);
        }
        self.desk.show(&ctx, self.studio.question(), &self.theme, &mut asked);
        let any = !asked.commands.is_empty() || !asked.by_name.is_empty();
        asked.commands.into_iter().for_each(|command| self.apply(command));
        asked.by_name.into_iter().for_each(|command| self.user(command, &ctx));
        if any {
            // What was asked for shows in the next frame.
            ctx.request_repaint();
        }
        let ms = |from: Instant, to: Instant| (to - from).as_secs_f32() * 1e3;
        let spent = [ms(start, gathered), ms(gathered, Instant::now())];
        if self.studio.evaluated().is_some() {
            self.times.shown();
        }
        self.times.drawn(view::take_drawing_ms());
        self.times.add(spent, self.studio.is_playing());
        if let Some(report) = self.times.report() {
            println!("{report}");
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }

    fn save(&mut self, _storage: &mut dyn eframe::Storage) {
        self.preferences.layouts = self.docks.texts();
        if let Some(path) = &self.keep
            && let Err(error) = self.preferences.save(path)
        {
            log::warn!("preferences could not be written to {}: {error}", path.display());
        }
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.studio.keep_session();
        view::detach();
    }
}

/// Whether there is a display to open a window on.
pub fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// Where there is no display or no OpenGL: what the system says.
pub fn run(file: Option<String>) -> Result<(), eframe::Error> {
    let started = Instant::now();
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Tailbone")
            .with_inner_size([1440.0, 900.0])
            .with_min_inner_size([960.0, 600.0]),
        depth_buffer: 24,
        multisampling: 4,
        renderer: eframe::Renderer::Glow,
        ..eframe::NativeOptions::default()
    };
    let preferences = eframe::storage_dir("tailbone").map(|d| d.join("preferences.ron"));
    // The first start shows something that moves.
    let file = file.or_else(|| Some("sample:fox".to_owned()));
    let launch = Launch { file, preferences, started: Some(started) };
    eframe::run_native("tailbone", options, Box::new(|cc| Ok(Box::new(App::new(cc, launch)?))))
}
