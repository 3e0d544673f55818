//! From arguments to an evaluated document: the same for every verb that edits or shows edits.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};

use super::args::{AxesArg, Decisions, Input};
use super::output::{Voice, WrongUsage, count};
use crate::detect::region_from_tip;
use crate::detect::roles::RoleProfile;
use crate::document::export::Target;
use crate::document::project::{Project, SourceRef};
use crate::document::{
    self, CharacterEdits, Document, Evaluated, Expect, Selector, Source, StageCache, Treat, assign,
    evaluate, make_region, mapped, preset, treat, vertex_in_file,
};
use crate::io::{self, Overwrite};
use crate::model::{ChainOrigin, Character, Severity, Verdict};
use crate::rig::JointAxes;

/// A document with its decisions applied.
pub struct Opened {
    /// The file and all decisions.
    pub document: Document,
    /// Which of its characters.
    pub character: u32,
    /// What detection and rigging made of it.
    pub evaluated: Evaluated,
    /// Clips that its project has made of others.
    pub made_clips: Vec<String>,
    /// What to do where a file stands in the way.
    pub overwrite: Overwrite,
}

impl Opened {
    /// The file, as it was asked for: whom a message is about.
    pub fn origin(&self) -> &str {
        &self.document.source().origin
    }

    /// The file that is never written over; `None` for a sample.
    pub fn input(&self) -> Option<&Path> {
        Some(Path::new(self.origin())).filter(|path| path.exists())
    }

    /// The loaded character.
    pub fn loaded(&self) -> anyhow::Result<&Character> {
        self.document.character(self.character).context("the character is gone")
    }
}

/// Takes `edits` for the opened character and evaluates again.
pub fn re_evaluate(
    opened: &mut Opened,
    edits: CharacterEdits,
    voice: &Voice,
) -> anyhow::Result<()> {
    let character = opened.character;
    let all = opened.document.edits.clone().with_character(character, edits);
    opened.document.edits = all;
    let mut cache = StageCache::default();
    opened.evaluated = evaluate(&opened.document, character, &mut cache, &voice.work())?;
    Ok(())
}

/// Opens a file to be looked at, the picked one of its characters with the roles of --map.
pub fn source(input: &Input, voice: &Voice) -> anyhow::Result<Source> {
    let mut source = as_it_is(input, voice)?;
    if let (Some(path), Some(character)) = (&input.map, source.characters.get_mut(input.character))
    {
        let named = || format!("--map {}", path.display());
        read_map(path)?.apply(character).with_context(named)?;
    }
    Ok(source)
}

/// Opens a file that has the character asked for.
fn as_it_is(input: &Input, voice: &Voice) -> anyhow::Result<Source> {
    let source = document::open(&input.file, &voice.work())?;
    check_character(source.characters.len(), input)?;
    Ok(source)
}

/// Reads the profile of --map.
pub fn read_map(path: &Path) -> anyhow::Result<RoleProfile> {
    let text = io::read_text(path).context("--map")?;
    RoleProfile::read(&text).with_context(|| format!("--map {}", path.display()))
}

/// Whether a file of `n` characters has the one asked for.
pub fn check_character(n: usize, input: &Input) -> anyhow::Result<()> {
    if input.character >= n {
        let (file, wanted) = (&input.file, input.character);
        bail!(
            "{file}: there is no character {wanted}; the file has {}, numbered from 0",
            count(n, "character")
        );
    }
    Ok(())
}

