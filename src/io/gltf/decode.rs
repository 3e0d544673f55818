//! Decoding what primitives refer to: each accessor once, all of them in parallel.
//!
//! Primitives often share their arrays, by design or by malice; a job stands for one array however many ask for it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use super::accessor::{AccessorFault, Accessors, Component, Elements};
use super::influences::{self, WeightFaults};
use crate::model::{FindingCode, Influences, MorphTarget};
use crate::work::{Stopped, Work};

/// What may be decoded, named by its accessors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Job {
    /// First, for these take longest.
    Influences {
        joints: Vec<usize>,
        weights: Vec<usize>,
        n_joints: usize,
    },
    Triangles {
        indices: Option<usize>,
        mode: usize,
        n_vertices: usize,
    },
    Positions(usize),
    Normals(usize),
    Uvs(usize),
    Colors(usize),
    Morphs {
        targets: Vec<Target>,
        n_vertices: usize,
    },
}

/// A morph target and its accessors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target {
    pub name: String,
    pub positions: Option<usize>,
    pub normals: Option<usize>,
}

impl Target {
    fn accessors(&self) -> impl Iterator<Item = usize> {
        [self.positions, self.normals].into_iter().flatten()
    }
}

#[derive(Debug)]
enum Decoded {
    Vec3(Arc<Vec<Vec3>>),
    Vec2(Arc<Vec<Vec2>>),
    Vec4(Arc<Vec<Vec4>>),
    Triangles(Arc<Vec<[u32; 3]>>),
    Influences(Arc<Influences>),
    Morphs(Arc<Vec<MorphTarget>>),
}

/// Facts met on the way: a code and its text.
pub(super) type Notes = Vec<(FindingCode, String)>;

/// The decoded arrays.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    by_job: BTreeMap<Job, Result<Decoded, AccessorFault>>,
}

/// Memory that decoding may still take.
#[derive(Debug)]
pub(super) struct Budget(AtomicU64);

impl Budget {
    pub(super) fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Takes `bytes`, or refuses on behalf of accessor `index`.
    pub(super) fn take(&self, index: usize, bytes: usize) -> Result<(), AccessorFault> {
        let bytes = bytes as u64;
        let less = |left: u64| left.checked_sub(bytes);
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Ok(()),
            Err(_) => Err(AccessorFault::TooLarge { index, bytes }),
        }
    }
}

impl Arrays {
    /// Decodes all `jobs`. The notes come in the order of the jobs, each with the job's subject.
    pub(super) fn decode(
        accessors: &Accessors<'_>,
        jobs: BTreeMap<Job, String>,
        budget: &Budget,
        work: &Work,
    ) -> Result<(Self, Vec<(String, Notes)>), Stopped> {
        let total = jobs.len() as u64;
        // The budget is taken before, in order, so that the same arrays are refused on every run.
        let jobs: Vec<_> = jobs
            .into_iter()
            .map(|(job, subject)| {
                let fits = job.cost(accessors).and_then(|(index, n)| budget.take(index, n));
                (job, subject, fits)
            })
            .collect();
        let decoded: Vec<_> = jobs
            .into_par_iter()
            .enumerate()
            .map(|(i, (job, subject, fits))| {
                work.tick("read meshes", i as u64, total)?;
                let mut notes = Notes::new();
                let result = fits.and_then(|()| job.run(accessors, &mut notes));
                Ok((job, result, subject, notes))
            })
            .collect::<Result<_, Stopped>>()?;
        let mut arrays = Self::default();
        let mut all_notes = Vec::new();
        for (job, result, subject, notes) in decoded {
            arrays.by_job.insert(job, result);
            all_notes.push((subject, notes));
        }
        Ok((arrays, all_notes))
    }
}

macro_rules! getters {
    ($($name:ident -> $variant:ident($kind:ty);)+) => {
        impl Arrays {
            $(
                /// The array of that job.
                pub(super) fn $name(&self, job: &Job) -> Result<Arc<$kind>, AccessorFault> {
                    match self.by_job.get(job) {
                        Some(Ok(Decoded::$variant(array))) => Ok(Arc::clone(array)),
                        Some(Err(fault)) => Err(fault.clone()),
                        _ => Err(AccessorFault::Missing { what: "accessor", index: usize::MAX }),
                    }
                }
            )+
        }
    };
}

