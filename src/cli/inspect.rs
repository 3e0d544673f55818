//! `inspect`: what is in a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use serde::Serialize;

use super::args::InspectArgs;
use super::open;
use super::output::{Voice, count};
use crate::detect::roles;
use crate::document::{CharacterEdits, map_of, mapped, source_roles, source_table};
use crate::geometry::Surface;
use crate::io::{self, Overwrite};
use crate::library::{Library, read_clips};
use crate::model::{BindPose, Character, Clip, Finding, HumanoidMap, NamingConvention, Role};

#[derive(Debug, Serialize)]
struct Inspection {
    file: String,
    name: String,
    characters: usize,
    height_m: f32,
    nodes: usize,
    meshes: Vec<MeshLine>,
    skins: Vec<SkinLine>,
    humanoid: HumanoidLine,
    clips: Vec<ClipLine>,
    springs: usize,
    constraints: usize,
    images: usize,
    generator: String,
    extensions_used: Vec<String>,
    extensions_required: Vec<String>,
    warnings: Vec<Finding>,
}

/// A file of motion, which has no character to be opened.
#[derive(Debug, Serialize)]
struct MotionInspection {
    file: String,
    joints: Vec<String>,
    humanoid: HumanoidLine,
    clips: Vec<ClipLine>,
}

#[derive(Debug, Serialize)]
struct MeshLine {
    name: String,
    node: String,
    vertices: usize,
    triangles: usize,
    skinned: bool,
    visible: bool,
}

#[derive(Debug, Serialize)]
struct SkinLine {
    name: String,
    joints: usize,
}

