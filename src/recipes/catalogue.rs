//! The bundled recipes, read once, and what is known about each.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use glam::Vec3;

use super::gait;
use super::generate;
use super::motion::Motion;
use super::recipe::{self, Recipe, RecipeError, Settings};
use crate::model::Clip;

/// Files of recipes: name, text. A new file is one line here.
const FILES: &[(&str, &str)] = &[
    ("locomotion.ron", include_str!("../../presets/clips/locomotion.ron")),
    ("crouch.ron", include_str!("../../presets/clips/crouch.ron")),
    ("jump.ron", include_str!("../../presets/clips/jump.ron")),
    ("daily.ron", include_str!("../../presets/clips/daily.ron")),
    ("combat.ron", include_str!("../../presets/clips/combat.ron")),
];

const POSES: (&str, &str) = ("poses.ron", include_str!("../../presets/clips/poses.ron"));

/// What the catalogue says about a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeInfo {
    /// `Crouch_Bwd_Loop`.
    pub name: String,
    /// `Crouch Backward`: the name without `_Loop`, its words written out.
    pub title: String,
    /// `Crouch`.
    pub category: String,
    /// Length in seconds, whole frames of 1/30 s.
    pub duration_s: f64,
    /// Whether its end is its beginning.
    pub looping: bool,
    /// For walks and runs in place: the velocity of the floor under the body, in metres a second. What the clip would
    /// travel is its opposite.
    pub floor_velocity_m_s: Option<Vec3>,
    /// Whether it is not ready to be shown to an animator.
    pub draft: bool,
}

/// Recipes and poses, or their faults.
#[derive(Debug)]
pub(super) struct Catalogue {
    pub poses: BTreeMap<String, Settings>,
    /// Resolved (`like` applied) and checked, by name.
    pub recipes: Vec<Recipe>,
    infos: Vec<RecipeInfo>,
}

impl Catalogue {
    /// Of files (name, text) of recipes and one of poses.
    ///
    /// # Errors
    /// The first fault of any of them.
    pub fn read(files: &[(&str, &str)], poses: (&str, &str)) -> Result<Self, RecipeError> {
        let poses_of = recipe::parse_poses(poses.0, poses.1)?;
        for (name, settings) in &poses_of {
            recipe::check_settings(name, settings)?;
        }
        let mut recipes: Vec<Recipe> = Vec::new();
        for (file, text) in files {
            for recipe in recipe::parse(file, text)? {
                let resolved = match &recipe.like {
                    None => recipe,
                    Some(like) => {
                        let base = recipes.iter().find(|r| r.name == *like);
                        let base = base.ok_or_else(|| RecipeError::UnknownName {
                            recipe: recipe.name.clone(),
                            kind: "recipe (above it)",
                            name: like.clone(),
                        })?;
                        recipe.over(&base.clone())
                    }
                };
                resolved.check(&poses_of)?;
                recipes.push(resolved);
            }
        }
        let infos = recipes.iter().map(info).collect();
        Ok(Self { poses: poses_of, recipes, infos })
    }

    /// The motion of a recipe.
    pub fn motion(&self, recipe: &Recipe) -> Motion {
        Motion::of(recipe, &self.poses)
    }
}

fn info(recipe: &Recipe) -> RecipeInfo {
    RecipeInfo {
        name: recipe.name.clone(),
        title: title(&recipe.name),
        category: recipe.category.clone(),
        duration_s: f64::from(recipe.seconds()),
        looping: recipe.is_looping(),
        floor_velocity_m_s: recipe.gait.as_ref().map(gait::floor_velocity),
        draft: recipe.draft,
    }
}

/// The embedded catalogue. That it reads without fault is a test of ours.
///
/// # Errors
/// The fault of the embedded files, if they have one.
pub(super) fn catalogue() -> Result<&'static Catalogue, &'static RecipeError> {
    static CATALOGUE: OnceLock<Result<Catalogue, RecipeError>> = OnceLock::new();
    CATALOGUE.get_or_init(|| Catalogue::read(FILES, POSES)).as_ref()
}

/// All bundled clips, by category as in their files.
pub fn list() -> &'static [RecipeInfo] {
    catalogue().map_or(&[], |c| &c.infos)
}

