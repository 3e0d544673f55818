//! Floor 12: the window: frames to ticks, keys to commands, panels to their places.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::studio::{
    Changes, CharacterPanel, Command, LibraryLook, NoticeKind, Outliner, Overlay, PlayCommand,
    Preferences, RegionPanel, Selection, Shelf, ShelfHabits, ShelfQuery, SpringPanel, Studio,
    ThemeChoice, UserCommand, Workspace,
};
use crate::ui::dialogs::{FileDialogs, Native};
use crate::ui::palette::{MOST_LINES, Palette, palette_ui};
use crate::ui::theme::Theme;
use crate::ui::viewport::ViewportState;
use crate::ui::{Asked, keys};
use crate::view::{self, ViewDirection};

mod places;

/// How the window is opened.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// What to open first.
    pub file: Option<String>,
    /// Where preferences are kept; nowhere in tests.
    pub preferences: Option<PathBuf>,
}

/// Panels as they were last worked out.
#[derive(Default)]
struct Panels {
    outliner: Outliner,
    region: Option<RegionPanel>,
    character: Option<CharacterPanel>,
    springs: Option<SpringPanel>,
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
    filter: String,
    query: ShelfQuery,
    palette: Option<Palette>,
    shows_keys: bool,
    answer: Option<Receiver<PathBuf>>,
    keep: Option<PathBuf>,
    samples: Vec<(&'static str, &'static str)>,
}

impl App {
    /// The window's contents, in a window that eframe made.
    ///
    /// # Errors
    /// Where a theme that was built in cannot be read.
    pub fn new(
        cc: &eframe::CreationContext<'_>,
        launch: Launch,
    ) -> Result<Self, ron::error::SpannedError> {
        let (preferences, fault) =
            launch.preferences.as_deref().map(Preferences::load).unwrap_or_default();
        let theme = Theme::load(preferences.theme)?;
        cc.egui_ctx.set_fonts(Theme::fonts());
        theme.apply(&cc.egui_ctx);
        cc.egui_ctx.set_zoom_factor(preferences.ui_scale);
        let wake = cc.egui_ctx.clone();
        let mut studio = Studio::new(Arc::new(move || wake.request_repaint()));
        if let Some(fault) = fault {
            studio.notice(NoticeKind::Warning, fault);
        }
        let mut viewport = ViewportState::default();
        if let Some(gl) = &cc.gl {
            match view::attach(gl.clone()) {
                Ok(()) => viewport.has_gpu = true,
                Err(error) => {
                    studio.notice(NoticeKind::Error, format!("No 3D view: {error}"));
                }
            }
        }
        if let Some(file) = launch.file {
            studio.apply(Command::Open(file));
        }
        Ok(Self {
            studio,
            preferences,
            dialogs: Box::new(Native),
            theme,
            viewport,
            panels: Panels::default(),
            filter: String::new(),
            query: ShelfQuery::default(),
            palette: None,
            shows_keys: false,
            answer: None,
            keep: launch.preferences,
            samples: crate::studio::samples(),
        })
    }

    fn take(&mut self, changes: Changes) {
        if changes.has(Changes::DOCUMENT) || changes.has(Changes::SELECTION) {
            self.panels.outliner = self.studio.outliner();
            self.panels.region = self.studio.region_panel();
            self.panels.character = self.studio.character_panel();
            self.refill_shelf();
        }
        if changes.any() {
            self.panels.springs = self.studio.spring_panel();
        }
        if changes.has(Changes::FRAMING)
            && let Some(bounds) = self.studio.scene().bounds
        {
            self.viewport.jump_to(&bounds);
        }
    }

    fn refill_shelf(&mut self) {
        let Preferences { favourites, recent_clips, .. } = &self.preferences;
        let habits = ShelfHabits { favourites, recent: recent_clips };
        self.panels.shelf = self.studio.shelf(&self.query, habits);
    }

    fn apply(&mut self, command: Command) {
        if let Command::Play(PlayCommand::Clip(Some(place))) = command
            && let Some(tile) = self.panels.shelf.tiles.iter().find(|t| t.place == place)
        {
            self.preferences.remember_clip(&tile.name);
        }
        let changes = self.studio.apply(command);
        self.take(changes);
    }

