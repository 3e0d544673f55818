//! Arguments of every verb.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::parse;
use crate::document::export::Target;
use crate::model::Facing;
use crate::rig::JointNaming;

/// Gives tails that an auto-rigger overlooked their own joints, springs and baked motion.
#[derive(Debug, Parser)]
#[command(name = "tailbone", version, max_term_width = 100)]
#[command(
    after_help = "`tailbone` and `tailbone FILE` open the studio. FILE may be sample:fox, sample:mouse, … wherever a file is taken. \
Results go to stdout, notes and progress to stderr. Exit code 0: done, 1: failed, 2: wrong usage."
)]
pub struct Cli {
    /// What to do; without a verb the studio opens.
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// What the studio opens: a GLB, glTF or VRM file, a project, or sample:NAME.
    #[arg(value_name = "FILE")]
    pub file: Option<String>,
    /// Print exactly one JSON document to stdout.
    #[arg(long, global = true)]
    pub json: bool,
    /// Say less on stderr: no notes, no progress.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Writes the embedded sample characters.
    Samples(SamplesArgs),
    /// Says what is in a file.
    Inspect(InspectArgs),
    /// Finds appendages and says why they were accepted or not.
    Detect(DetectArgs),
    /// Writes a GLB with chains and weights for what was found.
    Rig(RigArgs),
    /// Rigs, simulates the springs under clips and writes the motion as keys.
    Bake(BakeArgs),
    /// Lists the clip library.
    Clips(ClipsArgs),
    /// Measures stretch and motion of the raw, rigid and chain rig under a clip.
    Measure(MeasureArgs),
    /// Plays every clip at hand on a character and ranks them by what is worst in each.
    Sweep(SweepArgs),
    /// Draws a picture, without a window.
    #[cfg(feature = "app")]
    Render(RenderArgs),
    /// Does again what was done in the studio, from a script it saved.
    Replay(ReplayArgs),
    /// Gives hair joints of its own, and measures how it moves.
    #[command(subcommand)]
    Hair(HairVerb),
    /// Does the main job on the embedded fox.
    Demo(DemoArgs),
    /// Says what this machine offers and what is missing.
    Doctor,
}

/// `samples`
#[derive(Debug, Args)]
pub struct SamplesArgs {
    /// Folder to write to; made when missing.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Make them anew from their recipes instead of writing the embedded files.
    #[arg(long)]
    pub regenerate: bool,
    /// Write over files that exist.
    #[arg(long)]
    pub force: bool,
}

/// The file a verb works on.
#[derive(Debug, Args)]
pub struct Input {
    /// A GLB, glTF or VRM file, or sample:NAME.
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Which of several characters in the file, from 0.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub character: usize,
    /// Roles by hand where names do not say, and the pose that clips are retargeted by: a table {"hips": "Pelvis", …},
    /// as `inspect --save-map` and the studio write it, or (roles: {…}, pose: (base: bind, turns: {leftUpperArm: (0, 0, 45)}),
    /// source_roles: {"walks.bvh": {"hips": "Bone"}}), the last of which are those of the files of --library.
    #[arg(long, value_name = "FILE.ron")]
    pub map: Option<PathBuf>,
}

/// `inspect`
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// What to look at.
    #[command(flatten)]
    pub input: Input,
    /// Write the character's roles, and the poses of --map, as a table to correct and give back with --map; of a BVH or
    /// FBX file, those of its skeleton.
    #[arg(long, value_name = "FILE.ron")]
    pub save_map: Option<PathBuf>,
    /// Write over a file that exists.
    #[arg(long, requires = "save_map")]
    pub force: bool,
}

