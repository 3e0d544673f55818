//! A parametric family of humanoids with tails, and with all that is no tail: for tests.
//!
//! A seed becomes a [`Plan`], the plan a character. Bodies are coarse implicit surfaces, appendages swept tubes and sheets,
//! sewn on where the plan says so; each costs a few milliseconds.

mod body;
mod plan;
mod tails;
mod worn;

use glam::Vec3;

use self::plan::{Extra, Plan};
use self::worn::{Wearer, Worn, WornHold, worn};
use super::assemble::{Hold, Label, Part, assemble};
use super::color::srgb;
use super::figure::{Figure, JointKey};
use super::rigger::{Claim, Rigger};
use super::seams::Seams;
use super::shape::{LocalField, Piece, contour, remesh, stitch};
use super::truth::{Sample, TruthKind};
use crate::math::ops;

/// A character under construction.
struct Making {
    body: Piece,
    /// Shells that share the body's skin weights, with who may claim each label.
    shells: Vec<Piece>,
    hung: Vec<(Piece, usize, TruthKind)>,
    labels: Vec<Label>,
    claims: Vec<Claim>,
}

impl Making {
    /// A new label.
    fn label(&mut self, label: Label, claim: Claim) -> u16 {
        self.labels.push(label);
        self.claims.push(claim);
        self.labels.len() as u16
    }

    fn number_of(&self, kind: TruthKind) -> u32 {
        self.labels.iter().filter(|l| l.kind == kind).count() as u32
    }
}

/// The character of `seed`, the same for ever, with its truth. Cost: 5 to 30 ms.
pub fn family(seed: u64) -> Sample {
    let plan = Plan::of(seed);
    let figure = plan.proportions.figure();
    let h = plan.proportions.height;
    let mut making = Making {
        body: Piece::default(),
        shells: Vec::new(),
        hung: Vec::new(),
        labels: Vec::new(),
        claims: Vec::new(),
    };
    let rear = plan.extras.contains(&Extra::CentaurRear).then(|| {
        let label =
            Label { kind: TruthKind::CentaurRear, should_edit: false, number: 0, n_chains: 0 };
        making.label(label, Claim::Nearest)
    });
    let field = body::body(&plan, &figure, rear);
    let base = hue(plan.hue, 0.55);
    let cell = h * plan.cell;
    let mut skin = contour(&field, cell, 1);
    if plan.is_uneven {
        let size =
            |p: Vec3| cell * (1.0 + 0.45 * ops::sin(9.0 * p.y / h) * ops::cos(7.0 * p.x / h));
        skin = remesh(&skin, &LocalField::new(&field, 3.0 * cell), size, 1);
    }
    making.body = skin.painted(|p, n, _| {
        let front =
            super::color::smoothstep(0.1, 0.7, n.z) * super::color::smoothstep(0.3, 0.5, p.y / h);
        base.lerp(srgb(0xefe0c8), front * 0.8)
    });
    let hips = figure.at(JointKey::Axial(0));
    if let Some(tail) = &plan.tail {
        for (i, t) in tails::tails(tail, &field, h, hips).into_iter().enumerate() {
            let label = Label {
                kind: TruthKind::Tail,
                should_edit: true,
                number: i as u32,
                n_chains: t.n_chains,
            };
            let id = making.label(label, plan.claim);
            let color = hue(plan.hue + 0.08, 0.5);
            let skin = t.skin.labelled(id).colored(color);
            if t.n_ring > 0 {
                making.body = stitch(&making.body, &skin, t.n_ring, t.root_radius);
            } else {
                making.shells.push(skin);
            }
            if let Some(fur) = t.fur {
                making.shells.push(fur.labelled(id).colored(color * 1.2));
            }
        }
    }
    let wearer = Wearer { plan: &plan, figure: &figure, body: &field, h };
    for &extra in &plan.extras {
        for thing in worn(&wearer, extra) {
            put_on(&mut making, thing, hue(plan.hue + 0.4, 0.35));
        }
    }
    finish(seed, &plan, &figure, making)
}

fn put_on(making: &mut Making, thing: Worn, color: Vec3) {
    let number = making.number_of(thing.kind);
    let label = Label { kind: thing.kind, should_edit: thing.should_edit, number, n_chains: 0 };
    let claim = match thing.hold {
        WornHold::Skinned(claim) => claim,
        WornHold::Hung(joint) => Claim::Joint(joint),
    };
    let id = making.label(label, claim);
    let piece = thing.piece.labelled(id).colored(color);
    match thing.hold {
        WornHold::Hung(joint) => making.hung.push((piece, joint, thing.kind)),
        WornHold::Skinned(_) if thing.n_ring > 0 => {
            making.body = stitch(&making.body, &piece, thing.n_ring, 0.0);
        }
        WornHold::Skinned(_) => making.shells.push(piece),
    }
}