    /// Does what was asked for by name.
    pub fn user(&mut self, command: UserCommand, ctx: &egui::Context) {
        use UserCommand as C;
        let play = |p| Some(Command::Play(p));
        let asked = match command {
            C::Undo => Some(Command::Undo),
            C::Redo => Some(Command::Redo),
            C::PlayPause => play(PlayCommand::Toggle),
            C::StepBack => play(PlayCommand::Step(-1)),
            C::StepForward => play(PlayCommand::Step(1)),
            C::LeapBack => play(PlayCommand::Step(-10)),
            C::LeapForward => play(PlayCommand::Step(10)),
            C::Rewind => play(PlayCommand::Rewind),
            C::ResetSprings => play(PlayCommand::ResetSprings),
            C::ToggleSprings => play(PlayCommand::ToggleSprings),
            C::ShowJoints => Some(Command::Toggle(Overlay::Joints)),
            C::ShowRegions => Some(Command::Toggle(Overlay::Regions)),
            C::ShowChains => Some(Command::Toggle(Overlay::Chains)),
            C::ShowXRay => Some(Command::Toggle(Overlay::XRay)),
            C::NextDoubtful => Some(Command::NextDoubtful),
            C::SelectNone => Some(Command::Select(Selection::None)),
            C::RigWorkspace => Some(Command::Workspace(Workspace::Rig)),
            C::MotionWorkspace => Some(Command::Workspace(Workspace::Motion)),
            C::CompareWorkspace => Some(Command::Workspace(Workspace::Compare)),
            _ => None,
        };
        match (asked, command) {
            (Some(command), _) => self.apply(command),
            (None, C::Open) => self.answer = Some(self.dialogs.open_character(ctx.clone())),
            (None, C::ToggleTheme) => self.toggle_theme(ctx),
            (None, C::Palette) => self.palette = Some(Palette::default()),
            (None, C::ToggleLibrary) => {
                self.preferences.library = match self.preferences.library {
                    LibraryLook::Closed => LibraryLook::Strip,
                    _ => LibraryLook::Closed,
                };
            }
            (None, C::KeySheet) => self.shows_keys = !self.shows_keys,
            (None, view) => self.look(view),
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
        if let Ok(theme) = Theme::load(self.preferences.theme) {
            theme.apply(ctx);
            self.theme = theme;
        }
    }

    /// What workers, dialogs and the user's hands have brought since the last frame.
    fn gather(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        let mut paths = dropped.into_iter().map(|file| file.path().to_path_buf());
        if let Some(path) = paths.find(|p| !p.as_os_str().is_empty()) {
            self.apply(Command::Open(path.display().to_string()));
        }
        if let Some(path) = self.answer.as_ref().and_then(|a| a.try_recv().ok()) {
            self.answer = None;
            self.apply(Command::Open(path.display().to_string()));
        }
        let changes = self.studio.poll();
        self.take(changes);
        for file in self.studio.take_opened_files() {
            // Who has opened a file of their own needs no more guidance.
            self.preferences.show_card &= file.starts_with("sample:");
            self.preferences.remember(&file);
        }
        if self.palette.is_none() {
            for command in keys::pressed(ctx) {
                self.user(command, ctx);
            }
        }
        let dt = ctx.input(|i| i.stable_dt);
        self.studio.tick(f64::from(dt));
        if self.studio.is_playing() {
            ctx.request_repaint();
        }
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.gather(&ctx);
        let mut asked = Asked::default();
        self.places(ui, &mut asked);
        keys::sheet_ui(&ctx, &mut self.shows_keys, &self.theme);
        if let Some(palette) = &mut self.palette {
            let lines = self.studio.palette(&palette.typed, MOST_LINES);
            if !palette_ui(&ctx, palette, &lines, &self.theme, &mut asked) {
                self.palette = None;
            }
        }
        let any = !asked.commands.is_empty() || !asked.by_name.is_empty();
        asked.commands.into_iter().for_each(|command| self.apply(command));
        asked.by_name.into_iter().for_each(|command| self.user(command, &ctx));
        if any {
            // What was asked for shows in the next frame.
            ctx.request_repaint();
        }
    }

    fn save(&mut self, _storage: &mut dyn eframe::Storage) {
        if let Some(path) = &self.keep
            && let Err(error) = self.preferences.save(path)
        {
            log::warn!("preferences could not be written to {}: {error}", path.display());
        }
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
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
    let launch = Launch { file, preferences };
    eframe::run_native("tailbone", options, Box::new(|cc| Ok(Box::new(App::new(cc, launch)?))))
}
