//! `hair fit` and `hair measure`.

use anyhow::{Context, anyhow, bail};
use serde::Serialize;

use super::args::{HairFitArgs, HairMeasureArgs, SolverArg};
use super::open::{self, Opened};
use super::output::{Voice, WrongUsage, count};
use super::play;
use super::write::write;
use crate::document::export::{ExportSettings, becomes_vrm, is_vrm_name};
use crate::document::{HairEdits, JointRef, SkirtLine, StrandEdit, skirts};
use crate::measure::{
    HEAD_TURN_SECS, HairMeasureInput, HairMeasurement, SkirtCheck, StrandGap, fit_vrm, head_turn,
    measure_hair, vrm_gap,
};
use crate::model::{ChainOrigin, HairSettings, HairSolver};
use crate::rig::{HairPlan, StrandPath, StrandPlan, propose_strand, select};

#[derive(Debug, Serialize)]
struct FitResult {
    written: Vec<String>,
    chain: Vec<String>,
    attachment: String,
    fixed_zone_m: f32,
    length_m: f32,
    vertices: usize,
    /// How far VRM's own algorithm will show each strand from the preview in the head-turn test; empty where the file
    /// is no VRM.
    vrm_app: Vec<StrandGap>,
}

#[derive(Debug, Serialize)]
struct MeasureResult {
    #[serde(flatten)]
    found: HairMeasurement,
    /// Legs through skirts in Walk, Sprint and Sitting; empty without a skirt, and where a clip was asked for.
    skirt_clips: Vec<SkirtLine>,
}

/// Runs `hair fit`.
///
/// # Errors
/// Where the file cannot be read or written, or has no such mesh.
pub fn fit(args: &HairFitArgs, voice: &Voice) -> anyhow::Result<()> {
    let mut opened = open::opened(&args.input, &args.decisions, voice)?;
    let strand = picked(args, &opened)?;
    let path = proposal(&opened, &strand).with_context(|| {
        let (file, mesh) = (&args.input.file, &args.mesh);
        format!(
            "{file}: `{mesh}` cannot be a strand: it has no skin, or nothing to hang from; name a joint with --attach"
        )
    })?;
    let character = opened.character;
    let mut edits = opened.document.edits.character(character);
    let at = edits.hair.put_strand(strand) as u32;
    if let Some(settings) = preset(args.hair_preset.as_deref())? {
        edits.hair.settings = settings;
        edits.hair.preset.clone_from(&args.hair_preset);
    }
    open::re_evaluate(&mut opened, edits, voice)?;
    let gaps = match head_turn(&opened.evaluated.rigged) {
        Some(clip) if writes_vrm(args, &opened)? => {
            if args.fit_vrm {
                let fits = fit_vrm(&opened.evaluated.rigged, &clip, &voice.work())?;
                let mut edits = opened.document.edits.character(character);
                edits.hair.vrm_fits.extend(fits);
                open::re_evaluate(&mut opened, edits, voice)?;
            }
            vrm_gap(&opened.evaluated.rigged, &clip, &voice.work())?
        }
        _ => Vec::new(),
    };
    let written = write(&opened, &args.output, &[], &ExportSettings::default())?;
    let rigged = &opened.evaluated.rigged;
    let chain =
        rigged.chains.iter().find(|c| c.origin == ChainOrigin::Strand(at)).with_context(|| {
            let (file, mesh) = (&args.input.file, &args.mesh);
            format!("{file}: `{mesh}` could not be given joints; try another number of --joints")
        })?;
    let skeleton = &rigged.character.skeleton;
    let result = FitResult {
        written,
        chain: chain.joints.iter().map(|&j| skeleton.name(j).to_owned()).collect(),
        attachment: skeleton.name(chain.anchor).to_owned(),
        fixed_zone_m: path.fixed_m,
        length_m: path.length_m,
        vertices: rigged.changes.n_vertices(),
        vrm_app: gaps,
    };
    voice.result(&result, |out| {
        writeln!(
            out,
            "{} on {}, {:.2} m long, the first {:.1} cm fixed",
            result.chain.join(", "),
            result.attachment,
            result.length_m,
            100.0 * result.fixed_zone_m
        )?;
        writeln!(out, "{} reweighted", count(result.vertices, "vertex"))?;
        for gap in &result.vrm_app {
            writeln!(
                out,
                "in a VRM app {} is {:.1} % of its length from the preview, at most {:.0} mm",
                gap.name, gap.rms_percent, gap.largest_mm
            )?;
        }
        result.written.iter().try_for_each(|path| writeln!(out, "wrote {path}"))
    })
}

