//! `detect`: what was found on a character, and why it was accepted or not.

use std::collections::BTreeMap;

use serde::Serialize;

use super::args::DetectArgs;
use super::open;
use super::output::{Voice, count, word};

use crate::detect::Detection;
use crate::model::{Character, Region, Test, Verdict};
use crate::rig::Appendage;

#[derive(Debug, Serialize)]
struct Found {
    height_m: f32,
    far_threshold_m: f32,
    /// Detecting and, for what decisions need of it, rigging; without reading.
    seconds: f64,
    regions: Vec<RegionLine>,
    existing_chains: Vec<ExistingLine>,
}

#[derive(Debug, Serialize)]
struct RegionLine {
    #[serde(flatten)]
    appendage: Appendage,
    /// Whether it is too little skin to be listed, and nobody has decided about it.
    #[serde(skip)]
    is_speck: bool,
    /// Vertices as numbered in the file, by `mesh/primitive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh_vertices: Option<BTreeMap<String, Vec<u32>>>,
}

#[derive(Debug, Serialize)]
struct ExistingLine {
    name: String,
    joints: Vec<String>,
    driven: bool,
}

/// Runs the verb.
///
/// # Errors
/// Where the file cannot be read, a decision is wrong or an expectation is not met.
pub fn run(args: &DetectArgs, voice: &Voice) -> anyhow::Result<()> {
    let opened = open::opened(&args.input, &args.decisions, voice)?;
    let (evaluated, loaded) = (&opened.evaluated, opened.loaded()?);
    let detection = &evaluated.detection;
    let regions = evaluated
        .appendages()
        .iter()
        .zip(&detection.regions)
        .map(|(appendage, region)| RegionLine {
            appendage: appendage.clone(),
            is_speck: region.is_speck() && appendage.verdict == Verdict::Leave,
            mesh_vertices: args.vertices.then(|| mesh_vertices(loaded, detection, region)),
        })
        .collect();
    let found = Found {
        height_m: detection.body.height_m,
        far_threshold_m: detection.far_threshold_m,
        seconds: detection.timings.total_secs(),
        regions,
        existing_chains: existing(&opened),
    };
    voice.result(&found, |out| print(&found, out))
}

fn existing(opened: &open::Opened) -> Vec<ExistingLine> {
    let rigged = &opened.evaluated.rigged;
    rigged
        .chains
        .iter()
        .filter(|chain| chain.origin == crate::model::ChainOrigin::Existing)
        .map(|chain| ExistingLine {
            name: chain.name.clone(),
            joints: chain
                .joints
                .iter()
                .map(|&n| rigged.character.skeleton.name(n).to_owned())
                .collect(),
            driven: chain.is_driven,
        })
        .collect()
}

fn mesh_vertices(
    character: &Character,
    detection: &Detection,
    region: &Region,
) -> BTreeMap<String, Vec<u32>> {
    let mut by_mesh: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for &vertex in &region.vertices {
        let (index, local) = detection.surface.locate(vertex);
        let source =
            character.instance(index).and_then(|i| character.mesh_of(i)).and_then(|m| m.source);
        let key = match source {
            Some(source) => format!("{}/{}", source.mesh, source.primitive),
            None => format!("{}/0", index.0),
        };
        by_mesh.entry(key).or_default().push(local);
    }
    // Two instances of one mesh list its vertices once.
    for list in by_mesh.values_mut() {
        list.sort_unstable();
        list.dedup();
    }
    by_mesh
}

fn print(found: &Found, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    writeln!(
        out,
        "height {:.3} m; far is over {:.3} m from the skeleton; {:.1} ms",
        found.height_m,
        found.far_threshold_m,
        found.seconds * 1e3
    )?;
    if found.regions.is_empty() {
        writeln!(out, "nothing stands off the skeleton")?;
    }
    let (specks, listed): (Vec<_>, Vec<_>) = found.regions.iter().partition(|line| line.is_speck);
    for line in listed {
        let a = &line.appendage;
        let mark = if a.verdict == Verdict::Leave { "–" } else { "✔" };
        let who = if a.by_user { " (by the user)" } else { "" };
        writeln!(
            out,
            "{mark} {:>2} {:<8} {:<6} on {}{who}: {}",
            a.id,
            word(&a.kind),
            word(&a.verdict),
            a.attachment,
            a.reason
        )?;
        writeln!(
            out,
            "       {}, reach {:.2} m, length {:.2} m, elongation {:.1}, flatness {:.1}, off-centre {:.2}, \
             sticks out {:.2}, slender {:.1}, margin {:.2}, joint distance {:.2} m",
            count(a.vertices, "vertex"),
            a.reach_m,
            a.length_m,
            a.elongation,
            a.flatness,
            a.centroid_ratio,
            a.protrusion,
            a.slenderness,
            a.margin,
            a.joint_distance_before_m
        )?;
        // What a number decided shows how close it was.
        let by_margin = |x: &&Test, y: &&Test| x.margin.abs().total_cmp(&y.margin.abs());
        if let Some(test) = a.tests.iter().min_by(by_margin) {
            let sign = if test.passes { "passes" } else { "fails" };
            writeln!(
                out,
                "       nearest test: {} {sign} by {:.0} % ({:.2} against {:.2})",
                word(&test.code),
                test.margin.abs() * 100.0,
                test.value,
                test.mark
            )?;
        }
    }
    if !specks.is_empty() {
        let n = count(specks.len(), "more region");
        writeln!(out, "  {n} of fewer than four vertices, left alone (--json lists all)")?;
    }
    for chain in &found.existing_chains {
        let how = if chain.driven { "driven by springs" } else { "left to the clips" };
        writeln!(out, "  existing chain {} ({}), {how}", chain.name, chain.joints.join(" → "))?;
    }
    Ok(())
}
