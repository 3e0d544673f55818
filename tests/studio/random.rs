//! Whatever is asked, in any order: no panic, and undo leads back to an equal document.

use glam::Vec3;
use tailbone::document::JointRef;
use tailbone::model::{
    ColliderIndex, Facing, HairSettings, InstanceIndex, NodeIndex, PoseBase, RegionId,
    RetargetPose, RetargetPoses, Role, SpringSettings, SurfaceVertex, Verdict,
};
use tailbone::studio::{
    ClipCommand, ColliderCommand, ColliderPart, Command, DetectSettings, Edit, ExportCommand,
    FileCommand, Forgotten, HairCommand, HairPick, JointAxes, JointNaming, Marking, NewCollider,
    Overlay, PickBy, PlayCommand, PosingCommand, Selection, Shade, SpringsOf, Target, TestMotion,
    Tool, ToolCommand, WhoIs, Workspace,
};

use super::common::{self, tailed::tailed_file};
use super::{opened, settle};

/// SplitMix64. Based on: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((b ^ (b >> 31)) >> 32) as u32 % n
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize].clone()
    }

    /// Skin, some of which is not there.
    fn skin(&mut self) -> Vec<SurfaceVertex> {
        let first = self.below(9000);
        let n = self.below(400);
        (first..first + n).map(SurfaceVertex).collect()
    }

    /// Ids may name what is not there.
    fn region(&mut self) -> RegionId {
        RegionId(self.below(9))
    }
}

fn selecting(r: &mut Random) -> Command {
    match r.below(10) {
        8 => Command::Select(Selection::Collider(ColliderIndex(r.below(4)))),
        9 => {
            let (node, region) = (NodeIndex(r.below(90)), r.region());
            let what = r.of(&[
                Selection::Joint(node),
                Selection::Region(region),
                Selection::Chain(0),
                Selection::Collider(ColliderIndex(0)),
                Selection::None,
            ]);
            Command::Rename(what, r.of(&["", "Fluff", "Tail_1", "\u{7}"]).into())
        }
        0 => Command::Select(Selection::Chain(r.below(3) as usize)),
        1 => Command::Select(Selection::Joint(NodeIndex(r.below(90)))),
        2 => Command::Select(Selection::Mesh(InstanceIndex(r.below(4)))),
        3 => Command::Select(Selection::None),
        4 => Command::SelectAlso(r.region()),
        5 => Command::NextDoubtful,
        _ => Command::Select(Selection::Region(r.region())),
    }
}

fn playing(r: &mut Random) -> Command {
    Command::Play(match r.below(12) {
        0 => PlayCommand::Toggle,
        1 => PlayCommand::Step(r.below(9) as i32 - 4),
        2 if r.one_in(2) => {
            let range = [f64::from(r.below(40)) / 10.0, f64::NAN, 1.0];
            PlayCommand::Range(r.of(&[None, Some([range[0], 1.5]), Some([range[1], range[2]])]))
        }
        2 => PlayCommand::Scrub(f64::from(r.below(40)) / 10.0),
        3 => PlayCommand::Rewind,
        4 => PlayCommand::Speed([0.5, 2.0, f32::NAN, -1.0][r.below(4) as usize]),
        5 if r.one_in(6) => PlayCommand::Clip(r.of(&[None, Some(0), Some(7), Some(100_000)])),
        6 => PlayCommand::ResetSprings,
        7 => PlayCommand::ToggleSprings,
        8 if r.one_in(4) => PlayCommand::ToggleInPlace,
        9 if r.one_in(4) => PlayCommand::ToggleRepeat,
        10 => PlayCommand::Test(r.of(&TestMotion::ALL)),
        _ => PlayCommand::Toggle,
    })
}

