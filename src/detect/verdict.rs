//! What a region is and what is to be done with it, with the reason (spec 1.5, 8 D3 to D6).

use super::measures::Measured;
use super::scene::{Place, Scene};
use crate::model::{NodeIndex, Reason, ReasonCode, RegionKind, Role, Test, Verdict};

/// A verdict with its reason, how far it is from flipping, and every test behind it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judgement {
    pub kind: RegionKind,
    pub verdict: Verdict,
    pub reason: Reason,
    pub margin: f32,
    pub tests: Vec<Test>,
}

/// A condition of an edit: its value and the mark it was compared with.
#[derive(Clone, Copy)]
struct Condition {
    code: ReasonCode,
    value: f32,
    mark: f32,
    holds: bool,
}

impl Condition {
    fn at_least(code: ReasonCode, value: f32, mark: f32) -> Self {
        Self { code, value, mark, holds: value >= mark }
    }

    fn at_most(code: ReasonCode, value: f32, mark: f32) -> Self {
        Self { code, value, mark, holds: value <= mark }
    }

    fn below(code: ReasonCode, value: f32, mark: f32) -> Self {
        Self { code, value, mark, holds: value < mark }
    }

    fn distance(&self) -> f32 {
        ((self.value - self.mark).abs() / self.mark.abs().max(1e-6)).min(1.0)
    }

    fn reason(&self) -> Reason {
        Reason { code: self.code, value: self.value, mark: self.mark }
    }

    fn test(&self) -> Test {
        let margin = if self.holds { self.distance() } else { -self.distance() };
        Test { code: self.code, value: self.value, mark: self.mark, margin, passes: self.holds }
    }
}

/// What is decided, without the tests behind it.
struct Decision {
    kind: RegionKind,
    verdict: Verdict,
    reason: Reason,
    margin: f32,
}

fn leave(kind: RegionKind, condition: &Condition) -> Decision {
    let (reason, margin) = (condition.reason(), condition.distance());
    Decision { kind, verdict: Verdict::Leave, reason, margin }
}

/// For what no number decides.
fn leave_for_certain(kind: RegionKind, code: ReasonCode) -> Decision {
    let reason = Reason { code, value: 0.0, mark: 0.0 };
    Decision { kind, verdict: Verdict::Leave, reason, margin: 1.0 }
}

/// Judges a region that hangs from `attachment`; `is_paired` says that another is its mirror image.
pub(super) fn judge(
    scene: &Scene,
    region: &Measured,
    attachment: NodeIndex,
    is_paired: bool,
) -> Judgement {
    let place = scene.place(attachment);
    let conditions = conditions(scene, region, place, is_paired);
    let Decision { kind, verdict, reason, margin } =
        decide(scene, region, place, is_paired, &conditions);
    Judgement {
        kind,
        verdict,
        reason,
        margin,
        tests: conditions.iter().map(Condition::test).collect(),
    }
}

/// Every condition that a region at `place` is put to, in the order in which they decide. An edit needs all of them.
fn conditions(scene: &Scene, region: &Measured, place: Place, is_paired: bool) -> Vec<Condition> {
    let set = scene.settings;
    let mut conditions = vec![
        test_1(scene, region),
        // The slices alone decide. The flatness of the whole is 5 for a stiff cape, but 1.8 to 3.5 for sashes, coat
        // tails and narrow capes, which hang bent; slices are measured so that a bend does not hide what is thin.
        Condition::below(ReasonCode::Flat, region.scores.slice_flatness, set.flatness),
        elongated(scene, region),
        Condition::at_least(
            ReasonCode::TooShort,
            region.scores.reach_m,
            set.least_reach_share * scene.height(),
        ),
    ];
    if place == Place::Pelvis {
        conditions.extend(tail_conditions(scene, region, is_paired));
    }
    conditions
}

