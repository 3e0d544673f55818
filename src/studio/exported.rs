//! The exported file in the viewport: read back as any program reads it, its keys played with physics off.

use std::path::Path;
use std::sync::Arc;

use super::outlines::without_outline;
use super::playback::Playback;
use super::scene::{Scene, posed_bounds};
use super::state::{Studio, chain};
use crate::detect::roles;
use crate::io::read_bytes_as_is;
use crate::model::{BindPose, BodyMeasures, Character, Clip, Rigged, Role};
use crate::work::Work;

/// What was written, as it plays.
pub(super) struct ExportedView {
    playback: Playback,
    scene: Scene,
    clips: Vec<Arc<Clip>>,
}

impl ExportedView {
    /// Reads a file back. `None` where it holds nothing to see: clips alone.
    ///
    /// # Errors
    /// Where it cannot be read: why, in words.
    pub(super) fn read(
        (bytes, file): (Vec<u8>, &Path),
        (wanted, body): (&[String], BodyMeasures),
        work: &Work,
    ) -> Result<Option<Box<Self>>, String> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let source =
            read_bytes_as_is(bytes, &name, file.parent(), work).map_err(|error| chain(&error))?;
        let characters = source.characters.into_iter();
        let Some(character) = characters.max_by_key(|c| c.skeleton.len()) else { return Ok(None) };
        if character.meshes.is_empty() {
            return Ok(None);
        }
        let clips: Vec<Arc<Clip>> =
            character.clips.iter().filter(|c| wanted.contains(&c.name)).cloned().collect();
        let Some(first) = clips.first().cloned() else { return Ok(None) };
        let playback = play(character, body, first);
        Ok(Some(Box::new(Self { scene: scene_of(&playback), playback, clips })))
    }

    /// Another of its clips, where it holds one of that name.
    fn choose(&mut self, name: &str) {
        let is_it = |clip: &&Arc<Clip>| clip.name == name;
        let Some((place, clip)) = self
            .clips
            .iter()
            .enumerate()
            .find(|(_, clip)| is_it(clip))
            .map(|(i, c)| (i, c.clone()))
        else {
            return;
        };
        let fresh = Playback::new(self.playback.rigged().clone(), Some((place, clip)));
        self.playback = fresh.with_habits_of(&self.playback);
        self.show_pose();
    }

    /// What the transport drives.
    pub(super) fn playback(&mut self) -> &mut Playback {
        &mut self.playback
    }

    /// Shows lines round its materials, and round hair, or not.
    pub(super) fn show_outlines(&mut self, shown: [bool; 2]) {
        self.scene.without_outline = without_outline(self.playback.rigged(), shown);
    }

    fn show_pose(&mut self) {
        self.scene.world = self.playback.world().clone();
        self.scene.morphs = self.playback.morphs().clone();
    }
}

/// The keys alone: no chain is driven.
fn play(character: Character, body: BodyMeasures, clip: Arc<Clip>) -> Playback {
    let humanoid = roles::humanoid(&character);
    let bind = BindPose::of(&character, humanoid.node(Role::Hips));
    let rigged = Rigged { bind, humanoid, body, character, ..Rigged::default() };
    Playback::new(Arc::new(rigged), Some((0, clip)))
}

fn scene_of(playback: &Playback) -> Scene {
    let rigged = playback.rigged();
    Scene {
        character: Arc::new(rigged.character.clone()),
        world: playback.world().clone(),
        morphs: playback.morphs().clone(),
        bounds: posed_bounds(&rigged.character, playback.world()),
        floor_m: rigged.body.floor_m,
        ..Scene::default()
    }
}

impl Studio {
    /// The exported file as it plays now; `None` where the document itself is shown.
    pub fn exported_scene(&self) -> Option<&Scene> {
        self.exported.as_ref().map(|view| &view.scene)
    }

    /// Shows what was written in the document's place, playing where that plays; `None` goes back.
    pub(super) fn show_exported(&mut self, view: Option<Box<ExportedView>>) {
        self.exported = view;
        let outlines = self.outlines_shown();
        if let (Some(view), Some(now)) = (&mut self.exported, &self.playback) {
            view.show_outlines(outlines);
            view.playback.set_speed(now.speed());
            if now.is_playing() {
                view.playback.toggle();
            }
        }
    }

    /// Shows the clip at a place of the library as it was written, where the exported file is shown.
    pub(super) fn choose_exported(&mut self, place: usize) {
        let name = self.written_name(place);
        if let (Some(view), Some(name)) = (&mut self.exported, name) {
            view.choose(&name);
        }
    }

    /// Time passes for the exported file too, where it is shown. Whether it moved.
    pub(super) fn tick_exported(&mut self, dt_secs: f64) -> bool {
        let Some(view) = &mut self.exported else { return false };
        let moved = view.playback.tick(dt_secs);
        if moved {
            view.show_pose();
        }
        moved
    }

    /// Brings the exported file to the moment that its transport is at.
    pub(super) fn show_exported_pose(&mut self) {
        if let Some(view) = &mut self.exported {
            view.show_pose();
        }
    }
}
