//! Meshes: which arrays each primitive asks for, and what becomes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::accessor::{AccessorFault, Accessors};
use super::decode::{Arrays, Budget, Job, Target};
use super::{json, materials};
use crate::model::{FindingCode, Mesh, MeshSource, Report};
use crate::work::{Stopped, Work};

/// Primitives of the meshes that were asked for: `None` where one cannot be read.
pub(super) type Meshes = BTreeMap<usize, Vec<Option<Mesh>>>;

/// Sets of joints and weights that are read; more than 64 influences of a vertex are no one's intention.
const MOST_SETS: usize = 16;

/// A primitive and the jobs it needs.
#[derive(Debug)]
struct Plan {
    source: MeshSource,
    subject: String,
    positions: Result<Job, AccessorFault>,
    triangles: Option<Job>,
    normals: Option<Job>,
    uvs: Option<Job>,
    colors: Option<Job>,
    influences: Option<Job>,
    morphs: Option<Job>,
    n_vertices: usize,
    material: Option<u32>,
}

/// The first primitive that could not be read: who, and why.
pub(super) type FirstFault = Option<(String, AccessorFault)>;

/// Reads the meshes in `wanted`, which gives for each the number of joints its skins have (0 without a skin).
pub(super) fn read(
    root: &Value,
    accessors: &Accessors<'_>,
    wanted: &BTreeMap<usize, usize>,
    budget: &Budget,
    work: &Work,
    report: &mut Report,
) -> Result<(Meshes, FirstFault), Stopped> {
    let values = json::list(root, "meshes");
    let mut plans = Vec::new();
    for (&index, &n_joints) in wanted {
        let Some(mesh) = values.get(index) else { continue };
        for (p, primitive) in json::list(mesh, "primitives").iter().enumerate() {
            let source = MeshSource { mesh: index as u32, primitive: p as u32 };
            let uv_set = materials::uv_set(root, json::index(primitive, "material"));
            plans.push(Plan::new(source, mesh, primitive, (n_joints, uv_set), accessors));
        }
    }
    let mut jobs = BTreeMap::new();
    for plan in &plans {
        for job in plan.jobs() {
            jobs.entry(job.clone()).or_insert_with(|| plan.subject.clone());
        }
    }
    let (arrays, notes) = Arrays::decode(accessors, jobs, budget, work)?;
    for (subject, notes) in notes {
        for (code, text) in notes {
            report.add(code, subject.clone(), text);
        }
    }
    let mut meshes: Meshes = wanted.keys().map(|&index| (index, Vec::new())).collect();
    let mut first = None;
    for plan in plans {
        let mesh = values.get(plan.source.mesh as usize).unwrap_or(&Value::Null);
        let read = match plan.assemble(mesh, &arrays, report) {
            Ok(mesh) => Some(mesh),
            Err(fault) => {
                report.add(FindingCode::PrimitiveSkipped, plan.subject.clone(), fault.to_string());
                first.get_or_insert((plan.subject, fault));
                None
            }
        };
        meshes.entry(plan.source.mesh as usize).or_default().push(read);
    }
    Ok((meshes, first))
}

impl Plan {
    fn new(
        source: MeshSource,
        mesh: &Value,
        primitive: &Value,
        (n_joints, uv_set): (usize, usize),
        accessors: &Accessors<'_>,
    ) -> Self {
        let attributes = primitive.get("attributes").unwrap_or(&Value::Null);
        let attribute = |key: &str| json::index(attributes, key);
        let name = json::label("mesh", source.mesh as usize, Some(mesh));
        let position = attribute("POSITION");
        // Packed meshes have accessors without data: reading them would give a heap of zeros.
        let packed = json::extension(primitive, "KHR_draco_mesh_compression").is_some();
        let shape = match position {
            Some(_) if packed => {
                Err(AccessorFault::Packed { index: 0, why: "is in Draco's format" })
            }
            Some(index) => accessors.shape(index).map(|s| (index, s.count)),
            None => {
                Err(AccessorFault::Missing { what: "attribute POSITION of accessor", index: 0 })
            }
        };
        let n_vertices = shape.as_ref().map_or(0, |s| s.1);
        let mode = json::index(primitive, "mode").unwrap_or(4);
        let indices = json::index(primitive, "indices");
        let triangles =
            matches!(mode, 4..=6).then_some(Job::Triangles { indices, mode, n_vertices });
        let pairs: Vec<_> = (0..MOST_SETS)
            .map_while(|n| {
                Some((attribute(&format!("JOINTS_{n}"))?, attribute(&format!("WEIGHTS_{n}"))?))
            })
            .collect();
        let influences = (n_joints > 0 && !pairs.is_empty()).then(|| {
            let (joints, weights) = pairs.into_iter().unzip();
            Job::Influences { joints, weights, n_joints }
        });
        // Exporters leave the targets' names in the extras.
        let names = json::list(mesh.get("extras").unwrap_or(&Value::Null), "targetNames");
        let targets: Vec<_> = json::list(primitive, "targets")
            .iter()
            .enumerate()
            .map(|(i, target)| Target {
                name: names.get(i).and_then(Value::as_str).unwrap_or_default().into(),
                positions: json::index(target, "POSITION"),
                normals: json::index(target, "NORMAL"),
            })
            .collect();
        Self {
            source,
            subject: format!("{name} primitive {}", source.primitive),
            positions: shape.map(|(index, _)| Job::Positions(index)),
            triangles,
            normals: attribute("NORMAL").map(Job::Normals),
            uvs: attribute(&format!("TEXCOORD_{uv_set}")).map(Job::Uvs),
            colors: attribute("COLOR_0").map(Job::Colors),
            influences,
            morphs: (!targets.is_empty()).then_some(Job::Morphs { targets, n_vertices }),
            n_vertices,
            material: json::index(primitive, "material").map(|m| m as u32),
        }
    }

