//! FBX files written here as text: what Mixamo's and Blender's conventions come to.

use super::*;

/// Three joints in centimetres, the spine turned by a quarter about x over one second, the hips gone forward by 50 cm.
/// `up` is the axis the file calls up; `take` the name of its animation.
fn text(up: u32, take: &str) -> String {
    let (front, sign) = if up == 2 { (1, -1) } else { (2, 1) };
    let second = 46_186_158_000_i64;
    let curve = |id: u32, values: [f32; 2]| {
        format!(
            "AnimationCurve: {id}, \"AnimCurve::\", \"\" {{ Default: 0 KeyVer: 4009\n KeyTime: *2 {{ a: 0,{second} }}\n \
             KeyValueFloat: *2 {{ a: {},{} }}\n KeyAttrFlags: *1 {{ a: 260 }}\n KeyAttrDataFloat: *4 {{ a: 0,0,0,0 }}\n \
             KeyAttrRefCount: *1 {{ a: 2 }}\n }}\n",
            values[0], values[1]
        )
    };
    let joint = |id: u32, name: &str, y: f32| {
        format!(
            "Model: {id}, \"Model::{name}\", \"LimbNode\" {{ Version: 232\n Properties70: {{\n \
             P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,{y},0\n }} }}\n"
        )
    };
    format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {{ FBXHeaderVersion: 1003\n FBXVersion: 7400\n }}\n\
         GlobalSettings: {{ Version: 1000\n Properties70: {{\n\
         P: \"UpAxis\", \"int\", \"Integer\", \"\",{up}\nP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n\
         P: \"FrontAxis\", \"int\", \"Integer\", \"\",{front}\nP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",{sign}\n\
         P: \"CoordAxis\", \"int\", \"Integer\", \"\",0\nP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n\
         P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",1\n }} }}\n\
         Objects: {{\n{}{}{}\
         AnimationStack: 20, \"AnimStack::{take}\", \"\" {{ Properties70: {{\n P: \"LocalStop\", \"KTime\", \"Time\", \"\",{second}\n }} }}\n\
         AnimationLayer: 21, \"AnimLayer::BaseLayer\", \"\" {{ }}\n\
         AnimationCurveNode: 30, \"AnimCurveNode::T\", \"\" {{ Properties70: {{\n P: \"d|X\", \"Number\", \"\", \"A\",0\n \
         P: \"d|Y\", \"Number\", \"\", \"A\",100\n P: \"d|Z\", \"Number\", \"\", \"A\",0\n }} }}\n\
         AnimationCurveNode: 31, \"AnimCurveNode::R\", \"\" {{ Properties70: {{\n P: \"d|X\", \"Number\", \"\", \"A\",0\n \
         P: \"d|Y\", \"Number\", \"\", \"A\",0\n P: \"d|Z\", \"Number\", \"\", \"A\",0\n }} }}\n{}{} }}\n\
         Connections: {{\nC: \"OO\",10,0\nC: \"OO\",11,10\nC: \"OO\",12,11\nC: \"OO\",21,20\nC: \"OO\",30,21\nC: \"OO\",31,21\n\
         C: \"OP\",30,10, \"Lcl Translation\"\nC: \"OP\",31,11, \"Lcl Rotation\"\nC: \"OP\",40,30, \"d|Z\"\nC: \"OP\",41,31, \"d|X\"\n }}\n",
        joint(10, "mixamorig:Hips", 100.0),
        joint(11, "mixamorig:Spine", 20.0),
        joint(12, "mixamorig:Head", 50.0),
        curve(40, [0.0, 50.0]),
        curve(41, [0.0, 90.0]),
    )
}

fn read(text: &str) -> Result<Character, ReadError> {
    parse(text.as_bytes(), "Walking", "walking.fbx", &Work::default())
}

fn node(character: &Character, name: &str) -> NodeIndex {
    let mut nodes = character.skeleton.indices();
    nodes.find(|&n| character.skeleton.name(n) == name).unwrap()
}

#[test]
fn a_mixamo_file_in_centimetres_becomes_metres_and_is_named_like_its_file() {
    let character = read(&text(1, "mixamo.com")).unwrap();
    let world = character.loaded_world();
    let head = world.matrix(node(&character, "mixamorig:Head")).translation;
    assert!((Vec3::from(head) - Vec3::new(0.0, 1.7, 0.0)).length() < 1e-5, "{head}");
    let [clip] = &character.clips[..] else { panic!("{}", character.clips.len()) };
    assert_eq!((clip.name.as_str(), clip.looping), ("Walking", false));
    assert!((clip.duration_secs - 1.0).abs() < 1e-6);
}

#[test]
fn its_curves_are_resampled_and_stay_in_the_files_units() {
    let character = read(&text(1, "Armature|Walk")).unwrap();
    let clip = &character.clips[0];
    assert_eq!(clip.name, "Armature|Walk");
    let of = |name: &str, wanted: fn(&TrackValues) -> bool| {
        let node = node(&character, name);
        clip.tracks.iter().find(|t| t.node == node && wanted(&t.values)).unwrap()
    };
    let turn = of("mixamorig:Spine", |v| matches!(v, TrackValues::Rotation(_)));
    let TrackValues::Rotation(turns) = &turn.values else { panic!() };
    assert!(turn.times.len() >= 30, "{}", turn.times.len());
    assert!((*turns.last().unwrap() * Vec3::Y - Vec3::Z).length() < 1e-5);
    let way = of("mixamorig:Hips", |v| matches!(v, TrackValues::Translation(_)));
    let TrackValues::Translation(places) = &way.values else { panic!() };
    assert!((*places.last().unwrap() - Vec3::new(0.0, 100.0, 50.0)).length() < 1e-4);
}

#[test]
fn a_file_whose_up_is_z_stands_upright() {
    let character = read(&text(2, "Take 001")).unwrap();
    let world = character.loaded_world();
    let [hips, head] = ["mixamorig:Hips", "mixamorig:Head"]
        .map(|name| Vec3::from(world.matrix(node(&character, name)).translation));
    // What the file calls y lies level there: towards -z in ours.
    assert!((head - hips - Vec3::new(0.0, 0.0, -0.7)).length() < 1e-5, "{hips} {head}");
}

#[test]
fn what_is_no_fbx_and_what_holds_no_clip_is_refused_with_the_reason() {
    let error = |bytes: &[u8]| {
        parse(bytes, "x", "x.fbx", &Work::default()).map(|_| ()).unwrap_err().to_string()
    };
    for bad in [&b""[..], b"glTF", b"Kaydara FBX Binary  \0\x1a\0", b"; FBX 7.4.0\nObjects: {"] {
        assert!(error(bad).starts_with("x.fbx: this FBX file cannot be read: "), "{}", error(bad));
    }
    let whole = text(1, "mixamo.com");
    let still = whole.split("AnimationStack").next().unwrap().to_owned() + " }\n";
    assert!(error(still.as_bytes()).contains("holds no animation"), "{}", error(still.as_bytes()));
    for cut in (0..whole.len()).step_by(97) {
        // Never a panic, whatever is left of it.
        let _ = parse(&whole.as_bytes()[..cut], "x", "x.fbx", &Work::default());
    }
}