/// The editor of retarget poses, also where nothing is retargeted and with turns that are no numbers.
fn posing(r: &mut Random) -> Command {
    let turn = [Vec3::X * 10.0, Vec3::NAN, Vec3::new(-200.0, 0.0, 1e9), Vec3::ZERO];
    match r.below(7) {
        0 if r.one_in(3) => Command::Posing(PosingCommand::Open),
        1 => Command::Posing(PosingCommand::Close),
        2 => Command::Posing(PosingCommand::ShowClip(r.one_in(2))),
        3 => Command::Posing(PosingCommand::OfSource(r.one_in(2))),
        4 if r.one_in(3) => {
            let profile = r.of(&["{\"head\": \"\"}", "(pose: (base: bind))", "no profile"]);
            Command::Edit(Edit::Mapping { profile: profile.to_owned() })
        }
        5 => {
            let who = r.of(&[WhoIs::Auto, WhoIs::Nobody, WhoIs::Joint(NodeIndex(9_999))]);
            let role = r.of(&[Role::Hips, Role::Head]);
            Command::Posing(PosingCommand::SourceRole { role, who })
        }
        _ => {
            let pose = RetargetPose { base: r.of(&PoseBase::ALL), ..RetargetPose::default() };
            let mut pose = pose.with_turn(Role::LeftUpperArm, r.of(&turn));
            pose.turns.insert(Role::Hips, r.of(&turn));
            let poses = RetargetPoses::default().with(r.of(&[None, Some("a.bvh")]), pose);
            Command::Edit(Edit::Retarget(Box::new(poses)))
        }
    }
}

fn showing(r: &mut Random) -> Command {
    let overlays = [
        Overlay::Joints,
        Overlay::JointNames,
        Overlay::Extent,
        Overlay::Colliders,
        Overlay::Outlines,
        Overlay::HairOutlines,
    ];
    match r.below(7) {
        0 => Command::Shade(r.of(&Shade::ALL)),
        1 => Command::ToggleMesh(InstanceIndex(r.below(4))),
        2 => Command::Solo(InstanceIndex(r.below(4))),
        3 => Command::ShowMeshes,
        4 => Command::Workspace(r.of(&Workspace::ALL)),
        _ => Command::Toggle(r.of(&overlays)),
    }
}

fn working(r: &mut Random) -> Command {
    Command::Tool(match r.below(16) {
        0 => ToolCommand::Use(r.of(&Tool::ALL)),
        1 => ToolCommand::Begin,
        2 | 3 => {
            let how = r.of(&[Marking::Replace, Marking::Add, Marking::Take]);
            ToolCommand::Mark { vertices: r.skin(), how }
        }
        4 => ToolCommand::End,
        5 => ToolCommand::Abort,
        6 if r.one_in(6) => ToolCommand::ToggleMirror,
        7 => ToolCommand::Pick(SurfaceVertex(r.below(9000))),
        8 => r.of(&[ToolCommand::Grow, ToolCommand::Shrink]),
        9 => ToolCommand::Escape,
        10 if r.one_in(3) => ToolCommand::NewRegion,
        11 if r.one_in(3) => ToolCommand::Join(r.of(&[Marking::Add, Marking::Take])),
        12 => r.of(&[ToolCommand::SplitRegion, ToolCommand::MergeRegions]),
        13 => ToolCommand::UnmakeRegion,
        14 => ToolCommand::MoveJoint { by: Vec3::splat(r.below(20) as f32 * 0.01 - 0.1) },
        _ => ToolCommand::Radius(r.of(&[8.0, f32::NAN, -4.0, 1e9])),
    })
}

