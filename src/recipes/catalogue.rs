//! The bundled recipes, read once, and what is known about each.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use glam::Vec3;
use rayon::prelude::*;

use super::fault::RecipeError;
use super::gait;
use super::generate;
use super::motion::Motion;
use super::poses::Poses;
use super::recipe::{self, Layer, Recipe};
use crate::model::Clip;

/// Files of recipes: name, text. A new file is one line here.
const FILES: &[(&str, &str)] = &[
    ("locomotion.ron", include_str!("../../presets/clips/locomotion.ron")),
    ("crouch.ron", include_str!("../../presets/clips/crouch.ron")),
    ("crawl.ron", include_str!("../../presets/clips/crawl.ron")),
    ("jump.ron", include_str!("../../presets/clips/jump.ron")),
    ("daily.ron", include_str!("../../presets/clips/daily.ron")),
    ("sitting.ron", include_str!("../../presets/clips/sitting.ron")),
    ("actions.ron", include_str!("../../presets/clips/actions.ron")),
    ("combat.ron", include_str!("../../presets/clips/combat.ron")),
    ("sword.ron", include_str!("../../presets/clips/sword.ron")),
    ("ranged.ron", include_str!("../../presets/clips/ranged.ron")),
    ("magic.ron", include_str!("../../presets/clips/magic.ron")),
    ("damage.ron", include_str!("../../presets/clips/damage.ron")),
    ("climb.ron", include_str!("../../presets/clips/climb.ron")),
    ("parkour.ron", include_str!("../../presets/clips/parkour.ron")),
    ("swim.ron", include_str!("../../presets/clips/swim.ron")),
    ("work.ron", include_str!("../../presets/clips/work.ron")),
    ("air.ron", include_str!("../../presets/clips/air.ron")),
    ("zombie.ron", include_str!("../../presets/clips/zombie.ron")),
];

const POSES: (&str, &str) = ("poses.ron", include_str!("../../presets/clips/poses.ron"));

const LAYERS: (&str, &str) = ("layers.ron", include_str!("../../presets/clips/layers.ron"));

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
    /// Whether it moves the root.
    pub travels: bool,
    /// Whether feet may slide over the floor: it falls, or stays in place where it would travel at a speed that changes.
    pub slides: bool,
    /// Whether it is not ready to be shown to an animator.
    pub draft: bool,
}

/// Recipes that have been read and checked.
#[derive(Debug)]
pub struct RecipeBook {
    poses: Poses,
    /// With all that they take over, by name.
    recipes: Vec<Recipe>,
    infos: Vec<RecipeInfo>,
    /// The place of each name in `recipes`.
    places: BTreeMap<String, usize>,
    /// Clips that have been asked for, `[recipes]`.
    made: Vec<OnceLock<Arc<Clip>>>,
}