/// What is known about the clip of that name (`Walk_Loop`) or title (`Walk`); case, spaces and underscores do not
/// matter.
pub fn find(name: &str) -> Option<&'static RecipeInfo> {
    let wanted = plain(name);
    let infos = list();
    infos
        .iter()
        .find(|i| plain(&i.name) == wanted)
        .or_else(|| infos.iter().find(|i| plain(&i.title) == wanted))
}

/// The clip of that name or title, for the skeleton of [`super::skeleton`], made anew at each call.
///
/// Cost: about 2 ms for 40 frames.
pub fn clip(name: &str) -> Option<Clip> {
    let info = find(name)?;
    let catalogue = catalogue().ok()?;
    let recipe = catalogue.recipes.iter().find(|r| r.name == info.name)?;
    Some(generate::clip(&recipe.name, &catalogue.motion(recipe)))
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The title of a catalogue name: without `_Loop`, words apart, abbreviations written out.
pub fn title(name: &str) -> String {
    let name = name.strip_suffix("_Loop").unwrap_or(name);
    let mut words: Vec<String> = Vec::new();
    for part in name.split('_') {
        let mut before: Option<char> = None;
        for c in part.chars() {
            let starts_word = match before {
                None => true,
                Some(b) => {
                    (b.is_lowercase() && c.is_uppercase())
                        || (b.is_alphabetic() && c.is_ascii_digit())
                }
            };
            match words.last_mut() {
                Some(word) if !starts_word => word.push(c),
                _ => words.push(c.to_string()),
            }
            before = Some(c);
        }
    }
    let written_out = words.into_iter().map(|word| match word.as_str() {
        "Fwd" => "Forward".to_owned(),
        "Bwd" => "Backward".to_owned(),
        "L" => "Left".to_owned(),
        "R" => "Right".to_owned(),
        _ => word,
    });
    written_out.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_recipes_read_without_fault() {
        assert_eq!(catalogue().err(), None);
        assert!(list().iter().all(|i| i.duration_s > 0.0 && !i.category.is_empty()));
    }

    #[test]
    fn titles_are_the_names_in_words() {
        for (name, expected) in [
            ("Walk_Loop", "Walk"),
            ("Crouch_Bwd_Loop", "Crouch Backward"),
            ("BackFlip", "Back Flip"),
            ("Crouch_Fwd_L_Loop", "Crouch Forward Left"),
            ("Sitting_Idle02_Loop", "Sitting Idle 02"),
            ("Turn90_L", "Turn 90 Left"),
        ] {
            assert_eq!(title(name), expected);
        }
    }

    #[test]
    fn clips_are_found_by_name_and_by_title_in_any_case() {
        for asked in ["Walk_Loop", "walk", "WALK LOOP", "Walk"] {
            assert_eq!(find(asked).map(|i| i.name.as_str()), Some("Walk_Loop"), "{asked}");
        }
        assert_eq!(find("back flip").map(|i| i.name.as_str()), Some("BackFlip"));
        assert_eq!(find("Valk"), None);
        assert!(clip("Valk").is_none());
    }

    fn read(text: &str) -> RecipeError {
        Catalogue::read(&[("x.ron", text)], ("poses.ron", "{\"stand\": {}}")).unwrap_err()
    }

    #[test]
    fn faults_say_where_and_what() {
        let syntax = read("[(name: \"A\", frmes: 3)]").to_string();
        assert!(syntax.starts_with("x.ron: 1:") && syntax.contains("frmes"), "{syntax}");
        assert_eq!(
            read("[(name: \"A\", frames: 3, set: {\"arms.swing\": 3.0})]").to_string(),
            "A: there is no channel `arms.swing`; the nearest is `arm.swing`"
        );
        assert_eq!(
            read("[(name: \"A\", frames: 3, set: {\"knee.l.flex\": -3.0})]").to_string(),
            "A: knee.l.flex is -3, which is not within 0 to 155"
        );
        assert_eq!(
            read("[(name: \"A\", frames: 3, pose: \"tuck\")]").to_string(),
            "A: there is no pose `tuck`"
        );
        assert_eq!(
            read("[(name: \"A\", like: \"B\")]").to_string(),
            "A: there is no recipe (above it) `B`"
        );
        assert_eq!(
            read("[(name: \"A\")]").to_string(),
            "A: frames is 0, which is not within 1 to 600"
        );
        let keys = "[(name: \"A\", frames: 9, keys: [(at: 5.0), (at: 4.0)])]";
        assert!(read(keys).to_string().contains("the time of a key after another is 4"));
    }
}