fn deciding(r: &mut Random) -> Command {
    let region = r.region();
    let verdicts = [
        None,
        Some(Verdict::Chain),
        Some(Verdict::Rigid),
        Some(Verdict::Spread),
        Some(Verdict::Leave),
    ];
    Command::Edit(match r.below(25) {
        0 => Edit::Treatment { region, verdict: r.of(&verdicts) },
        1 => Edit::Joints { region, joints: r.of(&[None, Some(0), Some(3), Some(64)]) },
        2 => Edit::Attachment { region, joint: r.of(&[None, Some(NodeIndex(r.0 as u32 % 80))]) },
        3 => Edit::LockWeights { region, locked: r.one_in(2) },
        4 => {
            let node = NodeIndex(r.below(90));
            let who = r.of(&[WhoIs::Auto, WhoIs::Nobody, WhoIs::Joint(node)]);
            Edit::Role { role: r.of(Role::ALL), who }
        }
        5 if r.one_in(4) => {
            let far_share = 0.04 + r.below(6) as f32 * 0.01;
            Edit::Thresholds(DetectSettings { far_share, ..DetectSettings::default() })
        }
        6 => Edit::Axes(r.of(&[JointAxes::Parent, JointAxes::Along])),
        7 => Edit::Naming(r.of(&[JointNaming::Plain, JointNaming::Dotted])),
        8 => Edit::Seen { code: "X".into(), subject: r.below(5).to_string() },
        9 => Edit::Places { region, places: vec![Vec3::Y; r.below(6) as usize] },
        10 => {
            let joints = vec![NodeIndex(r.below(90)); r.below(3) as usize];
            Edit::SharedBy { region, joints }
        }
        11 => Edit::Strips { region, strips: r.of(&[None, Some(0), Some(2)]) },
        12 => Edit::Influences(r.of(&[0, 4, 8])),
        13 if r.one_in(3) => Edit::Region { vertices: r.skin(), replaces: vec![region] },
        14 if r.one_in(3) => Edit::Split { region, parts: vec![r.skin(), r.skin()] },
        15 => Edit::Merge { regions: vec![region, r.region()] },
        16 => Edit::Unmake { region },
        17 => Edit::Forget(Forgotten::Joint(JointRef { path: "Hips".into(), index: None })),
        18 => Edit::Hair(Box::default()),
        19 => Edit::BlendRings(r.below(40)),
        20 => {
            let driven = r.of(&[None, Some(true), Some(false)]);
            Edit::Existing { chain: "Tail_1".into(), driven }
        }
        21 => Edit::ExistingSprings { chain: "Tail_1".into(), settings: None },
        22 if r.one_in(3) => Edit::Facing(r.of(&[None, Some(Facing::MinusZ), Some(Facing::PlusX)])),
        23 if r.one_in(3) => Edit::Height(r.of(&[None, Some(0.4), Some(f32::NAN), Some(-1.0)])),
        _ => {
            let gravity = r.below(20) as f32;
            let settings = SpringSettings { gravity, ..SpringSettings::default() };
            Edit::Springs { region, settings: Some(settings) }
        }
    })
}

fn hairy(r: &mut Random) -> Command {
    Command::Hair(match r.below(15) {
        0..=2 => {
            let vertex = SurfaceVertex(r.below(9000));
            let how = r.of(&[Marking::Replace, Marking::Add, Marking::Take]);
            HairCommand::Pick(HairPick::At { vertex, how })
        }
        3 => HairCommand::Pick(r.of(&[HairPick::Grow, HairPick::Shrink, HairPick::Clear])),
        4 => HairCommand::PickBy(r.of(&PickBy::ALL)),
        5 => HairCommand::Joints(r.of(&[None, Some(0), Some(5), Some(64)])),
        6 => {
            let node = NodeIndex(r.below(20));
            HairCommand::Attach(r.of(&[None, Some(node)]))
        }
        7 => HairCommand::Fit,
        8 => HairCommand::Remove(r.below(3) as usize),
        9 => HairCommand::Preset(r.of(&HairSettings::PRESETS).to_owned()),
        10 => HairCommand::FitColliders(r.one_in(2)),
        11 if r.one_in(4) => HairCommand::HeadTurn,
        12 if r.one_in(2) => HairCommand::MoveThenRest,
        13 => HairCommand::EachPiece(r.one_in(2)),
        _ => HairCommand::SideBySide(r.one_in(4)),
    })
}

fn other(r: &mut Random) -> Command {
    let of = match r.one_in(3) {
        true => SpringsOf::Existing("Tail_1".into()),
        false => SpringsOf::Grown(r.region()),
    };
    let clips = || "no/such/clips.bvh".to_owned();
    match r.below(21) {
        0 => Command::CopySprings(SpringSettings::default()),
        1 => Command::PasteSprings { of },
        2 => Command::SwapSprings { of },
        3 => Command::ApplyPreset { of, name: r.of(&["fox", "nothing"]).into() },
        4 => Command::PreviewPreset { of, name: r.of(&[None, Some("fox".into())]) },
        5 => Command::Export(ExportCommand::Choose([0, 5, 9999].into())),
        6 => Command::Export(ExportCommand::Target(r.of(&Target::ALL))),
        7 if r.one_in(20) => Command::File(FileCommand::Reload),
        8 if r.one_in(20) => Command::Open("no/such/file.glb".into()),
        10 => Command::AddLibrary(clips()),
        11 => Command::RemoveLibrary(clips()),
        12 => Command::Drop(vec![clips()]),
        13 => Command::ToggleSplit,
        14 => Command::RemovePreset("fox".into()),
        15 => Command::SavePreset { of, name: "mine".into() },
        16 => Command::ShowWeights(NodeIndex(r.below(200))),
        17 => {
            let edit = r.of(&["@mirror@name=A", "@trim=0.1..0.2@name=A", "@speed=0", ""]);
            let of = r.of(&[0, 1, 5, 99_999]);
            Command::Clips(ClipCommand::Make { of, edit: edit.into() })
        }
        18 => Command::Clips(ClipCommand::Unmake("A".into())),
        19 => Command::Sweep(vec![0, 1, 99_999]),
        20 => Command::ShowWorst(r.of(&[0, 1, 99_999])),
        _ => Command::File(FileCommand::Show(r.below(3))),
    }
}

