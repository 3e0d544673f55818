//! The Hair workspace's trials: the head-turn test, both rules side by side, and the measures of each.

use std::sync::Arc;

use glam::Vec3;

use crate::measure::{HEAD_TURN_SECS, HairMeasureInput, HairMeasurement, head_turn, measure_hair};
use crate::model::{HairSettings, NodeIndex, Rigged, Role};
use crate::studio::command::{Changes, PlayCommand};
use crate::studio::compare::hair_numbers;
use crate::studio::jobs::JobKind;
use crate::studio::notices::NoticeKind;
use crate::studio::playback::Playback;
use crate::studio::scene::Bounds;
use crate::studio::state::{Outcome, Studio};
use crate::studio::{Pane, Way, Workspace};
use crate::work::{Stopped, Work};

impl Studio {
    pub(super) fn play_head_turn(&mut self) -> Changes {
        let Some(open) = &self.open else { return Changes::NONE };
        let Some(clip) = head_turn(&open.evaluated.rigged) else {
            return self.notice(NoticeKind::Warning, "There is no head to turn");
        };
        let changes = self.put_on(Some(Arc::new(clip)));
        if !self.is_playing() {
            self.play(PlayCommand::Toggle);
        }
        changes
    }

    /// Brings the second pane and the measures up to what is played and decided.
    pub(in crate::studio) fn follow_hair(&mut self) {
        let at_end = self.at_end();
        let both = self.open.as_ref().zip(self.playback.as_ref());
        self.hair.earlier = both.filter(|_| self.hair.is_compared).map(|(open, now)| {
            let control = Arc::new(control(&open.evaluated.rigged));
            Playback::ending(control, now.clip().cloned(), at_end).resumed_at(now)
        });
        if self.workspace == Workspace::Hair {
            self.measure_hair();
        }
    }

    /// Runs the head-turn test under both rules on a worker.
    fn measure_hair(&mut self) {
        let Some(open) = &self.open else { return };
        let rigged = open.evaluated.rigged.clone();
        let is_known = self.hair.measured.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, &rigged));
        if is_known || !rigged.chains.iter().any(|c| c.hair.is_some() && c.is_driven) {
            return;
        }
        self.start(JobKind::Hair, move |work| {
            let result = both(&rigged, work).map(|found| found.map(Box::new));
            Outcome::HairMeasured { of: rigged, result }
        });
    }

    pub(in crate::studio) fn take_hair(
        &mut self,
        of: Arc<Rigged>,
        result: Result<Option<Box<[HairMeasurement; 2]>>, Stopped>,
    ) -> Changes {
        if let Ok(Some(found)) = result {
            self.hair.measured = Some((of, *found));
        }
        Changes::DOCUMENT
    }

    /// The head-turn test in numbers, improved and earlier; `None` where they are of other decisions.
    pub(super) fn measured_now(&self) -> Option<&[HairMeasurement; 2]> {
        let (of, found) = self.hair.measured.as_ref()?;
        let open = self.open.as_ref()?;
        Arc::ptr_eq(of, &open.evaluated.rigged).then_some(found)
    }

    /// Both rules side by side; none while they are not.
    pub fn hair_panes(&self) -> Vec<Pane> {
        let (Some(_), Some(earlier)) = (&self.playback, &self.hair.earlier) else {
            return Vec::new();
        };
        let numbers = |i: usize| self.measured_now()?.get(i).map(hair_numbers);
        let mut before = self.scene.clone();
        before.world = earlier.world().clone();
        before.lines.clear();
        before.bones.clear();
        vec![
            Pane { way: Way::Earlier, scene: before, numbers: numbers(1) },
            Pane { way: Way::Improved, scene: self.scene.clone(), numbers: numbers(0) },
        ]
    }

    /// The head and all hair, with some room around: what a close-up shows.
    pub fn hair_bounds(&self) -> Option<Bounds> {
        let rigged = self.playback.as_ref()?.rigged();
        let at = |n: NodeIndex| Vec3::from(self.scene.world.matrix(n).translation);
        let head = at(rigged.humanoid.node(Role::Head)?);
        let height_m = rigged.body.height_m;
        // A head is about an eighth of a body; its joint stands at its lower end.
        let (up, room) = (Vec3::Y * 0.15 * height_m, Vec3::splat(0.06 * height_m));
        let hair = rigged.chains.iter().filter(|c| c.hair.is_some());
        let joints = hair.flat_map(|c| c.joints.iter().map(|&j| at(j)));
        let all = Bounds::of(joints.chain([head, head + up]))?;
        Some(Bounds { low: all.low - room, high: all.high + room })
    }
}

/// The same hair as it was: the earlier rule, the artist's colliders alone.
fn control(rigged: &Rigged) -> Rigged {
    let mut control = rigged.clone();
    if let Some(vrm) = &rigged.character.vrm {
        for (now, authored) in control.colliders.iter_mut().zip(&vrm.colliders) {
            // A hand may have put it on another joint.
            now.clone_from(authored);
        }
    }
    let n_authored = rigged.character.vrm.as_ref().map_or(0, |vrm| vrm.colliders.len());
    for strand in control.chains.iter_mut().filter_map(|c| c.hair.as_mut()) {
        strand.settings = HairSettings::EARLIER;
        strand.colliders.retain(|c| c.index() < n_authored);
    }
    control
}

fn both(rigged: &Arc<Rigged>, work: &Work) -> Result<Option<[HairMeasurement; 2]>, Stopped> {
    let Some(clip) = head_turn(rigged) else { return Ok(None) };
    let run = |rigged: &Arc<Rigged>| {
        let input = HairMeasureInput { rigged, clip: &clip, seconds: HEAD_TURN_SECS, rate_hz: 30 };
        measure_hair(&input, work)
    };
    Ok(Some([run(rigged)?, run(&Arc::new(control(rigged)))?]))
}