getters! {
    vec3 -> Vec3(Vec<Vec3>);
    vec2 -> Vec2(Vec<Vec2>);
    vec4 -> Vec4(Vec<Vec4>);
    triangles -> Triangles(Vec<[u32; 3]>);
    influences -> Influences(Influences);
    morphs -> Morphs(Vec<MorphTarget>);
}

impl Job {
    /// Bytes of the result, and the accessor to blame for them.
    fn cost(&self, accessors: &Accessors<'_>) -> Result<(usize, usize), AccessorFault> {
        let of = |index: usize, size: usize| {
            accessors.shape(index).map(|s| (index, s.count.saturating_mul(size)))
        };
        match self {
            Self::Positions(a) | Self::Normals(a) => of(*a, 12),
            Self::Uvs(a) => of(*a, 8),
            Self::Colors(a) => of(*a, 16),
            Self::Triangles { indices: Some(a), mode: 4, .. } => of(*a, 4),
            Self::Triangles { indices: Some(a), .. } => of(*a, 12),
            Self::Triangles { n_vertices, .. } => Ok((0, n_vertices.saturating_mul(12))),
            Self::Influences { joints, .. } => {
                let first = joints.first().copied().unwrap_or(usize::MAX);
                of(first, 4 + 32 * joints.len())
            }
            Self::Morphs { targets, n_vertices } => {
                let first = targets.iter().flat_map(Target::accessors).next().unwrap_or(0);
                let n = targets.iter().flat_map(Target::accessors).count();
                Ok((first, n_vertices.saturating_mul(12).saturating_mul(n)))
            }
        }
    }

    fn run(&self, accessors: &Accessors<'_>, notes: &mut Notes) -> Result<Decoded, AccessorFault> {
        Ok(match self {
            Self::Positions(a) => {
                let mut positions = vectors(accessors, *a)?;
                let n_bad = positions.iter().filter(|p| !p.is_finite()).count();
                if n_bad > 0 {
                    positions.iter_mut().filter(|p| !p.is_finite()).for_each(|p| *p = Vec3::ZERO);
                    let text = format!("{n_bad} of {} positions", positions.len());
                    notes.push((FindingCode::PositionNotFinite, text));
                }
                Decoded::Vec3(Arc::new(positions))
            }
            Self::Normals(a) => Decoded::Vec3(Arc::new(vectors(accessors, *a)?)),
            Self::Uvs(a) => {
                let uvs = accessors.floats::<2>(*a, "VEC2")?;
                Decoded::Vec2(Arc::new(bytemuck::allocation::cast_vec(uvs)))
            }
            Self::Colors(a) => Decoded::Vec4(Arc::new(colors(&accessors.elements(*a)?))),
            Self::Triangles { indices, mode, n_vertices } => Decoded::Triangles(Arc::new(
                triangles(accessors, *indices, *mode, *n_vertices, notes)?,
            )),
            Self::Influences { joints, weights, n_joints } => {
                let mut faults = WeightFaults::default();
                let read = influences::read(accessors, joints, weights, *n_joints, &mut faults)?;
                faults.note(notes);
                Decoded::Influences(Arc::new(read))
            }
            Self::Morphs { targets, n_vertices } => {
                Decoded::Morphs(Arc::new(morphs(accessors, targets, *n_vertices)?))
            }
        })
    }
}

fn vectors(accessors: &Accessors<'_>, index: usize) -> Result<Vec<Vec3>, AccessorFault> {
    Ok(bytemuck::allocation::cast_vec(accessors.floats::<3>(index, "VEC3")?))
}

/// Colours with alpha; integers count as normalised whatever the accessor says, for they cannot mean anything else.
fn colors(elements: &Elements<'_>) -> Vec<Vec4> {
    let mut elements = elements.clone();
    elements.shape.normalized = elements.shape.component != Component::F32;
    if elements.shape.lanes == 3 {
        return elements.floats::<3>().into_iter().map(|c| Vec3::from(c).extend(1.0)).collect();
    }
    elements.floats::<4>().into_iter().map(Vec4::from).collect()
}