fn decide(
    scene: &Scene,
    region: &Measured,
    place: Place,
    is_paired: bool,
    conditions: &[Condition],
) -> Decision {
    use ReasonCode as C;
    let (s, set) = (&region.scores, scene.settings);
    let failed = |code| conditions.iter().find(|c| c.code == code && !c.holds);
    if let Some(test_1) = failed(C::WrapsItsJoints) {
        return leave(RegionKind::Body, test_1);
    }
    if scene.humanoid.node(Role::Hips).is_none() {
        return leave_for_certain(RegionKind::Other, C::NoHumanoid);
    }
    match place {
        Place::Head => {
            let is_ear = is_paired && s.reach_m < 0.3 * scene.height();
            let kind = if is_ear { RegionKind::Ear } else { RegionKind::Hair };
            return leave_for_certain(kind, C::OnTheHead);
        }
        Place::Neck | Place::Limb => return leave_for_certain(RegionKind::Other, C::OnALimb),
        Place::Unknown => return leave_for_certain(RegionKind::Other, C::NoRole),
        Place::Pelvis | Place::Spine => {}
    }
    if let Some(cloth) = failed(C::Flat).or_else(|| failed(C::Broad)) {
        return leave(RegionKind::Garment, cloth);
    }
    let (kind, verdict) = if place == Place::Spine {
        if is_paired {
            return leave_for_certain(RegionKind::Wing, C::MirroredPair);
        }
        if !region.whole.is_own_shell {
            return leave_for_certain(RegionKind::Worn, C::WornWelded);
        }
        (RegionKind::Worn, Verdict::Rigid)
    } else {
        (RegionKind::Tail, Verdict::Chain)
    };
    if let Some(failed) = conditions.iter().find(|c| !c.holds) {
        return leave(kind, failed);
    }
    let margin = conditions.iter().map(Condition::distance).fold(1.0, f32::min);
    let straight = (s.elongation, set.elongation);
    let curled = (s.length_over_width, set.length_over_width);
    let (code, (value, mark)) = match kind {
        RegionKind::Worn => (C::WornShell, straight),
        _ if straight.0 < straight.1 && curled.0 >= curled.1 => (C::CurledTail, curled),
        // Close to both marks, which makes up for missing them.
        _ if straight.0 < straight.1 => (C::Tail, (elongated(scene, region).value, straight.1)),
        _ => (C::Tail, straight),
    };
    Decision { kind, verdict, reason: Reason { code, value, mark }, margin }
}

/// Appendage or body: any of three numbers of the far part. The condition is the one that comes nearest to its mark.
fn test_1(scene: &Scene, region: &Measured) -> Condition {
    let set = scene.settings;
    let share = [
        region.far.slenderness / set.slenderness,
        region.far.protrusion / set.protrusion,
        region.far.centroid_ratio / set.centroid_ratio,
    ]
    .into_iter()
    .fold(0.0, f32::max);
    let value = share * set.slenderness;
    let condition = Condition::at_least(ReasonCode::WrapsItsJoints, value, set.slenderness);
    // A shell of its own wraps no bone, or it would count as body: whatever its numbers, it is an appendage.
    Condition { holds: condition.holds || region.whole.is_own_shell, ..condition }
}

/// Long for its width, straight (by eigenvalues) or curled (by slices).
fn elongated(scene: &Scene, region: &Measured) -> Condition {
    let (s, set) = (&region.scores, scene.settings);
    let by_slices = s.length_over_width / set.length_over_width * set.elongation;
    // Short curled tails miss both marks by a little; what comes that close to both is long.
    let by_both = (s.elongation.min(2.0 * set.elongation) + by_slices) * 0.5 * 1.15;
    let by_both = if s.elongation.min(by_slices) > 0.8 * set.elongation { by_both } else { 0.0 };
    let value = s.elongation.max(by_slices).max(by_both);
    Condition::at_least(ReasonCode::Broad, value, set.elongation)
}

/// What a default chain needs besides: root near the middle or one of a pair, behind the thighs, not most of the skin,
/// no end that stands on the floor.
fn tail_conditions(scene: &Scene, region: &Measured, is_paired: bool) -> Vec<Condition> {
    use ReasonCode as C;
    let (s, set) = (&region.scores, scene.settings);
    let h = scene.height();
    let root = scene.in_body(region.whole.collar_center);
    let mut conditions = vec![
        Condition::at_most(C::InFront, root.z / h, 0.0),
        Condition::at_most(C::TooLarge, s.area_share, set.area_share),
    ];
    // In front is metres in the reason; the mark is zero, so that the margin is taken in hundredths of the height.
    conditions[0].mark = 0.01;
    conditions[0].holds = root.z <= 0.01 * h;
    if !is_paired {
        let most = set.off_centre_share;
        conditions.push(Condition::at_most(C::OffCentre, root.x.abs() / h, most));
    }
    let upright = crate::math::ops::cos(set.standing_degrees.to_radians());
    for tip in &region.tips {
        // A leg is as thick at its end as above; what tapers to a tip rests on nothing.
        let bears = tip.end.y - scene.body.floor_m < 0.02 * h
            && (tip.taper > 0.75 || tip.width > 0.035 * h);
        if bears {
            conditions.push(Condition::at_most(C::StandsOnTheFloor, -tip.direction.y, upright));
        }
    }
    for condition in &mut conditions {
        if matches!(condition.code, C::InFront | C::OffCentre) {
            condition.value *= h;
            condition.mark *= h;
        }
    }
    conditions
}