    /// What must be decoded; nothing where there are no positions.
    fn jobs(&self) -> impl Iterator<Item = &Job> {
        let rest = [
            &self.triangles,
            &self.normals,
            &self.uvs,
            &self.colors,
            &self.influences,
            &self.morphs,
        ];
        let positions = self.positions.as_ref().ok();
        let rest = rest.into_iter().flatten();
        positions.into_iter().flat_map(move |p| std::iter::once(p).chain(rest.clone()))
    }

    fn assemble(
        &self,
        mesh: &Value,
        arrays: &Arrays,
        report: &mut Report,
    ) -> Result<Mesh, AccessorFault> {
        let positions = arrays.vec3(self.positions.as_ref().map_err(Clone::clone)?)?;
        let triangles = match &self.triangles {
            Some(job) => arrays.triangles(job)?,
            None => Arc::default(),
        };
        let n = self.n_vertices;
        let mut skipped = |what: &str, fault: AccessorFault| {
            let text = format!("{what} is left out: {fault}");
            report.add(FindingCode::PrimitiveSkipped, self.subject.clone(), text);
        };
        let normals =
            optional(&self.normals, n, |j| arrays.vec3(j), |a| a.len()).unwrap_or_else(|fault| {
                skipped("NORMAL", fault);
                None
            });
        let uvs = optional(&self.uvs, n, |j| arrays.vec2(j), |a| a.len()).unwrap_or_else(|fault| {
            skipped("TEXCOORD_0", fault);
            None
        });
        let colors =
            optional(&self.colors, n, |j| arrays.vec4(j), |a| a.len()).unwrap_or_else(|fault| {
                skipped("COLOR_0", fault);
                None
            });
        let influences = optional(&self.influences, n, |j| arrays.influences(j), |a| a.len())
            .unwrap_or_else(|fault| {
                skipped("JOINTS and WEIGHTS", fault);
                None
            });
        let morphs =
            optional(&self.morphs, n, |j| arrays.morphs(j), |_| n).unwrap_or_else(|fault| {
                skipped("the morph targets", fault);
                None
            });
        Ok(Mesh {
            name: json::text(mesh, "name").unwrap_or_default().into(),
            positions,
            triangles,
            normals: normals.unwrap_or_default(),
            uvs: uvs.unwrap_or_default(),
            colors: colors.unwrap_or_default(),
            morphs: morphs.unwrap_or_default(),
            morph_weights: default_weights(mesh),
            influences,
            material: self.material,
            source: Some(self.source),
        })
    }
}

/// The array of an optional attribute; one of another length than the positions is a fault.
fn optional<T>(
    job: &Option<Job>,
    n_vertices: usize,
    get: impl Fn(&Job) -> Result<Arc<T>, AccessorFault>,
    len: impl Fn(&T) -> usize,
) -> Result<Option<Arc<T>>, AccessorFault> {
    let Some(job) = job else { return Ok(None) };
    let array = get(job)?;
    let found = len(&array);
    if found != n_vertices {
        let index = match job {
            Job::Normals(a) | Job::Uvs(a) | Job::Colors(a) | Job::Positions(a) => *a,
            Job::Influences { joints, .. } => joints.first().copied().unwrap_or(0),
            Job::Triangles { .. } | Job::Morphs { .. } => 0,
        };
        return Err(AccessorFault::Count { index, found, wanted: n_vertices });
    }
    Ok(Some(array))
}

/// Default weights of a mesh's morph targets; none where all of them are zero.
fn default_weights(mesh: &Value) -> Vec<f32> {
    let weights: Vec<f32> = json::list(mesh, "weights")
        .iter()
        .map(|w| Some(json::as_f32(w)).filter(|w| w.is_finite()).unwrap_or(0.0))
        .collect();
    if weights.iter().all(|w| *w == 0.0) { Vec::new() } else { weights }
}