impl RecipeBook {
    /// Of files of recipes, one of poses and one of layers; each is (name, text). A recipe may be `like` one above it.
    ///
    /// Files are parsed side by side; what recipes take over from each other is settled after that, in their order.
    ///
    /// # Errors
    /// The first fault of any of them.
    pub fn read(
        files: &[(&str, &str)],
        poses: (&str, &str),
        layers: (&str, &str),
    ) -> Result<Self, RecipeError> {
        let parsed: Vec<Result<Vec<Recipe>, RecipeError>> =
            files.par_iter().map(|(file, text)| recipe::parse(file, text)).collect();
        let poses = Poses::read(poses.0, poses.1)?;
        let layers = recipe::parse_layers(layers.0, layers.1)?;
        // As written, and with their layers: a recipe is like the former.
        let mut bare: Vec<Recipe> = Vec::new();
        let mut recipes: Vec<Recipe> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for file in parsed {
            for recipe in file? {
                let whole = match &recipe.like {
                    None => recipe,
                    Some(like) => {
                        let base = places.get(like).and_then(|&place| bare.get(place));
                        let base = base.ok_or_else(|| recipe.unknown("recipe (above it)", like))?;
                        recipe.check_words()?;
                        recipe.over(base)
                    }
                };
                let layered = with_layers(&whole, &layers)?;
                layered.check(&poses)?;
                // Above it, so that no recipe blends to itself by way of others.
                if let Some(b) = whole.blends.iter().find(|b| !places.contains_key(&b.to)) {
                    return Err(whole.unknown("recipe (above it)", &b.to));
                }
                places.insert(whole.name.clone(), recipes.len());
                bare.push(whole);
                recipes.push(layered);
            }
        }
        let infos = recipes.iter().map(info).collect();
        let made = recipes.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { poses, recipes, infos, places, made })
    }

    /// The bundled one, read at the first call. That it reads without fault is a test of ours.
    ///
    /// # Errors
    /// The fault of the embedded files, if they have one.
    pub fn bundled() -> Result<&'static Self, &'static RecipeError> {
        static BOOK: OnceLock<Result<RecipeBook, RecipeError>> = OnceLock::new();
        if let Some(book) = BOOK.get() {
            return book.as_ref();
        }
        // Outside the lock: a worker that waits for files may be handed work that asks for the book.
        let read = Self::read(FILES, POSES, LAYERS);
        BOOK.get_or_init(|| read).as_ref()
    }

    /// What is known about each clip, by category as in the files.
    pub fn list(&self) -> &[RecipeInfo] {
        &self.infos
    }

    /// The clip of that name. Cost: about 2 ms for 40 frames at the first call; later ones share what it made (all 260
    /// clips are some 15 MB).
    pub fn clip(&self, name: &str) -> Option<Arc<Clip>> {
        let &place = self.places.get(name)?;
        let clip = self.made.get(place)?.get_or_init(|| Arc::new(self.make(place)));
        Some(clip.clone())
    }

    /// The clip of a recipe, made anew.
    fn make(&self, place: usize) -> Clip {
        let Some(recipe) = self.recipes.get(place) else { return Clip::default() };
        generate::clip(&recipe.name, &self.motion(recipe))
    }

    /// The recipes, with all that they take over.
    #[cfg(test)]
    pub(super) fn recipes(&self) -> &[Recipe] {
        &self.recipes
    }

    /// The motion of a recipe.
    pub(super) fn motion(&self, recipe: &Recipe) -> Motion {
        let named = |name: &str| self.recipes.get(*self.places.get(name)?);
        let others = recipe.blends.iter().filter_map(|b| named(&b.to)).map(|r| self.motion(r));
        Motion::of(recipe, &self.poses, others.collect())
    }
}

fn with_layers(recipe: &Recipe, layers: &BTreeMap<String, Layer>) -> Result<Recipe, RecipeError> {
    recipe.layers.iter().rev().try_fold(recipe.clone(), |recipe, name| {
        let layer = layers.get(name).ok_or_else(|| recipe.unknown("layer", name))?;
        Ok(recipe.with_layer(layer))
    })
}

fn info(recipe: &Recipe) -> RecipeInfo {
    let floor = recipe.gait.as_ref().map(gait::floor_velocity);
    let mirror = if recipe.mirror { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE };
    let way = if recipe.reverse { -1.0 } else { 1.0 };
    RecipeInfo {
        name: recipe.name.clone(),
        title: title(&recipe.name),
        category: recipe.category.clone(),
        duration_s: f64::from(recipe.seconds()),
        looping: recipe.is_looping(),
        floor_velocity_m_s: floor.map(|v| way * v * mirror),
        travels: recipe.travels,
        slides: recipe.slides || (recipe.moves_root_in_keys() && !recipe.travels),
        draft: recipe.draft,
    }
}

/// All bundled clips, by category as in their files.
pub fn list() -> &'static [RecipeInfo] {
    RecipeBook::bundled().map_or(&[], |book| book.list())
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

/// The clip of that name or title, for the skeleton of [`super::skeleton`].
///
/// Cost: that of [`RecipeBook::clip`].
pub fn clip(name: &str) -> Option<Arc<Clip>> {
    RecipeBook::bundled().ok()?.clip(&find(name)?.name)
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
        assert_eq!(RecipeBook::bundled().err(), None);
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

    #[test]
    fn a_recipe_made_twice_is_the_same_to_the_bit_and_asked_for_twice_made_once() {
        let book = RecipeBook::bundled().unwrap();
        for (place, info) in book.list().iter().enumerate().step_by(5) {
            let name = &info.name;
            let clip = book.clip(name).unwrap();
            assert_eq!(*clip, book.make(place), "{name}");
            assert!(Arc::ptr_eq(&clip, &book.clip(name).unwrap()), "{name}");
        }
    }

    fn read(text: &str) -> RecipeError {
        let files = [("x.ron", text)];
        let poses = ("poses.ron", "{\"stand\": {}}");
        RecipeBook::read(&files, poses, ("layers.ron", "{}")).unwrap_err()
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