/// Opens a file, applies the decisions of the arguments over those of the project and of the file's own marks,
/// detects and rigs.
pub fn opened(input: &Input, decisions: &Decisions, voice: &Voice) -> anyhow::Result<Opened> {
    let work = voice.work();
    let mut document = Document::new(as_it_is(input, voice)?);
    let character = input.character as u32;
    let mut kept = Project::default();
    if let Some(path) = &decisions.project {
        let (project, notices) = read_project(path)?;
        document.edits = project.edits.clone();
        kept = project;
        notices.iter().for_each(|n| voice.note(format!("{}: {n}", path.display())));
    }
    let mut edits = document.edits.character(character);
    if let Some(path) = &input.map {
        let loaded = document.character(character).context("the character is gone")?;
        edits = mapped(edits, &read_map(path)?, loaded)
            .with_context(|| format!("--map {}", path.display()))?;
    }
    let edits = decided(edits, decisions)?;
    document.edits = document.edits.clone().with_character(character, edits);
    let mut cache = StageCache::default();
    if !decisions.tip.is_empty() {
        let found = evaluate(&document, character, &mut cache, &work)?;
        let loaded = document.character(character).context("the character is gone")?;
        let mut edits = document.edits.character(character);
        for text in &decisions.tip {
            let tip = parse_tip(text)?;
            edits = from_tip(edits, tip, loaded, &found)
                .with_context(|| format!("{}: --tip {text}", input.file))?;
        }
        document.edits = document.edits.clone().with_character(character, edits);
    }
    if !decisions.treat.is_empty() {
        // Regions are told apart by number, so they must be found before a decision can name one.
        let found = evaluate(&document, character, &mut cache, &work)?;
        let loaded = document.character(character).context("the character is gone")?;
        let mut edits = document.edits.character(character);
        for text in &decisions.treat {
            let decision: Treat = parsed("--treat", text)?;
            if let Selector::Kind(kind) = decision.regions
                && !found.detection.regions.iter().any(|region| region.kind == kind)
            {
                voice.note(format!("note: --treat {text}: no region of that kind was found"));
            }
            edits = treat(edits, decision, loaded, &found)
                .with_context(|| format!("--treat {text}"))?;
        }
        document.edits = document.edits.clone().with_character(character, edits);
    }
    let evaluated = evaluate(&document, character, &mut cache, &work)?;
    tell(&document, &evaluated, voice);
    expect(decisions, &evaluated, &input.file)?;
    let made_clips = kept.made_clips.clone();
    let overwrite = Overwrite::if_forced(decisions.force);
    if let Some(path) = &decisions.save_project {
        // Whoever gives a project and saves it goes on with it.
        let is_given = decisions.project.as_ref().is_some_and(|p| io::is_same_file(p, path));
        let overwrite = if is_given { Overwrite::Force } else { overwrite };
        save_project(path, &document, kept, overwrite)?;
    }
    Ok(Opened { document, character, evaluated, made_clips, overwrite })
}

/// What an option says.
///
/// # Errors
/// [`WrongUsage`], naming the option.
fn parsed<T>(option: &str, text: &str) -> anyhow::Result<T>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.parse().with_context(|| format!("{option} {text}")).map_err(WrongUsage::of)
}

/// The mesh, primitive and vertex of --tip.
fn parse_tip(text: &str) -> anyhow::Result<(u32, u32, u32)> {
    let numbers: Option<Vec<u32>> = text.split('/').map(|word| word.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[mesh, primitive, vertex]) => Ok((mesh, primitive, vertex)),
        _ => Err(WrongUsage::of(anyhow!(
            "--tip {text}: write mesh, primitive and vertex as in 0/0/1234 (see `tailbone detect --vertices`)"
        ))),
    }
}

/// `edits` with the region made that ends at a vertex.
fn from_tip(
    edits: CharacterEdits,
    tip: (u32, u32, u32),
    loaded: &Character,
    found: &Evaluated,
) -> anyhow::Result<CharacterEdits> {
    let tip = vertex_in_file(loaded, &found.detection, tip).context(
        "the file has no such vertex; `tailbone detect --vertices --json` lists those of its regions",
    )?;
    let region = region_from_tip(loaded, &found.detection, &edits.detect, tip).context(
        "no neck was met on the way to the body; name a vertex nearer the end of what sticks out",
    )?;
    Ok(make_region(edits, loaded, &found.detection, &region.vertices, &[]))
}

fn decided(mut edits: CharacterEdits, decisions: &Decisions) -> anyhow::Result<CharacterEdits> {
    if let Some(name) = &decisions.preset {
        let preset = preset(name).with_context(|| format!("--preset {name}"))?;
        edits.springs = preset.settings;
        edits.preset = Some(preset.name);
    }
    for assignment in &decisions.set {
        edits = assign(edits, assignment)
            .with_context(|| format!("--set {assignment}"))
            .map_err(WrongUsage::of)?;
    }
    if let Some(facing) = decisions.facing {
        edits.body.facing = facing.stated();
    }
    if let Some(height) = decisions.height {
        edits.body.height_m = height.stated();
    }
    edits.retarget.reach_hands |= decisions.reach_hands;
    if let Some(axes) = axes(decisions) {
        edits.axes = axes;
    }
    if let Some(naming) = decisions.naming {
        edits.naming = naming.into();
    }
    if let Some(influences) = decisions.influences {
        edits.influences = influences;
    }
    Ok(edits)
}

