//! The clip that plays: a live performance, or one moment of the closed loop that a bake would record.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Affine3A;

use super::command::PlayCommand;
use super::scene::MorphWeights;
use crate::model::{Chain, Clip, NodeIndex, Pose, Rigged, SpringSettings, WorldPose};
use crate::motion::Readout;
use crate::perform::{
    AtEnd, BodyMotion, Performer, SettledPass, Stillness, TestMotion, TracksOnChains, why_still,
};
use crate::work::Work;

/// Frames that a step of the transport takes in a second.
const FRAMES_PER_SECOND: f64 = 30.0;

/// The longest time, in seconds, that one frame advances: after a hitch the motion is late, not torn.
const LONGEST_FRAME: f64 = 0.25;

/// Plays one clip of one character.
#[derive(Debug)]
pub struct Playback {
    performer: Performer,
    clip: Option<(usize, Arc<Clip>)>,
    is_playing: bool,
    has_springs: bool,
    speed: f32,
    /// The moment shown while scrubbing, in seconds of the clip; `None` while the performance is live.
    still_secs: Option<f64>,
    /// The part of the clip that plays round and round, in seconds; the whole clip without one.
    range_secs: Option<[f64; 2]>,
    /// The closed loop, once it was asked for; gone with every change of settings.
    settled: Option<SettledPass>,
    rotations: Vec<glam::Quat>,
    pose: Pose,
    world: Arc<WorldPose>,
    morphs: Arc<MorphWeights>,
    /// Weights of faces that are played by hand, by the name of the expression.
    faces: BTreeMap<String, f32>,
}

impl Playback {
    /// `clip`, with its place in a list, on the nodes of `rigged`, from its start, in the swing that it leads to.
    pub fn new(rigged: Arc<Rigged>, clip: Option<(usize, Arc<Clip>)>) -> Self {
        Self::ending(rigged, clip, AtEnd::Repeat)
    }

    /// The same, with a choice of what comes after the end.
    pub fn ending(rigged: Arc<Rigged>, clip: Option<(usize, Arc<Clip>)>, at_end: AtEnd) -> Self {
        let of = clip.as_ref().map(|(_, clip)| clip.as_ref());
        let motion = BodyMotion::new(rigged, of, TracksOnChains::default());
        let mut performer = Performer::new(motion, at_end);
        // Nobody cancels this work, so it cannot be stopped.
        let _ = performer.settle(&Work::default());
        let mut playback = Self {
            performer,
            clip,
            is_playing: false,
            has_springs: true,
            speed: 1.0,
            still_secs: None,
            range_secs: None,
            settled: None,
            rotations: Vec::new(),
            pose: Pose::default(),
            world: Arc::default(),
            morphs: Arc::default(),
            faces: BTreeMap::new(),
        };
        playback.refresh();
        playback
    }

    /// The same settings of the transport over another character or clip.
    #[must_use]
    pub fn with_habits_of(mut self, other: &Self) -> Self {
        self.is_playing = other.is_playing;
        self.has_springs = other.has_springs;
        self.speed = other.speed;
        self.faces.clone_from(&other.faces);
        self.refresh();
        self
    }

    /// The same, at the same moment of the same clip, and in the same part of it.
    #[must_use]
    pub fn resumed_at(mut self, other: &Self) -> Self {
        self.range_secs = other.range_secs;
        self.still_secs = other.still_secs;
        if !self.is_still() {
            self.performer.advance(other.secs());
        }
        self.with_habits_of(other)
    }

    /// Does what the transport is told, but for what needs another performance.
    pub fn drive(&mut self, play: PlayCommand) {
        match play {
            PlayCommand::Toggle => self.toggle(),
            PlayCommand::Step(frames) => self.step(frames),
            PlayCommand::Scrub(secs) => self.scrub(secs),
            PlayCommand::Range(range) => self.set_range(range),
            PlayCommand::Rewind => self.rewind(),
            PlayCommand::Speed(speed) => self.set_speed(speed),
            PlayCommand::ResetSprings => self.reset_springs(),
            PlayCommand::ToggleSprings => self.toggle_springs(),
            PlayCommand::Test(motion) => self.test(motion),
            PlayCommand::Clip(_)
            | PlayCommand::Walk
            | PlayCommand::ToggleInPlace
            | PlayCommand::ToggleRepeat => {}
        }
    }

    /// The clip, with its place in the list it was chosen from.
    pub fn clip(&self) -> Option<&(usize, Arc<Clip>)> {
        self.clip.as_ref()
    }

    /// The clip stands at another place of that list now.
    pub(super) fn relocate(&mut self, place: usize) {
        if let Some((known, _)) = &mut self.clip {
            *known = place;
        }
    }

    /// Whether time passes.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Whether springs drive the chains.
    pub fn has_springs(&self) -> bool {
        self.has_springs
    }