fn morphs(
    accessors: &Accessors<'_>,
    targets: &[Target],
    n_vertices: usize,
) -> Result<Vec<MorphTarget>, AccessorFault> {
    let part = |index: Option<usize>| match index {
        None => Ok(Vec::new()),
        Some(index) => {
            let offsets = vectors(accessors, index)?;
            if offsets.len() != n_vertices {
                return Err(AccessorFault::Count {
                    index,
                    found: offsets.len(),
                    wanted: n_vertices,
                });
            }
            Ok(offsets)
        }
    };
    targets
        .iter()
        .map(|target| {
            Ok(MorphTarget {
                name: target.name.clone(),
                positions: part(target.positions)?,
                normals: part(target.normals)?,
            })
        })
        .collect()
}

const STRIP: usize = 5;
const FAN: usize = 6;

fn triangles(
    accessors: &Accessors<'_>,
    indices: Option<usize>,
    mode: usize,
    n_vertices: usize,
    notes: &mut Notes,
) -> Result<Vec<[u32; 3]>, AccessorFault> {
    let indices = match indices {
        Some(index) => {
            let elements = accessors.elements(index)?;
            if elements.shape.lanes != 1 {
                let found = format!("{} numbers wide", elements.shape.lanes);
                return Err(AccessorFault::Kind { index, found, wanted: "SCALAR" });
            }
            elements.indices()
        }
        None => (0..n_vertices as u32).collect(),
    };
    let mut triangles = match mode {
        STRIP => strip(&indices),
        FAN => fan(&indices),
        _ => list(indices),
    };
    let is_sound = |t: &[u32; 3]| t.iter().all(|&v| (v as usize) < n_vertices);
    let n_bad = triangles.iter().filter(|t| !is_sound(t)).count();
    if n_bad > 0 {
        let text = format!("{n_bad} of {} triangles, with {n_vertices} vertices", triangles.len());
        notes.push((FindingCode::IndexOutOfRange, text));
        triangles.retain(is_sound);
    }
    Ok(triangles)
}

/// Triangles of a list; one or two indices too many are dropped, as glTF says.
fn list(mut indices: Vec<u32>) -> Vec<[u32; 3]> {
    indices.truncate(indices.len() / 3 * 3);
    match bytemuck::allocation::try_cast_vec(indices) {
        Ok(triangles) => triangles,
        // The capacity is no multiple of 3.
        Err((_, indices)) => indices.as_chunks::<3>().0.to_vec(),
    }
}

/// Triangle i of a strip is (i, i + 1 + i % 2, i + 2 - i % 2), so that all wind the same way.
fn strip(indices: &[u32]) -> Vec<[u32; 3]> {
    indices
        .array_windows::<3>()
        .enumerate()
        .map(|(i, &[a, b, c])| if i % 2 == 0 { [a, b, c] } else { [a, c, b] })
        .filter(is_no_line)
        .collect()
}

/// Triangle i of a fan is (i + 1, i + 2, 0).
fn fan(indices: &[u32]) -> Vec<[u32; 3]> {
    let Some((&first, rim)) = indices.split_first() else { return Vec::new() };
    rim.array_windows::<2>().map(|&[a, b]| [a, b, first]).filter(is_no_line).collect()
}

/// Strips are joined by triangles that name one vertex twice; these are no surface.
fn is_no_line(t: &[u32; 3]) -> bool {
    let [a, b, c] = t;
    a != b && b != c && c != a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_wind_like_a_list() {
        // A unit square, corners counter-clockwise 0 1 3 2 as a strip and 0 1 2 3 as a fan.
        assert_eq!(strip(&[0, 1, 2, 3]), [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(fan(&[0, 1, 2, 3]), [[1, 2, 0], [2, 3, 0]]);
        assert_eq!(strip(&[0, 1, 2, 2, 3, 3, 4, 5]), [[0, 1, 2], [3, 5, 4]], "joined by lines");
        assert_eq!(list(vec![0, 1, 2, 3]), [[0, 1, 2]]);
        assert!(fan(&[]).is_empty() && strip(&[1, 2]).is_empty());
    }

    #[test]
    fn a_budget_refuses_what_is_left_over() {
        let budget = Budget::new(10);
        assert_eq!(budget.take(1, 6), Ok(()));
        assert_eq!(budget.take(2, 6), Err(AccessorFault::TooLarge { index: 2, bytes: 6 }));
        assert_eq!(budget.take(3, 4), Ok(()));
    }
}