/// Colliders, also where none is, and by numbers that are none.
fn guarding(r: &mut Random) -> Command {
    let index = ColliderIndex(r.below(4));
    let by = Vec3::splat(r.of(&[0.01, -0.2, f32::NAN, 1e30]));
    Command::Collider(match r.below(16) {
        0 | 1 => ColliderCommand::Add(r.of(&[NewCollider::Sphere, NewCollider::Capsule])),
        2 => ColliderCommand::SelectAlso(index),
        3 => ColliderCommand::Hold(r.of(&[
            ColliderPart::Whole,
            ColliderPart::Start,
            ColliderPart::End,
        ])),
        4 | 5 => ColliderCommand::Move { by },
        6 => ColliderCommand::Turn { axis: by, by_rad: by.x },
        7 => ColliderCommand::Scale { by: by.x },
        8 => ColliderCommand::Numbers { start_m: by, end_m: Vec3::Y, radius_m: by.x },
        9 => ColliderCommand::Remove,
        10 => ColliderCommand::Mirror,
        11 => ColliderCommand::Fit,
        12 => ColliderCommand::Restore,
        13 => ColliderCommand::ToggleShown(index),
        14 => ColliderCommand::Solo(index),
        _ => ColliderCommand::ShowAll,
    })
}

/// Any command but those that put another document in this one's place.
fn random_command(r: &mut Random) -> Command {
    match r.below(28) {
        26 | 27 => guarding(r),
        0..=2 => selecting(r),
        3 => posing(r),
        4..=6 => playing(r),
        7 | 8 => showing(r),
        9..=13 => working(r),
        14..=16 => deciding(r),
        17 => other(r),
        18 | 19 => Command::Undo,
        20 => Command::Redo,
        21 => Command::Begin("drag".into()),
        22 => Command::Commit,
        23 | 24 => hairy(r),
        _ if r.one_in(3) => Command::GoTo(r.below(12) as usize),
        _ => Command::Abort,
    }
}

#[test]
fn random_commands_never_panic_and_undo_leads_back_to_an_equal_document() {
    let folder = common::Folder::new();
    let mut studio = opened(&tailed_file(folder.path()));
    let (start, outliner) = (studio.edits().clone(), studio.outliner());
    let mut random = Random(7);
    for n in 0..10_000 {
        let command = random_command(&mut random);
        studio.apply(command);
        studio.poll();
        // At once: notices are few, and the next ones push it out.
        let broke = studio.notices().iter().find(|notice| notice.text.contains("broke off"));
        assert!(broke.is_none(), "a job panicked by command {n}: {broke:?}");
        if n % 8 == 0 {
            studio.tick(1.0 / 60.0);
            let _ = (studio.region_panel(), studio.spring_panel(), studio.character_panel());
            let _ = studio.chain_panel();
            let _ = (studio.outliner(), studio.tool_panel(), studio.export_panel());
            let _ = (studio.hair_panel(), studio.hair_panes());
            let _ = (studio.collider_panel(), studio.collider_holds(), studio.gizmo_at());
            let _ = (studio.retarget_panel(), studio.pose_panes());
        }
        // Now and then the workers get their say, so that commands meet what they have made.
        if n % 97 == 0 {
            settle(&mut studio);
        }
    }
    studio.apply(Command::Abort);
    while studio.undo_redo().0.is_some() {
        studio.apply(Command::Undo);
    }
    settle(&mut studio);
    assert_eq!(*studio.edits(), start);
    studio.apply(Command::Select(outliner.selection));
    let again = studio.outliner();
    assert_eq!((again.regions, again.chains), (outliner.regions, outliner.chains));
    let broke: Vec<_> = studio.notices().iter().filter(|n| n.text.contains("broke off")).collect();
    assert!(broke.is_empty(), "a job panicked: {broke:?}");
}