/// Decisions about a character, the same on every verb that edits or shows edits.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Decisions")]
pub struct Decisions {
    /// A saved project's decisions.
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
    /// Write all decisions, these included, to a project file: a new one, or that of --project.
    #[arg(long, value_name = "FILE")]
    pub save_project: Option<PathBuf>,
    /// Write over files that exist.
    #[arg(long, help_heading = None::<&'static str>)]
    pub force: bool,
    /// Springs: fox, mouse, heavy, lazy, cat, lizard, … or a RON file.
    #[arg(long, value_name = "NAME|FILE.ron")]
    pub preset: Option<String>,
    /// One spring setting, e.g. carry=30deg or frequency=1.2; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How to treat a kind or a region, e.g. tail=rigid or 3=chain, or, by its name, a chain that the file has already:
    /// Tail_1=chain drives it with springs, Tail_1=leave leaves it to the clips; may be given several times.
    #[arg(long, value_name = "KIND|ID|CHAIN=VERDICT")]
    pub treat: Vec<String>,
    /// Make a region by hand: from this vertex near its tip towards the body to the neck; may be given several times.
    /// Its number follows those of the regions found.
    #[arg(long, value_name = "MESH/PRIMITIVE/VERTEX")]
    pub tip: Vec<String>,
    /// Fail unless this was found, e.g. tail or tail=2.
    #[arg(long, value_name = "KIND[=N]")]
    pub expect: Vec<String>,
    /// Which axis of the file the character faces along, where that was misread; `auto` leaves it to the program.
    #[arg(long, value_enum, allow_hyphen_values = true)]
    pub facing: Option<FacingArg>,
    /// The character's height, which thresholds and springs are scaled by; `auto` is that of its skin.
    #[arg(long, value_name = "METRES|auto", value_parser = parse::height, allow_negative_numbers = true)]
    pub height: Option<HeightArg>,
    /// Bring hands to where they reach in the clip, in lengths of the arms, instead of turning arms as it does: what
    /// meets or holds goes on to.
    #[arg(long)]
    pub reach_hands: bool,
    /// Orientation of new joints; `along` where the target is Blender, `x-along` for Unreal, else `parent`.
    #[arg(long, value_enum)]
    pub axes: Option<AxesArg>,
    /// Names of new joints: Tail_1, tail_01 or Tail.001; `plain` unless the project says otherwise.
    #[arg(long, value_enum)]
    pub naming: Option<NamingArg>,
    /// The program the file is for; decides the axes of new joints where --axes does not.
    #[arg(long, value_enum)]
    pub target: Option<TargetArg>,
    /// Most influences of an edited vertex, 4 or 8; 4 unless the project says otherwise.
    #[arg(long, value_name = "4|8", value_parser = parse::influences)]
    pub influences: Option<u32>,
}

/// Orientation of new joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AxesArg {
    /// The attachment joint's bind rotation.
    Parent,
    /// +Y to the child, as Blender draws bones.
    Along,
    /// +X to the child, as Unreal and Maya have it.
    XAlong,
}

/// Where a character faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FacingArg {
    /// As the program finds it.
    Auto,
    /// As glTF and VRM 1 have it.
    #[value(name = "+z")]
    PlusZ,
    /// As VRM 0 has it.
    #[value(name = "-z")]
    MinusZ,
    /// To its file's +X.
    #[value(name = "+x")]
    PlusX,
    /// To its file's -X.
    #[value(name = "-x")]
    MinusX,
}

impl FacingArg {
    /// What is stated; `None` leaves it to the program.
    pub const fn stated(self) -> Option<Facing> {
        match self {
            Self::Auto => None,
            Self::PlusZ => Some(Facing::PlusZ),
            Self::MinusZ => Some(Facing::MinusZ),
            Self::PlusX => Some(Facing::PlusX),
            Self::MinusX => Some(Facing::MinusX),
        }
    }
}

/// A height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeightArg {
    /// As it is measured.
    Auto,
    /// In metres.
    Metres(f32),
}

impl HeightArg {
    /// What is stated, metres; `None` leaves it to the program.
    pub const fn stated(self) -> Option<f32> {
        match self {
            Self::Auto => None,
            Self::Metres(height) => Some(height),
        }
    }
}

/// Names of new joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NamingArg {
    /// Tail_1 … Tail_End.
    Plain,
    /// tail_01 … tail_end.
    Padded,
    /// Tail.001 … Tail.End.
    Dotted,
}

impl From<NamingArg> for JointNaming {
    fn from(arg: NamingArg) -> Self {
        match arg {
            NamingArg::Plain => Self::Plain,
            NamingArg::Padded => Self::Padded,
            NamingArg::Dotted => Self::Dotted,
        }
    }
}

impl From<TargetArg> for Target {
    fn from(arg: TargetArg) -> Self {
        match arg {
            TargetArg::Gltf => Self::Gltf,
            TargetArg::Blender => Self::Blender,
            TargetArg::Unity => Self::Unity,
            TargetArg::Unreal => Self::Unreal,
            TargetArg::Godot => Self::Godot,
        }
    }
}

