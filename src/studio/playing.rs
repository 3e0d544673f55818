//! What plays: clips on the character, worked out on workers; the tiles of the library, likewise.

use std::sync::Arc;

use super::command::{Changes, Command, PlayCommand};
use super::jobs::JobKind;
use super::notices::{NoticeAction, NoticeKind};
use super::opening::walk_place;
use super::playback::Playback;
use super::posing::PosingCommand;
use super::scene::Scene;
use super::state::{Outcome, Studio, chain};
use super::words;
use crate::bake::{RootPlacement, placed};
use crate::document::{Source, clip_on};
use crate::library::{ClipEntry, ClipSource};
use crate::model::{Clip, RetargetPoses};
use crate::perform::AtEnd;
use crate::work::Work;

/// Tiles of the library that are worked out at once: opening and playing must not wait for them.
const MOST_TILE_JOBS: usize = 1;

impl Studio {
    /// The clip at `place` of the library on this character, in its swing; worked out on a worker.
    fn performance(
        &self,
        place: usize,
    ) -> Option<impl FnOnce(&Work) -> Result<Box<Playback>, String> + Send + 'static> {
        let open = self.open.as_ref()?;
        let entry = open.library.entries().get(place).cloned()?;
        let (source, index) = (open.document.source().clone(), open.character as usize);
        let evaluated = open.evaluated.clone();
        let (in_place, at_end) = (self.in_place, self.at_end());
        Some(move |work: &Work| {
            let character = source.characters.get(index).ok_or("the character is gone")?;
            let clip = clip_on(character, &evaluated, &entry, work).map_err(|e| chain(&e))?;
            let rigged = evaluated.rigged;
            let clip = match in_place {
                true => Arc::new(placed(&rigged, &clip, RootPlacement::InPlace)),
                false => clip,
            };
            Ok(Box::new(Playback::ending(rigged, Some((place, clip)), at_end)))
        })
    }

    pub(super) fn at_end(&self) -> AtEnd {
        if self.holds_end { AtEnd::Hold } else { AtEnd::Repeat }
    }

    /// The clip that plays, made anew after a change of how clips are played.
    fn play_anew(&mut self) -> Changes {
        self.forget_tiles();
        let place = self.playback.as_ref().and_then(|p| p.clip()).map(|(place, _)| *place);
        place.map_or(Changes::SCENE, |place| self.start_clip(place).and(Changes::SCENE))
    }

    pub(super) fn start_clip(&mut self, place: usize) -> Changes {
        let (Some(perform), Some(open)) = (self.performance(place), &self.open) else {
            return Changes::NONE;
        };
        let Some(entry) = open.library.entries().get(place).cloned().map(Box::new) else {
            return Changes::NONE;
        };
        let (source, poses) = (open.document.source().clone(), open.evaluated.retarget.clone());
        self.start(JobKind::Clip, move |work| {
            let result = perform(work);
            Outcome::Clip { source, entry, poses, result }
        });
        Changes::NOTICES
    }

    pub(super) fn take_clip(
        &mut self,
        source: &Arc<Source>,
        entry: &ClipEntry,
        poses: &RetargetPoses,
        result: Result<Box<Playback>, String>,
    ) -> Changes {
        let resumes = std::mem::take(&mut self.posing.resumes);
        let at_end = self.at_end();
        let open = self.open.as_ref().filter(|o| Arc::ptr_eq(o.document.source(), source));
        let (Some(open), Some(playback)) = (open, self.playback.as_mut()) else {
            return Changes::NONE;
        };
        match result {
            Ok(mut fresh) => {
                // Libraries may have come or gone while the worker ran.
                let entries = open.library.entries();
                let Some(now) = entries.iter().position(|other| other.is_same(entry)) else {
                    return Changes::NONE;
                };
                fresh.relocate(now);
                let rigged = &open.evaluated.rigged;
                if !Arc::ptr_eq(fresh.rigged(), rigged) {
                    // Something was decided while the worker ran.
                    *fresh = Playback::ending(rigged.clone(), fresh.clip().cloned(), at_end);
                }
                let place = |p: &Playback| p.clip().map(|(place, _)| *place);
                *playback = match resumes && place(&fresh) == place(playback) {
                    true => fresh.resumed_at(playback),
                    false => fresh.with_habits_of(playback),
                };
                let is_overtaken = open.evaluated.retarget != *poses;
                self.posing.unmapped.take_if(|(wanted, _)| wanted.is_same(entry));
                self.follow_hair();
                self.reset_peaks();
                self.show_pose();
                self.start_measure();
                if is_overtaken {
                    // A hand went on while the worker ran.
                    self.follow_poses();
                } else {
                    self.restage();
                    self.go_to_worst(entry);
                }
                Changes::SCENE.and(Changes::DOCUMENT)
            }
            Err(why) => self.cannot_play(entry, &why),
        }
    }

    /// A clip cannot be played. One of a user's file is shown to whoever says who is who on its skeleton, and told of
    /// once; each time that it is tried again, what plays on follows the decisions in its stead.
    fn cannot_play(&mut self, entry: &ClipEntry, why: &str) -> Changes {
        let sentence = words::sentence(why);
        if !matches!(entry.source, ClipSource::Of(..)) {
            return self.notice(NoticeKind::Error, sentence);
        }
        // One whose library was taken away is no longer waited for.
        let waits_for = self.posing.unmapped.as_ref().filter(|_| self.unmapped_place().is_some());
        let is_known = waits_for.map(|(wanted, _)| wanted.is_same(entry));
        if is_known == Some(false) {
            // It plays on while another is waited for, as well as it can.
            return Changes::NONE;
        }
        self.posing.unmapped = Some((Box::new(entry.clone()), sentence.clone()));
        self.restage();
        let playing = self.playback.as_ref().and_then(|p| p.clip()).map(|(place, _)| *place);
        if is_known.is_some() && playing != self.unmapped_place() {
            self.retarget_anew(playing);
        }
        if is_known.is_some() && self.posing.is_open {
            return Changes::SCENE.and(Changes::DOCUMENT);
        }
        let open = Command::Posing(PosingCommand::Open);
        let actions = vec![NoticeAction::new("Say who is who…", open)];
        self.notices.add_with(NoticeKind::Error, sentence, actions);
        Changes::NOTICES.and(Changes::SCENE).and(Changes::DOCUMENT)
    }

    pub(super) fn forget_tiles(&mut self) {
        self.tiles.clear();
        self.failed_tiles.clear();
        self.jobs.cancel_all(|kind| matches!(kind, JobKind::Tile(_)));
    }

    /// These places of the library are in sight: their tiles come to life, a few at a time, in this order.
    pub fn want_tiles(&mut self, visible: &[usize]) {
        let missing = self.tiles.want(visible);
        for place in missing {
            let running = self.jobs.count(|kind| matches!(kind, JobKind::Tile(_)));
            if running >= MOST_TILE_JOBS {
                break;
            }
            let kind = JobKind::Tile(place);
            if self.jobs.runs(kind) || self.failed_tiles.contains_key(&place) {
                continue;
            }
            let Some(perform) = self.performance(place) else { continue };
            self.start(kind, move |work| Outcome::Tile { place, result: perform(work) });
        }
    }

    /// Up to `n` tiles to draw anew, those that have waited longest first: place in the library, and what it shows.
    pub fn next_tiles(&mut self, n: usize) -> Vec<(usize, Scene)> {
        let poses = self.tiles.next(n);
        let scene = |world| Scene {
            character: self.scene.character.clone(),
            bounds: self.scene.bounds,
            floor_m: self.scene.floor_m,
            hidden: self.hidden.clone(),
            without_outline: self.scene.without_outline.clone(),
            world,
            ..Scene::default()
        };
        poses.into_iter().map(|(place, world)| (place, scene(world))).collect()
    }
    pub(super) fn play(&mut self, play: PlayCommand) -> Changes {
        match play {
            PlayCommand::ToggleInPlace => {
                self.in_place = !self.in_place;
                return self.play_anew();
            }
            PlayCommand::ToggleRepeat => {
                self.holds_end = !self.holds_end;
                return self.play_anew();
            }
            PlayCommand::Walk => return self.walk(),
            PlayCommand::Clip(Some(place)) => {
                self.posing.unmapped = None;
                self.choose_exported(place);
                return self.start_clip(place);
            }
            PlayCommand::Clip(None) => {
                self.posing.unmapped = None;
                return self.put_on(None);
            }
            _ => {}
        }
        let beside = self.exported.as_mut().map(|view| view.playback());
        let all = self.playback.iter_mut().chain(beside).chain(&mut self.hair.earlier);
        all.for_each(|playback| playback.drive(play));
        self.show_pose();
        self.show_exported_pose();
        Changes::SCENE
    }

    /// Has the character walk, also from a pause.
    fn walk(&mut self) -> Changes {
        let place = self.open.as_ref().and_then(|open| walk_place(&open.library));
        let Some(place) = place else { return Changes::NONE };
        if !self.is_playing() {
            self.play(PlayCommand::Toggle);
        }
        self.play(PlayCommand::Clip(Some(place)))
    }

    /// Plays a clip that stands in no library, or none, on the character as it is decided now.
    pub(super) fn put_on(&mut self, clip: Option<Arc<Clip>>) -> Changes {
        let (Some(open), Some(old)) = (&self.open, &self.playback) else { return Changes::NONE };
        let clip = clip.map(|clip| (usize::MAX, clip));
        let fresh = Playback::ending(open.evaluated.rigged.clone(), clip, self.at_end());
        self.playback = Some(fresh.with_habits_of(old));
        self.follow_hair();
        self.reset_peaks();
        self.show_pose();
        self.start_measure();
        Changes::SCENE.and(Changes::DOCUMENT)
    }
}
