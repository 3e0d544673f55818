//! What a chain does at one moment, for plots and overlays.

use glam::Vec3;

use super::springs::Springs;
use crate::math::rotation;

/// One chain at one moment. Keep it and hand it in again: its lists are reused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readout {
    /// From where the tip would rest to where it is: body axes as the anchor carries them (x left, y up, z forward),
    /// metres. Its length is the chain's lag.
    pub tip_offset: Vec3,
    /// `[links]` by how much each link is bent beyond rest, radians.
    pub bends_rad: Vec<f32>,
    /// `[links]` whether its end lies on the floor.
    pub touched: Vec<bool>,
}

impl Springs {
    /// Reads a chain as the last substep left it; empty lists where there is no such chain.
    ///
    /// Cost: O(links), well below a microsecond for a tail.
    pub fn read(&self, chain: usize, out: &mut Readout) {
        out.bends_rad.clear();
        out.touched.clear();
        out.tip_offset = Vec3::ZERO;
        let (Some(c), Some(rest)) = (self.chains().get(chain), self.rest(chain)) else { return };
        let scale = self.anchor(chain).map_or(1.0, |a| a.scale);
        let mut at_rest = Vec3::ZERO;
        for (i, (link, &direction)) in c.topology.links.iter().zip(&rest.directions).enumerate() {
            at_rest += direction * link.length_m * scale;
            let state = self.link(chain, i);
            out.bends_rad.push(rotation::angle(state.shown));
            out.touched.push(state.touched);
        }
        out.tip_offset = self.in_anchor(chain, self.tip(chain)) - at_rest;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{TailSpec, bare};
    use super::*;
    use crate::model::SpringSettings;
    use glam::Affine3A;

    #[test]
    fn a_chain_at_rest_reads_nothing_and_one_that_lags_reads_its_lag() {
        let mut tail = TailSpec::fox().springs(bare());
        let mut read = Readout::default();
        tail.step(Affine3A::IDENTITY);
        tail.springs.read(0, &mut read);
        assert!(read.tip_offset.length() < 1e-5, "{read:?}");
        assert_eq!((read.bends_rad.len(), read.touched.len()), (4, 4));
        tail.run(0.1, |t| Affine3A::from_translation(Vec3::X * t));
        tail.springs.read(0, &mut read);
        assert!(read.tip_offset.x < -0.01, "it stays behind: {read:?}");
        assert!(read.bends_rad.iter().all(|b| *b > 0.0));
        tail.springs.read(7, &mut read);
        assert_eq!(read, Readout::default());
    }

    #[test]
    fn ends_that_lie_on_the_floor_are_told() {
        let settings = SpringSettings { ground_height_m: 0.6, ..SpringSettings::default() };
        let mut tail = TailSpec::fox().springs(settings);
        tail.hold(3.0);
        let mut read = Readout::default();
        tail.springs.read(0, &mut read);
        assert!(read.touched.iter().any(|t| *t), "{read:?}");
    }
}