#[derive(Debug, Serialize)]
struct HumanoidLine {
    convention: NamingConvention,
    roles: BTreeMap<&'static str, String>,
    missing: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct ClipLine {
    name: String,
    /// What --clip finds it by: its name, with a number where others have that name too.
    key: String,
    duration_s: f64,
    looping: bool,
}

/// Runs the verb.
///
/// # Errors
/// Where the file cannot be read.
pub fn run(args: &InspectArgs, voice: &Voice) -> anyhow::Result<()> {
    if let Some(found) = motion(args, voice)? {
        return voice.result(&found, |out| print_motion(&found, out));
    }
    let source = open::source(&args.input, voice)?;
    let character = source.characters.get(args.input.character).context("the character is gone")?;
    if let Some(path) = &args.save_map {
        let mut edits = CharacterEdits::default();
        if let Some(given) = &args.input.map {
            // The roles of --map are the character's by now; those that no joint is to have, and its poses, go on with
            // them.
            edits = mapped(edits, &open::read_map(given)?, character)?;
        }
        let map = map_of(&edits, character, &roles::humanoid(character));
        save_map(path, &map, args, voice)?;
    }
    let facts = source.file.facts();
    let humanoid = roles::humanoid(character);
    let bind = BindPose::of(character, humanoid.node(Role::Hips));
    let inspection = Inspection {
        file: args.input.file.clone(),
        name: character.name.clone(),
        characters: source.characters.len(),
        height_m: Surface::of(character, &bind).height(),
        nodes: character.skeleton.len(),
        meshes: meshes(character),
        skins: character
            .skins
            .iter()
            .map(|s| SkinLine { name: s.name.clone(), joints: s.joints.len() })
            .collect(),
        humanoid: humanoid_line(character, &humanoid),
        clips: clips(character),
        springs: facts.n_springs,
        constraints: facts.n_constraints,
        images: facts.n_images,
        generator: facts.generator,
        extensions_used: facts.extensions_used,
        extensions_required: facts.extensions_required,
        warnings: source.report.findings.clone(),
    };
    voice.result(&inspection, |out| print(&inspection, out))
}

/// What is in a file of motion, with the roles that --map gives its joints; `None` for files that can be opened.
fn motion(args: &InspectArgs, voice: &Voice) -> anyhow::Result<Option<MotionInspection>> {
    let path = Path::new(&args.input.file);
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !matches!(ending.as_deref(), Some("bvh" | "fbx")) {
        return Ok(None);
    }
    let characters = read_clips(path, &voice.work())?;
    open::check_character(characters.len(), &args.input)?;
    let character = characters.get(args.input.character).context("the character is gone")?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut map = roles::RoleProfile::default();
    if let Some(given) = &args.input.map {
        map.poses = open::read_map(given)?.poses;
        if map.poses.roles_of(&name, &character.skeleton).is_none() {
            let given = given.display();
            voice.note(format!("note: --map {given}: its source_roles say nothing of {name}"));
        }
    }
    let humanoid = source_roles(&map.poses, &name, character);
    if let Some(path) = &args.save_map {
        map.poses.roles.insert(name, source_table(character, &humanoid));
        save_map(path, &map, args, voice)?;
    }
    Ok(Some(MotionInspection {
        file: args.input.file.clone(),
        joints: character.skeleton.nodes().iter().map(|node| node.name.clone()).collect(),
        humanoid: humanoid_line(character, &humanoid),
        clips: clips(character),
    }))
}

/// Writes the table of --save-map, never over the file that it is of.
fn save_map(
    path: &Path,
    map: &roles::RoleProfile,
    args: &InspectArgs,
    voice: &Voice,
) -> anyhow::Result<()> {
    let overwrite = Overwrite::if_forced(args.force);
    io::may_save(path, overwrite, Some(Path::new(&args.input.file)))?;
    io::save(path, map.write().as_bytes(), overwrite)?;
    voice.note(format!("wrote {}", path.display()));
    Ok(())
}

fn print_motion(found: &MotionInspection, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    writeln!(out, "{}", found.file)?;
    writeln!(out, "  joints      {}", found.joints.join(", "))?;
    print_humanoid(&found.humanoid, out)?;
    print_clips(&found.clips, out)
}

fn print_humanoid(found: &HumanoidLine, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let convention = serde_json::to_value(found.convention).unwrap_or_default();
    let roles = found.roles.len();
    match convention.as_str() {
        Some("none") | None => writeln!(out, "  humanoid    none found")?,
        Some(name) => writeln!(out, "  humanoid    {} by {name} names", count(roles, "role"))?,
    }
    if roles > 0 && !found.missing.is_empty() {
        writeln!(out, "              missing: {}", found.missing.join(", "))?;
    }
    Ok(())
}

fn print_clips(clips: &[ClipLine], out: &mut dyn std::io::Write) -> std::io::Result<()> {
    for clip in clips {
        let looping = if clip.looping { ", loops" } else { "" };
        let key = match clip.key == clip.name {
            true => String::new(),
            false => format!(", --clip '{}'", clip.key),
        };
        let name = quoted(&clip.name);
        writeln!(out, "  clip        {name:<24} {:.2} s{looping}{key}", clip.duration_s)?;
    }
    Ok(())
}

fn meshes(character: &Character) -> Vec<MeshLine> {
    character
        .instances
        .iter()
        .filter_map(|instance| {
            let mesh = character.mesh_of(instance)?;
            Some(MeshLine {
                name: mesh.name.clone(),
                node: character.skeleton.name(instance.node).to_owned(),
                vertices: mesh.n_vertices(),
                triangles: mesh.triangles.len(),
                skinned: instance.skin.is_some(),
                visible: instance.is_visible,
            })
        })
        .collect()
}

fn clips(character: &Character) -> Vec<ClipLine> {
    let library = Library::default().with_own(character);
    let line = |(place, clip): (usize, &Arc<Clip>)| ClipLine {
        name: clip.name.clone(),
        key: library.key(place).unwrap_or_default(),
        duration_s: clip.duration_secs,
        looping: clip.looping,
    };
    character.clips.iter().enumerate().map(line).collect()
}

fn humanoid_line(character: &Character, humanoid: &HumanoidMap) -> HumanoidLine {
    HumanoidLine {
        convention: humanoid.convention,
        roles: humanoid
            .roles
            .iter()
            .map(|(role, &node)| (role.name(), character.skeleton.name(node).to_owned()))
            .collect(),
        missing: humanoid.missing().map(Role::name).collect(),
    }
}

fn print(found: &Inspection, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    writeln!(out, "{}", found.file)?;
    if !found.generator.is_empty() {
        writeln!(out, "  made by     {}", found.generator)?;
    }
    writeln!(out, "  height      {:.3} m", found.height_m)?;
    if found.characters > 1 {
        writeln!(out, "  characters  {} (choose with --character)", found.characters)?;
    }
    print_humanoid(&found.humanoid, out)?;
    for skin in &found.skins {
        writeln!(out, "  skin        {} {}", count(skin.joints, "joint"), quoted(&skin.name))?;
    }
    for mesh in &found.meshes {
        let how = match (mesh.skinned, mesh.visible) {
            (_, false) => "hidden",
            (true, _) => "skinned",
            (false, _) => "follows its node",
        };
        let (vertices, triangles) =
            (count(mesh.vertices, "vertex"), count(mesh.triangles, "triangle"));
        let size = format!("{vertices}, {triangles}");
        writeln!(out, "  mesh        {:<24} {size}, {how}", quoted(&mesh.name))?;
    }
    print_clips(&found.clips, out)?;
    if found.springs + found.constraints > 0 {
        let springs = count(found.springs, "spring");
        let constraints = count(found.constraints, "constraint");
        writeln!(out, "  VRM         {springs}, {constraints}")?;
    }
    for (what, list) in
        [("extensions", &found.extensions_used), ("required", &found.extensions_required)]
    {
        if !list.is_empty() {
            writeln!(out, "  {what:<11} {}", list.join(", "))?;
        }
    }
    for finding in &found.warnings {
        writeln!(out, "  {:<11} {finding}", format!("{:?}", finding.severity).to_lowercase())?;
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