/// The program a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetArg {
    /// Any glTF reader.
    Gltf,
    /// Blender.
    Blender,
    /// Unity.
    Unity,
    /// Unreal Engine.
    Unreal,
    /// Godot.
    Godot,
}

/// `detect`
#[derive(Debug, Args)]
pub struct DetectArgs {
    /// What to look at.
    #[command(flatten)]
    pub input: Input,
    /// List the vertices of each region, by mesh and primitive, as numbered in the file.
    #[arg(long)]
    pub vertices: bool,
    /// Decisions that change what is shown.
    #[command(flatten)]
    pub decisions: Decisions,
}

/// Where a verb writes.
#[derive(Debug, Args)]
pub struct Output {
    /// File to write: .glb, .gltf with its buffers beside it, or .vrm.
    #[arg(short, long, value_name = "OUT", value_parser = parse::scene_file)]
    pub output: PathBuf,
}

/// `rig`
#[derive(Debug, Args)]
pub struct RigArgs {
    /// What to rig.
    #[command(flatten)]
    pub input: Input,
    /// Where to.
    #[command(flatten)]
    pub output: Output,
    /// How clips are written.
    #[command(flatten)]
    pub written: ClipOutput,
    /// What to do.
    #[command(flatten)]
    pub decisions: Decisions,
}

/// How clips are written: `rig` and `bake`.
#[derive(Debug, Default, Args)]
pub struct ClipOutput {
    /// Where the body's travel goes in clips that the file does not have; on the hips unless said otherwise. `rig`
    /// brings none.
    #[arg(long, value_enum)]
    pub root: Option<RootArg>,
    /// What the file holds.
    #[arg(long, value_enum, default_value = "all")]
    pub contents: ContentsArg,
    /// Names of clips that are new to the file, from {clip}, {title}, {file} and {loop}, which is `-loop` for loops;
    /// {clip} where the target wants nothing else. Clips of the file's own that get the tail's motion keep their names;
    /// their --copies take it.
    #[arg(long, value_name = "PATTERN", value_parser = parse::pattern)]
    pub name: Option<String>,
}

/// `bake`
#[derive(Debug, Args)]
pub struct BakeArgs {
    /// What to bake.
    #[command(flatten)]
    pub input: Input,
    /// Where to.
    #[command(flatten)]
    pub output: Output,
    /// A clip by name or title, without regard to case: the file's own first, then --library, then bundled;
    /// lib:NAME skips the file; NAME#2 is the second of that name, #3 the third of all. Edits may stand behind it:
    /// Walk@mirror@speed=1.2@trim=0.2..0.8@name=Quick Walk. May be given several times.
    #[arg(long, value_name = "NAME", required_unless_present = "all_clips")]
    pub clip: Vec<String>,
    /// All of the file's own clips and those of --library, or all bundled ones where there are none; with a word, all
    /// of one place, or of several with commas between.
    #[arg(long, value_name = "FROM", value_enum, num_args = 0.., require_equals = true, value_delimiter = ',',
        default_missing_value = "given", conflicts_with = "clip")]
    pub all_clips: Option<Vec<ClipsFromArg>>,
    /// A file with clips, or a folder of such files, to take as well.
    #[arg(long, value_name = "PATH")]
    pub library: Vec<PathBuf>,
    /// Keys per second, 1 to 1000.
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = parse::rate, allow_negative_numbers = true)]
    pub fps: f64,
    /// How clips are written.
    #[command(flatten)]
    pub written: ClipOutput,
    /// One file with all clips, or one for each clip, named by its clip and put beside OUT.
    #[arg(long, value_enum, default_value = "one")]
    pub files: FilesArg,
    /// Leave the file's own clips as they are and bake copies of them, named with _baked.
    #[arg(long)]
    pub copies: bool,
    /// Put a report beside the file, as OUT with .json behind it.
    #[arg(long)]
    pub report: bool,
    /// Drop keys where the others show the joint within this angle, up to 10; 0 keeps all.
    #[arg(long, value_name = "DEG", default_value_t = 0.0, value_parser = parse::reduction,
        allow_negative_numbers = true)]
    pub reduce: f32,
    /// Play what was written with physics off and say how far it is from the preview.
    #[arg(long)]
    pub check: bool,
    /// What to do.
    #[command(flatten)]
    pub decisions: Decisions,
}