/// Axes asked for, or those the target's users expect.
fn axes(decisions: &Decisions) -> Option<JointAxes> {
    match (decisions.axes, decisions.target) {
        (Some(AxesArg::Parent), _) => Some(JointAxes::Parent),
        (Some(AxesArg::Along), _) => Some(JointAxes::Along),
        (Some(AxesArg::XAlong), _) => Some(JointAxes::XAlong),
        (None, target) => target.map(|t| Target::from(t).axes()),
    }
}

fn tell(document: &Document, evaluated: &Evaluated, voice: &Voice) {
    for finding in &document.source().report.findings {
        if finding.severity > Severity::Notice {
            voice.note(format!("note: {finding}"));
        }
    }
    for notice in &evaluated.notices {
        voice.note(format!("note: {notice}"));
    }
}

/// Says on stderr that nothing was edited, and what could be.
pub fn tell_if_nothing_was_edited(evaluated: &Evaluated, voice: &Voice) {
    if !evaluated.rigged.changes.is_empty(&evaluated.rigged.character) {
        return;
    }
    let left = evaluated.appendages().iter().filter(|a| a.verdict == Verdict::Leave).count();
    let advice = match left {
        0 => "no region stands off the skeleton".to_owned(),
        1 => "1 region left as it is; `tailbone detect` says why, --treat overrules it".to_owned(),
        n => format!(
            "{n} regions left as they are; `tailbone detect` says why, --treat overrules it"
        ),
    };
    let of_file = |is_driven: bool| -> Vec<&str> {
        let chains = evaluated.rigged.chains.iter();
        let chains =
            chains.filter(|c| c.origin == ChainOrigin::Existing && c.is_driven == is_driven);
        chains.map(|c| c.name.as_str()).collect()
    };
    let (driven, at_rest) = (of_file(true), of_file(false));
    if driven.is_empty() {
        voice.note(format!("note: nothing was edited: {advice}"));
    } else {
        let names = listed(&driven);
        voice.note(format!("note: no skin was edited; springs drive the file's own {names}"));
    }
    if let Some(first) = at_rest.first() {
        let names = listed(&at_rest);
        voice.note(format!(
            "note: the file has chains of its own that are left to the clips: {names}; --treat {first}=chain drives one"
        ));
    }
}

/// Names in a row, of many the first few.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 6;
    let (shown, more) = names.split_at(names.len().min(MOST));
    let shown = shown.join(", ");
    if more.is_empty() { shown } else { format!("{shown} and {} more", more.len()) }
}

fn expect(decisions: &Decisions, evaluated: &Evaluated, file: &str) -> anyhow::Result<()> {
    let report = evaluated.appendages();
    for text in &decisions.expect {
        let expect: Expect = parsed("--expect", text)?;
        if let Err(fault) = expect.check(report) {
            bail!("{file}: {fault}");
        }
    }
    Ok(())
}

fn read_project(path: &Path) -> anyhow::Result<(Project, Vec<document::Notice>)> {
    let text = io::read_text(path).context("--project")?;
    Project::read(&text).with_context(|| path.display().to_string())
}

/// Saves the document's decisions; what `kept` says besides stays as it is.
fn save_project(
    path: &Path,
    document: &Document,
    kept: Project,
    overwrite: Overwrite,
) -> anyhow::Result<()> {
    let source = document.source();
    io::may_save(path, overwrite, Some(Path::new(&source.origin)))?;
    let project = Project {
        app: env!("CARGO_PKG_VERSION").into(),
        solver: crate::motion::SOLVER_VERSION.into(),
        source: SourceRef::of(&source.origin, path),
        edits: document.edits.clone(),
        ..kept
    };
    io::save(path, project.write().as_bytes(), overwrite)?;
    Ok(())
}