    /// How fast the clock runs; 1 is life.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// The part of the clip that plays round and round.
    pub fn range_secs(&self) -> Option<[f64; 2]> {
        self.range_secs
    }

    /// Plays a part of the clip round and round, from the closed loop: live springs would be torn back at its end.
    /// Less than a frame is none.
    pub fn set_range(&mut self, range: Option<[f64; 2]>) {
        let duration = self.duration_secs().unwrap_or(0.0);
        let inside = |t: f64| if t.is_finite() { t.clamp(0.0, duration) } else { 0.0 };
        let range = range.map(|[a, b]| [inside(a), inside(b)]);
        self.range_secs = range.filter(|[a, b]| b - a >= 1.0 / FRAMES_PER_SECOND);
        match self.range_secs {
            Some([a, b]) if !(a..=b).contains(&self.secs()) => self.still_secs = Some(a),
            Some(_) => self.still_secs = Some(self.secs()),
            None if self.is_playing => self.leave_still(),
            None => {}
        }
        self.refresh();
    }

    /// Whether the shown moment is one of the closed loop, not of the live performance.
    pub fn is_still(&self) -> bool {
        self.still_secs.is_some()
    }

    /// Length of the clip in seconds; `None` without a clip.
    pub fn duration_secs(&self) -> Option<f64> {
        self.performer.motion().clock().duration_secs()
    }

    /// Time of the clip that is shown, in seconds.
    pub fn secs(&self) -> f64 {
        self.still_secs.unwrap_or_else(|| self.performer.clip_secs())
    }

    /// The character.
    pub fn rigged(&self) -> &Arc<Rigged> {
        self.performer.motion().rigged()
    }

    /// Weights of the morph targets that the clip moves.
    pub fn morphs(&self) -> &Arc<MorphWeights> {
        &self.morphs
    }

    /// Where all nodes are.
    pub fn world(&self) -> &Arc<WorldPose> {
        &self.world
    }