/// Whether what is written is a VRM.
fn writes_vrm(args: &HairFitArgs, opened: &Opened) -> anyhow::Result<bool> {
    let is_wanted = is_vrm_name(&args.output.output);
    let is_one = opened.evaluated.rigged.character.vrm.is_some();
    Ok(is_one || becomes_vrm(&opened.document, &opened.evaluated, is_wanted)?)
}

/// The strand that the arguments name.
fn picked(args: &HairFitArgs, opened: &Opened) -> anyhow::Result<StrandEdit> {
    let (loaded, detection) = (opened.loaded()?, &opened.evaluated.detection);
    let vertices = select::mesh_named(loaded, detection, &args.mesh);
    if vertices.is_empty() {
        let names = select::mesh_names(loaded).join("`, `");
        let (file, mesh) = (&args.input.file, &args.mesh);
        bail!("{file}: there is no mesh `{mesh}`; the meshes are `{names}`");
    }
    // Where --attach says what it hangs from, it is meant.
    let of_body = select::on_the_body(loaded, detection, &vertices);
    if args.attach.is_none() && of_body * select::MOST_OF_BODY > vertices.len() {
        let (file, mesh, all) = (&args.input.file, &args.mesh, vertices.len());
        bail!(
            "{file}: {of_body} of the {all} vertices of `{mesh}` follow hips, arms or legs: the whole mesh would hang from \
             the head. Part the hair off into a mesh of its own, pick it in the studio's Hair workspace, or say with \
             --attach JOINT what all of it hangs from"
        );
    }
    let mut strand = StrandEdit::of(loaded, detection, &vertices);
    strand.joints = args.joints;
    if let Some(name) = &args.attach {
        let skeleton = &loaded.skeleton;
        let node = skeleton.by_name().get(name.as_str()).copied();
        let node = node.with_context(|| {
            format!(
                "{}: there is no joint `{name}` to hang it from; `tailbone inspect --json` lists joints by their roles",
                args.input.file
            )
        })?;
        strand.attachment = Some(JointRef::of(loaded, node));
    }
    Ok(strand)
}

/// The way of a strand; `None` where it has none.
fn proposal(opened: &Opened, strand: &StrandEdit) -> Option<StrandPath> {
    let (loaded, detection) = (opened.loaded().ok()?, &opened.evaluated.detection);
    let plan: Option<StrandPlan> = strand.plan(loaded, detection, &mut Vec::new());
    propose_strand(loaded, detection, &plan?)
}

fn preset(name: Option<&str>) -> anyhow::Result<Option<HairSettings>> {
    let Some(name) = name else { return Ok(None) };
    let found = HairSettings::preset(&name.to_lowercase());
    let names = HairSettings::PRESETS.join(", ");
    let fault =
        || anyhow!("--hair-preset {name}: there is no such preset; the presets are: {names}");
    Ok(Some(found.ok_or_else(fault).map_err(WrongUsage::of)?))
}

/// Takes skirts and the rule that are asked for.
fn decide(args: &HairMeasureArgs, hair: &mut HairEdits) {
    hair.skirts.extend(args.skirt.iter().cloned());
    let solver = match args.solver {
        SolverArg::Improved => HairSolver::Improved,
        SolverArg::Earlier => HairSolver::Earlier,
        SolverArg::VrmApp => HairSolver::VrmApp,
    };
    if solver == HairSolver::Earlier && !args.same_parameters {
        hair.settings = HairSettings::EARLIER;
        // As it was: colliders by the artist alone.
        hair.fit_colliders = false;
    }
    hair.settings.solver = solver;
    for settings in hair.chains.values_mut() {
        settings.solver = solver;
    }
    for strand in &mut hair.strands {
        if let Some(settings) = &mut strand.settings {
            settings.solver = solver;
        }
    }
}