fn finish(seed: u64, plan: &Plan, figure: &Figure, mut making: Making) -> Sample {
    let h = plan.proportions.height;
    let seams = Seams {
        crease_rad: 1.2,
        chart_m: plan.has_charts.then_some(0.25 * h),
        has_charts: plan.has_charts,
    };
    making.body.smooth_normals();
    let mut skinned = vec![("Body".to_string(), std::mem::take(&mut making.body))];
    for (i, shell) in making.shells.iter().enumerate() {
        if plan.is_one_mesh {
            skinned[0].1.append(shell);
        } else {
            skinned.push((format!("Shell_{i}"), shell.clone()));
        }
    }
    let rigger = Rigger::new(figure, h);
    let claim = |label: u16| {
        usize::from(label)
            .checked_sub(1)
            .and_then(|l| making.claims.get(l))
            .copied()
            .unwrap_or(Claim::Nearest)
    };
    let mut parts: Vec<Part> = skinned
        .into_iter()
        .map(|(name, mut piece)| {
            piece.uvs.clear();
            let weights = rigger.weights(&piece, 0.025 * h, claim);
            Part { name, piece, hold: Hold::Skinned(weights), seams }
        })
        .collect();
    for (mut piece, joint, kind) in making.hung {
        piece.uvs.clear();
        parts.push(Part { name: format!("{kind:?}"), piece, hold: Hold::Hung(joint), seams });
    }
    let form =
        plan.tail.map_or("no tail".to_string(), |t| format!("{:?} tail, {:?}", t.form, t.join));
    let about = format!("{h:.2} m, {form}, wears {:?}, {:?}", plan.extras, plan.skeleton.naming);
    assemble(&format!("family-{seed}"), about, figure, plan.skeleton, parts, &making.labels)
}

/// Linear colour of a hue (0 to 1) at a brightness.
fn hue(hue: f32, value: f32) -> Vec3 {
    let wave = |shift: f32| 0.55 + 0.45 * ops::cos((hue + shift) * std::f32::consts::TAU);
    Vec3::new(wave(0.0), wave(-0.33) * 0.8, wave(-0.66) * 0.6) * value
}

#[cfg(test)]
mod tests {
    use super::plan::TailForm;
    use super::*;

    #[test]
    fn a_seed_names_one_character() {
        let (a, b) = (family(11), family(11));
        assert_eq!(a.character.meshes, b.character.meshes);
        assert_eq!(a.truth, b.truth);
        assert_ne!(a.character.meshes, family(12).character.meshes);
    }

    #[test]
    fn sixty_seeds_show_every_tail_and_every_extra() {
        let plans: Vec<Plan> = (0..60).map(Plan::of).collect();
        for form in TailForm::ALL {
            assert!(plans.iter().any(|p| p.tail.is_some_and(|t| t.form == form)), "{form:?}");
        }
        assert!(plans.iter().any(|p| p.tail.is_none()));
        for extra in Extra::ALL {
            assert!(plans.iter().any(|p| p.extras.contains(&extra)), "{extra:?}");
        }
    }

    #[test]
    fn a_body_is_one_closed_skin() {
        for seed in 0..60 {
            let plan = Plan::of(seed);
            let field = body::body(&plan, &plan.proportions.figure(), None);
            let piece = contour(&field, plan.proportions.height * plan.cell, 1);
            assert!(piece.is_manifold(), "seed {seed}");
            let ring = piece.neighbours();
            let mut seen = vec![false; piece.positions.len()];
            let mut open = vec![0];
            while let Some(v) = open.pop() {
                if !std::mem::replace(&mut seen[v], true) {
                    open.extend(ring.of(v).iter().map(|&n| n as usize));
                }
            }
            assert!(seen.iter().all(|s| *s), "seed {seed} is in pieces");
        }
    }

    #[test]
    fn members_are_whole() {
        for seed in 0..60 {
            let sample = family(seed);
            let c = &sample.character;
            let n = c.surface_offsets().last().copied().unwrap_or(0);
            for mesh in &c.meshes {
                assert!(mesh.positions.iter().all(|p| p.is_finite()), "{}", sample.about);
                if let Some(influences) = &mesh.influences {
                    for v in 0..mesh.n_vertices() {
                        let sum: f32 = influences.of(v).map(|x| x.1).sum();
                        assert!((sum - 1.0).abs() < 1e-5 && influences.of(v).len() <= 4);
                    }
                }
            }
            for a in &sample.truth.appendages {
                assert!(!a.vertices.is_empty(), "seed {seed}: {:?}", a.kind);
                assert!(a.vertices.iter().all(|v| v.0 < n));
            }
        }
    }
}
