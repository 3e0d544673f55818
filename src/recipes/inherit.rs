//! How a recipe takes over from the one it is like, and from layers.

use super::channel::Channel;
use super::recipe::{Blend, Flight, Key, Layer, Recipe, Settings, Step, Wave};

impl Recipe {
    /// This recipe over the one it is like.
    pub(super) fn over(self, base: &Self) -> Self {
        let base = base.without(&self.without);
        let stretch = match (self.frames, base.frames) {
            (Some(own), Some(other)) if other > 0 => own as f32 / other as f32,
            _ => 1.0,
        };
        let mut waves: Vec<Wave> = (base.waves.iter())
            .filter(|w| !self.waves.iter().any(|o| o.on == w.on))
            .map(|w| Wave { by: w.by * self.factor(&w.on), ..w.clone() })
            .collect();
        waves.extend(self.waves);
        let gait = self.gait.or_else(|| {
            let mut gait = base.gait.clone()?;
            for (name, value) in &self.pace {
                if let Some(field) = gait.field(name) {
                    *field = *value;
                }
            }
            Some(gait)
        });
        Self {
            name: self.name,
            category: if self.category.is_empty() { base.category.clone() } else { self.category },
            like: None,
            layers: base.layers.iter().cloned().chain(self.layers).collect(),
            without: Vec::new(),
            scale: Settings::new(),
            mirror: base.mirror != self.mirror,
            reverse: base.reverse != self.reverse,
            travels: self.travels,
            slides: self.slides,
            frames: self.frames.or(base.frames),
            rate: self.rate.or(base.rate),
            looping: self.looping,
            draft: self.draft,
            pose: self.pose.or_else(|| base.pose.clone()),
            set: under(&base.set, self.set),
            mirrored: if self.keys.is_empty() { base.mirrored } else { self.mirrored },
            keys: or(self.keys, || base.keys.iter().map(|k| k.stretched(stretch)).collect()),
            way: or(self.way, || base.way.iter().map(|k| k.stretched(stretch)).collect()),
            gait,
            pace: Settings::new(),
            blends: or(self.blends, || base.blends.iter().map(|b| b.stretched(stretch)).collect()),
            steps: or(self.steps, || base.steps.iter().map(|s| s.stretched(stretch)).collect()),
            waves,
            flights: or(self.flights, || {
                base.flights.iter().map(|f| f.stretched(stretch)).collect()
            }),
            drag: under(&base.drag, self.drag),
        }
    }

    /// This recipe over a layer.
    pub(super) fn with_layer(mut self, layer: &Layer) -> Self {
        self.set = under(&layer.set, std::mem::take(&mut self.set));
        self.drag = under(&layer.drag, std::mem::take(&mut self.drag));
        let new: Vec<Wave> = (layer.waves.iter())
            .filter(|w| !self.waves.iter().any(|o| o.on == w.on))
            .cloned()
            .collect();
        self.waves.extend(new);
        self
    }

    /// What is left when nothing of some parts is taken over.
    fn without(&self, parts: &[String]) -> Self {
        let mut rest = self.clone();
        if parts.is_empty() {
            return rest;
        }
        let stays = |name: &str| {
            let channels = Channel::named(name);
            !parts.iter().any(|part| channels.iter().all(|c| c.is_of(part)))
        };
        rest.set.retain(|name, _| stays(name));
        rest.waves.retain(|w| stays(&w.on));
        for key in &mut rest.keys {
            key.set.retain(|name, _| stays(name));
            key.speed.retain(|name, _| stays(name));
        }
        rest
    }

    /// By how much the wave of a channel is larger than in the recipe this one is like.
    fn factor(&self, channel: &str) -> f32 {
        let of = Channel::named(channel);
        let matching = self.scale.iter().filter(|(part, _)| of.iter().all(|c| c.is_of(part)));
        matching.max_by_key(|(part, _)| part.len()).map_or(1.0, |(_, &factor)| factor)
    }
}

/// `own` over `base`.
fn under(base: &Settings, own: Settings) -> Settings {
    let mut all = base.clone();
    all.extend(own);
    all
}

fn or<T>(own: Vec<T>, other: impl FnOnce() -> Vec<T>) -> Vec<T> {
    if own.is_empty() { other() } else { own }
}

impl Key {
    fn stretched(&self, by: f32) -> Self {
        let speed = self.speed.iter().map(|(name, v)| (name.clone(), v / by)).collect();
        Self { at: self.at * by, speed, ..self.clone() }
    }
}

impl Step {
    fn stretched(&self, by: f32) -> Self {
        let seen = self.seen.map(|frame| frame * by);
        Self { from: self.from * by, to: self.to * by, seen, ..self.clone() }
    }
}

impl Blend {
    fn stretched(&self, by: f32) -> Self {
        Self { from: self.from * by, until: self.until * by, ..self.clone() }
    }
}

impl Flight {
    fn stretched(&self, by: f32) -> Self {
        Self { from: self.from * by, to: self.to * by, ..self.clone() }
    }
}