/// Runs `hair measure`.
///
/// # Errors
/// Where the file cannot be read, has no hair with joints, or the clip does not fit it.
pub fn measure(args: &HairMeasureArgs, voice: &Voice) -> anyhow::Result<()> {
    let mut opened = open::opened(&args.input, &args.decisions, voice)?;
    let mut edits = opened.document.edits.character(opened.character);
    if let Some(settings) = preset(args.hair_preset.as_deref())? {
        edits.hair.settings = settings;
    }
    decide(args, &mut edits.hair);
    open::re_evaluate(&mut opened, edits, voice)?;
    check_skirts(args, &opened)?;
    let rigged = &opened.evaluated.rigged;
    if !rigged.chains.iter().any(|c| c.hair.is_some() && c.is_driven) {
        bail!(
            "{}: there is no hair with joints; pick a mesh with `hair fit` first",
            args.input.file
        );
    }
    let library = play::library(Some(&opened), &args.library, voice)?;
    let (clip, seconds) = match &args.clip {
        Some(name) => {
            let (_, clip) = play::clip(&opened, &library, name, voice)?;
            let seconds = args.seconds.unwrap_or_else(|| clip.duration_secs.max(4.0));
            (crate::model::Clip::clone(&clip), seconds)
        }
        None => {
            let clip = head_turn(rigged).with_context(|| {
                format!(
                    "{}: no joint is known as its head or hips, which the head-turn test turns; say who is who with --map, \
                     or measure in a --clip",
                    args.input.file
                )
            })?;
            (clip, args.seconds.unwrap_or(HEAD_TURN_SECS))
        }
    };
    let input = HairMeasureInput { rigged, clip: &clip, seconds, rate_hz: args.rate };
    let found = measure_hair(&input, &voice.work())?;
    let skirt_clips = match args.clip {
        Some(_) => Vec::new(),
        None => {
            let how = (&library, args.seconds);
            skirts(opened.loaded()?, &opened.evaluated, how, &voice.work())
                .with_context(|| opened.origin().to_owned())?
        }
    };
    let result = MeasureResult { found, skirt_clips };
    voice.result(&result, |out| {
        print(&result.found, out)?;
        let lines = result.skirt_clips.iter();
        lines
            .map(|line| (format!(", {}", line.clip), &line.check))
            .try_for_each(|(clip, check)| print_skirt(check, &clip, out))
    })
}

fn print_skirt(
    check: &SkirtCheck,
    clip: &str,
    out: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    let SkirtCheck { through, vertices, deepest_mm, .. } = check;
    writeln!(
        out,
        "  skirt       {through} of {vertices} leg vertices through the cloth, {deepest_mm:.1} mm deep{clip}"
    )
}

/// A skirt that is no chain of hair would be measured as none.
fn check_skirts(args: &HairMeasureArgs, opened: &Opened) -> anyhow::Result<()> {
    let chains = opened.evaluated.rigged.chains.iter().filter(|c| c.hair.is_some());
    let names: Vec<&str> = chains.map(|c| c.name.as_str()).collect();
    let is_there = |wanted: &String| {
        let only = HairPlan { skirts: [wanted.clone()].into(), ..HairPlan::default() };
        names.iter().any(|name| only.is_skirt(name))
    };
    if let Some(wanted) = args.skirt.iter().find(|wanted| !is_there(wanted)) {
        let (file, names) = (&args.input.file, names.join("`, `"));
        bail!("{file}: --skirt {wanted}: there is no such chain; the chains are `{names}`");
    }
    Ok(())
}

fn print(found: &HairMeasurement, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let chains = count(found.chains, "strand");
    let (edges, frames) = (count(found.edges, "edge"), count(found.frames, "frame"));
    writeln!(out, "{chains}, {edges}, {frames}")?;
    writeln!(
        out,
        "  stretch     p99 {:.1} %, worst {:.1} %",
        found.p99_percent, found.worst_percent
    )?;
    writeln!(out, "  settling    {:.5} mm a frame at the end", found.settle_mm)?;
    writeln!(out, "  lag         {:.1} mm", found.lag_mm)?;
    let seen = &found.occlusion;
    writeln!(
        out,
        "  occlusion   {} of {} front vertices hidden, {:.1} mm deep",
        seen.hidden, seen.vertices, seen.deepest_mm
    )?;
    let torso = &found.torso;
    writeln!(
        out,
        "  torso       {} inside, {:.1} mm deep, {} checked",
        count(torso.links_inside, "link"),
        torso.deepest_mm,
        count(torso.colliders, "collider")
    )?;
    if found.skirt.vertices > 0 {
        print_skirt(&found.skirt, "", out)?;
    }
    Ok(())
}