/// Where the body's travel goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RootArg {
    /// Taken out.
    InPlace,
    /// On a joint above the hips.
    Root,
    /// On the hips, as the clip has it.
    Hips,
}

/// All clips of which place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClipsFromArg {
    /// The file's own.
    File,
    /// Those of --library.
    Library,
    /// Those that come with Tailbone.
    Bundled,
    /// The file's own and those of --library; bundled ones where there are none.
    Given,
}

/// How many files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FilesArg {
    /// One with all clips.
    One,
    /// One for each clip.
    PerClip,
}

/// What a written file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ContentsArg {
    /// The whole character.
    #[default]
    All,
    /// Skeleton and clips, no meshes.
    Clips,
}

/// `clips`
#[derive(Debug, Args)]
pub struct ClipsArgs {
    /// A file with clips, or a folder of such files, to list as well.
    #[arg(long, value_name = "PATH")]
    pub library: Vec<PathBuf>,
}

/// `measure`
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// What to measure.
    #[command(flatten)]
    pub input: Input,
    /// The clip, found as `bake` finds it.
    #[arg(long, value_name = "NAME")]
    pub clip: String,
    /// Evenly spaced times at which edges are measured.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=10_000),
        allow_negative_numbers = true)]
    pub samples: u32,
    /// A file with clips, or a folder of such files, to take as well.
    #[arg(long, value_name = "PATH")]
    pub library: Vec<PathBuf>,
    /// What to do.
    #[command(flatten)]
    pub decisions: Decisions,
}

/// `sweep`
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The character.
    #[command(flatten)]
    pub input: Input,
    /// A file with clips, or a folder of such files, to take as well.
    #[arg(long, value_name = "PATH")]
    pub library: Vec<PathBuf>,
    /// How many clips to show, the worst first.
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true,
        allow_negative_numbers = true)]
    pub top: usize,
    /// What to do.
    #[command(flatten)]
    pub decisions: Decisions,
}

/// `replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A script of commands, as the studio's "Save steps as a script" writes it.
    #[arg(value_name = "SCRIPT.ron")]
    pub script: PathBuf,
    /// Do it to this file instead of the one that the script opens first.
    #[arg(value_name = "FILE")]
    pub file: Option<String>,
    /// Write here instead of where the script exports to; for the last export of the script.
    #[arg(short, long, value_name = "OUT", value_parser = parse::scene_file)]
    pub output: Option<PathBuf>,
    /// A file or folder of clips in place of the script's library of the same name, or of the only one that is not on
    /// this machine; any other is taken besides.
    #[arg(long, value_name = "PATH")]
    pub library: Vec<String>,
    /// Go on without libraries of the script that are not on this machine; a clip that nobody else has is then an error.
    #[arg(long)]
    pub skip_missing: bool,
    /// Write over files that exist.
    #[arg(long)]
    pub force: bool,
}

/// `hair`
#[derive(Debug, Subcommand)]
pub enum HairVerb {
    /// Gives one hair mesh joints and weights of its own, and writes a new file.
    Fit(HairFitArgs),
    /// Measures stretch, settling, lag and what the shirt hides, in the head-turn test or a clip.
    Measure(HairMeasureArgs),
}

/// `hair fit`
#[derive(Debug, Args)]
pub struct HairFitArgs {
    /// What to rig.
    #[command(flatten)]
    pub input: Input,
    /// The mesh that is hair, by its name or its node's.
    #[arg(long, value_name = "NAME")]
    pub mesh: String,
    /// Number of joints; one for each sixteenth of the height where it is not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64),
        allow_negative_numbers = true)]
    pub joints: Option<u32>,
    /// The joint it hangs from; the head where it is not given.
    #[arg(long, value_name = "JOINT")]
    pub attach: Option<String>,
    /// How hair swings: improved, earlier, long, bangs, braid, cloth.
    #[arg(long, value_name = "NAME")]
    pub hair_preset: Option<String>,
    /// Choose the VRM parameters that move most like our motion, instead of mapping the settings alone.
    #[arg(long)]
    pub fit_vrm: bool,
    /// Where to.
    #[command(flatten)]
    pub output: Output,
    /// What else to do.
    #[command(flatten)]
    pub decisions: Decisions,
}