    /// Chains that springs drive in this clip, by their places in the character.
    pub fn driven(&self) -> impl Iterator<Item = usize> + '_ {
        self.performer.motion().driven().iter().map(|d| d.chain)
    }

    /// Plays or pauses. A moment that was scrubbed to goes on as the live performance.
    pub fn toggle(&mut self) {
        self.is_playing = !self.is_playing;
        if self.is_playing && self.range_secs.is_none() {
            self.leave_still();
        }
    }

    /// From a moment of the closed loop on as the live performance.
    fn leave_still(&mut self) {
        if let Some(secs) = self.still_secs.take() {
            let _ = self.performer.settle(&Work::default());
            self.performer.advance(secs);
        }
    }

    /// Lets `dt_secs` of the wall's clock pass; whether the pose changed.
    pub fn tick(&mut self, dt_secs: f64) -> bool {
        if !self.is_playing {
            return false;
        }
        let dt_secs = dt_secs.clamp(0.0, LONGEST_FRAME) * f64::from(self.speed);
        match self.range_secs {
            Some([a, b]) => {
                self.still_secs = Some(a + (self.secs() + dt_secs - a).rem_euclid(b - a))
            }
            None => self.performer.advance(dt_secs),
        }
        self.refresh();
        true
    }

    /// Lets `secs` pass, playing or not, at most one lap of them: for tiles that are drawn now and then.
    pub fn pass(&mut self, secs: f64) {
        let lap = self.duration_secs().unwrap_or(1.0).max(LONGEST_FRAME);
        self.performer.advance(secs.clamp(0.0, lap));
        self.refresh();
    }

    /// Where all nodes are without springs, at the time that is shown.
    pub fn world_without_springs(&self) -> Arc<WorldPose> {
        if !self.has_springs {
            return self.world.clone();
        }
        let mut pose = Pose::default();
        self.performer.motion().sample(self.secs(), &mut pose);
        let test =
            if self.is_still() { Affine3A::IDENTITY } else { self.performer.world_from_clip() };
        Arc::new(world_of(self.rigged(), &pose, &test))
    }

    /// Shows the moment `secs` of the closed loop, and pauses.
    pub fn scrub(&mut self, secs: f64) {
        self.is_playing = false;
        let duration = self.duration_secs().unwrap_or(0.0);
        self.still_secs = Some(secs.clamp(0.0, duration));
        self.refresh();
    }

    /// Forward or back by frames, round the loop, and pauses.
    pub fn step(&mut self, frames: i32) {
        let Some(duration) = self.duration_secs().filter(|d| *d > 0.0) else { return };
        let secs = self.secs() + f64::from(frames) / FRAMES_PER_SECOND;
        self.scrub(secs.rem_euclid(duration));
    }

    /// Back to the start; goes on playing if it did.
    pub fn rewind(&mut self) {
        self.still_secs = None;
        let _ = self.performer.settle(&Work::default());
        self.refresh();
    }

    /// Springs at rest, at the start.
    pub fn reset_springs(&mut self) {
        self.still_secs = None;
        self.performer.restart();
        self.refresh();
    }

    /// Has the body swept, turned, dropped on top of what plays; plays on, live, also from a pause or from a part.
    pub fn test(&mut self, motion: TestMotion) {
        self.range_secs = None;
        self.leave_still();
        self.is_playing = true;
        self.performer.test(motion);
    }

    /// What chain number `chain` of the character does now; `None` where springs do not drive it.
    pub fn read(&self, chain: usize, out: &mut Readout) -> Option<()> {
        let driven = self.performer.motion().driven().iter().position(|d| d.chain == chain)?;
        self.performer.springs().read(driven, out);
        Some(())
    }

    /// Why chain number `chain` stands still, where that can be told beforehand.
    pub fn why_still(&self, chain: usize) -> Option<Stillness> {
        let clip = self.clip.as_ref().map(|(_, clip)| clip.as_ref());
        why_still(self.performer.motion(), clip, chain, None)
    }

    /// How fast the clock runs, 0.05 to 4.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = if speed.is_finite() { speed.clamp(0.05, 4.0) } else { 1.0 };
    }

    /// Springs on or off.
    pub fn toggle_springs(&mut self) {
        self.has_springs = !self.has_springs;
        self.refresh();
    }

    /// Retunes chains while they swing: nothing jumps, the motion goes on.
    pub fn retune(&mut self, settings: impl Iterator<Item = SpringSettings>) {
        for (chain, settings) in settings.enumerate() {
            self.performer.set_settings(chain, settings);
        }
        self.settled = None;
        self.refresh();
    }

    /// The same for strands of hair.
    pub fn retune_hair(&mut self, chains: &[Chain]) {
        for (chain, strand) in chains.iter().enumerate() {
            if let Some(strand) = &strand.hair {
                self.performer.set_hair(chain, strand.clone());
            }
        }
        self.settled = None;
        self.refresh();
    }

    /// Expressions of the character, with how much of each is played.
    pub fn faces(&self) -> Vec<(String, f32)> {
        let vrm = self.rigged().character.vrm.as_ref();
        let names = vrm.into_iter().flat_map(|vrm| vrm.expressions.iter());
        names.map(|e| (e.name.clone(), self.faces.get(&e.name).copied().unwrap_or(0.0))).collect()
    }

    /// Plays an expression, from 0 to 1, over whatever the clip does with the face.
    pub fn set_face(&mut self, name: &str, weight: f32) {
        if weight > 0.0 {
            self.faces.insert(name.to_owned(), weight.min(1.0));
        } else {
            self.faces.remove(name);
        }
        self.refresh();
    }

    /// Works the shown pose out anew.
    fn refresh(&mut self) {
        let secs = self.secs();
        let Self { performer, settled, rotations, pose, still_secs, .. } = self;
        match *still_secs {
            _ if !self.has_springs => performer.motion().sample(secs, pose),
            None => performer.pose(pose),
            Some(secs) => {
                let motion = performer.motion();
                if settled.is_none() {
                    let mut springs = motion.springs();
                    for (c, chain) in performer.springs().chains().iter().enumerate() {
                        springs.set_settings(c, chain.settings);
                        if let Some(strand) = &chain.hair {
                            springs.set_hair(c, strand.clone());
                        }
                    }
                    *settled = SettledPass::run_from(motion, &mut springs, &Work::default()).ok();
                }
                match settled {
                    Some(pass) => pass.pose_at(motion, secs, rotations, pose),
                    None => motion.sample(secs, pose),
                }
            }
        }
        let test =
            if still_secs.is_none() { performer.world_from_clip() } else { Affine3A::IDENTITY };
        self.world = Arc::new(world_of(performer.motion().rigged(), pose, &test));
        let clip = performer.motion().clip();
        let weights = |(index, (node, n_targets)): (usize, (NodeIndex, usize))| {
            let mut weights = vec![0.0; n_targets];
            clip.sample_morph(index, secs, &mut weights);
            (node, weights)
        };
        let mut morphs = MorphWeights(clip.morphs().enumerate().map(weights).collect());
        if let Some(vrm) = performer.motion().rigged().character.vrm.as_ref() {
            let character = &performer.motion().rigged().character;
            for expression in &vrm.expressions {
                let weight = self.faces.get(&expression.name).copied().unwrap_or(0.0);
                morphs.add(character, expression, weight);
            }
        }
        // The same weights are the same `Arc`, so that nothing is shaped anew.
        if *self.morphs != morphs {
            self.morphs = Arc::new(morphs);
        }
    }
}

/// `test` is where a test motion has the body, from where the clip has it.
fn world_of(rigged: &Rigged, pose: &Pose, test: &Affine3A) -> WorldPose {
    let character = &rigged.character;
    let mut world = WorldPose::default();
    pose.to_world(&character.skeleton, &(*test * character.root_matrix()), &mut world);
    world
}
