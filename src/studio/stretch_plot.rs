//! Stretch of the selected region's skin beside the body's while it plays, for the plot over its sliders.

use std::sync::Arc;

use super::command::Changes;
use super::jobs::JobKind;
use super::state::{Outcome, Studio};
use super::workspace::Workspace;
use crate::measure::{Edges, LiveDetail, LiveStretch};
use crate::model::{NodeIndex, RegionId, Rigged, Role};

/// Time between two readings, seconds: the eye follows no more, and each costs as much as the springs of many frames.
const BETWEEN_SECS: f64 = 0.04;

/// What is read: a rig, and the region that is selected on it.
#[derive(Clone)]
pub(super) struct Plotted {
    of: Arc<Rigged>,
    region: RegionId,
}

impl Plotted {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of, &other.of) && self.region == other.region
    }
}

/// Reads 99th percentiles off poses.
#[derive(Default)]
pub(super) struct StretchPlot {
    live: Option<(Plotted, Box<LiveStretch>)>,
    waited_secs: f64,
}

impl Studio {
    /// The region whose stretch is plotted, on the rig that plays; none where its sliders have no place.
    fn plotted(&self) -> Option<Plotted> {
        if !matches!(self.workspace, Workspace::Rig | Workspace::Motion) {
            return None;
        }
        let region = self.selected_region()?.id;
        self.tuned_chain()?;
        Some(Plotted { of: self.playback.as_ref()?.rigged().clone(), region })
    }

    /// Stretch of the pose that is shown, where it is time for a reading: the region's, the body's. A worker makes ready
    /// what is read; until then there is none.
    pub(super) fn read_stretch(&mut self, dt_secs: f64) -> Option<[f32; 2]> {
        let wanted = self.plotted()?;
        self.stretch_plot.waited_secs += dt_secs;
        if self.stretch_plot.waited_secs < BETWEEN_SECS {
            return None;
        }
        self.stretch_plot.waited_secs = 0.0;
        if !self.stretch_plot.live.as_ref().is_some_and(|(of, _)| of.is(&wanted)) {
            self.stretch_plot.live = None;
            self.start_plot(wanted);
            return None;
        }
        let world = self.playback.as_ref()?.world().clone();
        let (of, live) = self.stretch_plot.live.as_mut()?;
        let hips: NodeIndex = of.of.humanoid.node(Role::Hips).unwrap_or_default();
        let reading = live.read(&world, world.matrix(hips).translation.into());
        Some([reading.regions.first()?.p99, reading.body.p99])
    }

    fn start_plot(&mut self, wanted: Plotted) {
        let Some(region) = self.selected_region().filter(|_| !self.jobs.runs(JobKind::Plot)) else {
            return;
        };
        let vertices = region.vertices.clone();
        self.start(JobKind::Plot, move |_| {
            let rigged = &wanted.of;
            let height_m = rigged.body.height_m;
            let edges =
                Edges::of(&rigged.character, &rigged.bind, height_m, &[vertices.as_slice()]);
            let live = LiveStretch::new(&rigged.character, &edges, LiveDetail::Plot);
            Outcome::Plot(wanted, Box::new(live))
        });
    }

    /// Takes what a worker has made ready; what is no longer wanted is made anew at the next reading.
    pub(super) fn take_plot(&mut self, of: Plotted, live: Box<LiveStretch>) -> Changes {
        self.stretch_plot.live = Some((of, live));
        Changes::NONE
    }
}