/// By which rule hair moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SolverArg {
    /// Holds the authored arc in the head's frame.
    Improved,
    /// Aims from the bent parent, with the settings and colliders it had.
    Earlier,
    /// The published VRM algorithm.
    VrmApp,
}

/// `hair measure`
#[derive(Debug, Args)]
pub struct HairMeasureArgs {
    /// What to measure.
    #[command(flatten)]
    pub input: Input,
    /// A clip, found as `bake` finds it.
    #[arg(long, value_name = "NAME", conflicts_with = "head_turn")]
    pub clip: Option<String>,
    /// The head-turn test: four seconds of motion, eight of stillness. The default.
    #[arg(long)]
    pub head_turn: bool,
    /// By which rule.
    #[arg(long, value_enum, default_value = "improved")]
    pub solver: SolverArg,
    /// Leave the other settings and the colliders as they are when the earlier solver is asked for.
    #[arg(long)]
    pub same_parameters: bool,
    /// Frames a second.
    #[arg(long, value_name = "30|60|120|240", default_value = "60", value_parser = parse::frames,
        allow_negative_numbers = true)]
    pub rate: u32,
    /// Length of the run, 0.1 to 3600.
    #[arg(long, value_name = "SECONDS", value_parser = parse::run_time, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// How hair swings: improved, earlier, long, bangs, braid, cloth.
    #[arg(long, value_name = "NAME")]
    pub hair_preset: Option<String>,
    /// A chain that is (part of) a skirt, by name, or `NAME*` for all that begin so: legs through its cloth are counted,
    /// without --clip in Walk, Sprint and Sitting too.
    #[arg(long, value_name = "CHAIN")]
    pub skirt: Vec<String>,
    /// A file with clips, or a folder of such files, to take as well.
    #[arg(long, value_name = "PATH")]
    pub library: Vec<PathBuf>,
    /// What else to do.
    #[command(flatten)]
    pub decisions: Decisions,
}

/// `demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder to write to; without one target/demo, which is the demo's own and written over.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Write over files that exist.
    #[arg(long)]
    pub force: bool,
}

/// `render`
#[cfg(feature = "app")]
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// What to draw.
    #[command(flatten)]
    pub input: Input,
    /// PNG file to write.
    #[arg(short, long, value_name = "PNG", value_parser = parse::picture_file)]
    pub output: PathBuf,
    /// A clip, found as `bake` finds it; without one the pose of the file.
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Seconds into the closed loop of the clip.
    #[arg(long, value_name = "S", default_value_t = 0.0, requires = "clip", value_parser = parse::moment,
        allow_negative_numbers = true)]
    pub time: f64,
    /// A file with clips, or a folder of such files, to take as well.
    #[arg(long, value_name = "PATH")]
    pub library: Vec<PathBuf>,
    /// From where.
    #[arg(long, value_enum, default_value = "three-quarter")]
    pub view: ViewArg,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", default_value = "1024x1024", value_parser = parse::size)]
    pub size: [u32; 2],
    /// What to lay over the skin.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub show: Vec<ShowArg>,
    /// Without the lines that MToon materials are drawn with.
    #[arg(long)]
    pub no_outlines: bool,
    /// On a light ground.
    #[arg(long)]
    pub light: bool,
    /// What to do.
    #[command(flatten)]
    pub decisions: Decisions,
}

/// A direction to look from.
#[cfg(feature = "app")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// The character's face.
    Front,
    /// Its left side.
    Side,
    /// Its back.
    Back,
    /// Its left front, a little from above.
    ThreeQuarter,
}

/// What a picture lays over the skin.
#[cfg(feature = "app")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowArg {
    /// Joints and chains.
    Joints,
    /// Regions in the colour of their kind.
    Regions,
    /// How far edges are stretched or squeezed.
    Stretch,
    /// How far skin is from the joints that move it.
    DrivenFrom,
    /// How far skin is from the nearest joint.
    Distance,
    /// Skin half transparent.
    XRay,
    /// The edges of triangles.
    Wireframe,
    /// Regions' eigen axes.
    Axes,
    /// Legs, links, floor and plane as the springs see them.
    Colliders,
}
