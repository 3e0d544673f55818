//! The library as the panel shows it: filtered, searched, sorted.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::fuzzy::Search;
use super::making::ClipEdit;
use super::state::Studio;
use super::sweeping::TileFault;
use crate::library::{ClipEntry, ClipOrigin};

/// The order of tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShelfOrder {
    /// The file's own, the user's, the bundled; each as its source has them.
    #[default]
    Source,
    /// By name.
    Name,
    /// The shortest first.
    Duration,
    /// Those played last first.
    Recent,
    /// The worst first, of those that were played through.
    Worst,
}

impl ShelfOrder {
    /// All, in the order of the menu.
    pub const ALL: [Self; 5] =
        [Self::Source, Self::Name, Self::Duration, Self::Recent, Self::Worst];

    /// As it stands in the menu.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "By source",
            Self::Name => "By name",
            Self::Duration => "Shortest first",
            Self::Recent => "Last played first",
            Self::Worst => "Worst first",
        }
    }
}

/// Where clips of the library come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShelfSource {
    /// The character's own file.
    File,
    /// Ours.
    Bundled,
    /// A file or folder of the user's, by its absolute path.
    User(String),
}

impl ShelfSource {
    fn has(&self, origin: &ClipOrigin) -> bool {
        match (self, origin) {
            (Self::File, ClipOrigin::File) | (Self::Bundled, ClipOrigin::Bundled) => true,
            (Self::User(path), ClipOrigin::User(file)) => file.starts_with(path),
            _ => false,
        }
    }
}

/// A source as it stands in the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Which.
    pub source: ShelfSource,
    /// Its name.
    pub name: String,
    /// Number of its clips.
    pub n_clips: usize,
    /// Why none of them are there.
    pub fault: Option<String>,
}

/// What of the library is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShelfQuery {
    /// What was typed.
    pub text: String,
    /// Only this group of categories, or this category.
    pub category: Option<String>,
    /// Only clips from there.
    pub source: Option<ShelfSource>,
    /// Only favourites.
    pub only_favourites: bool,
    /// In which order; a typed search sorts by fit.
    pub order: ShelfOrder,
}

/// What the user likes and has played, by name of the clip.
#[derive(Clone, Copy, Debug)]
pub struct ShelfHabits<'a> {
    /// Marked by a star.
    pub favourites: &'a BTreeSet<String>,
    /// Played, the latest first.
    pub recent: &'a [String],
}

/// One clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Its place in the library.
    pub place: usize,
    /// As in its file or recipe.
    pub name: String,
    /// In words.
    pub title: String,
    /// `group - name`, or empty.
    pub category: String,
    /// Seconds.
    pub duration_secs: f64,
    /// Whether it loops.
    pub looping: bool,
    /// `in file`, the name of the user's file, or empty for bundled ones.
    pub source: String,
    /// What is done to the clip it is made of; `None` where it is made of none.
    pub edit: Option<ClipEdit>,
    /// Title and length in seconds of the clip that it is made of, or its own.
    pub whole: (String, f64),
    /// What is worst in it, where it was played through.
    pub fault: Option<TileFault>,
    /// Why this character cannot play it; `None` where it can, or where it is not known yet.
    pub refusal: Option<String>,
    /// Whether the user likes it.
    pub is_favourite: bool,
    /// Whether it plays.
    pub is_playing: bool,
}

/// The library as asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shelf {
    /// What fits.
    pub tiles: Vec<Tile>,
    /// Groups of categories with the number of clips in each, whatever the filter says.
    pub categories: Vec<(String, usize)>,
    /// Where clips come from: the file, ours, the user's libraries.
    pub sources: Vec<SourceLine>,
    /// Number of all clips.
    pub n_all: usize,
    /// Whether clips are being played through, to find what is worst in them.
    pub is_sweeping: bool,
}

/// `Combat` of `Combat - Sword`.
fn group(category: &str) -> &str {
    category.split(" - ").next().unwrap_or(category)
}

fn tile(
    (place, entry): (usize, &ClipEntry),
    whole: (String, f64),
    habits: ShelfHabits<'_>,
    playing: Option<usize>,
) -> Tile {
    Tile {
        edit: (!entry.edit.is_none()).then(|| entry.edit.clone()),
        whole,
        fault: None,
        refusal: None,
        place,
        name: entry.name.clone(),
        title: entry.title.clone(),
        category: entry.category.clone(),
        duration_secs: entry.duration_secs,
        looping: entry.looping,
        source: match &entry.origin {
            ClipOrigin::File => "in file".to_owned(),
            ClipOrigin::User(path) => {
                path.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            ClipOrigin::Bundled => String::new(),
        },
        is_favourite: habits.favourites.contains(&entry.name),
        is_playing: playing == Some(place),
    }
}

impl Studio {
    /// The library as `query` asks. Cost: O(clips × letters).
    pub fn shelf(&self, query: &ShelfQuery, habits: ShelfHabits<'_>) -> Shelf {
        let entries = self.open.as_ref().map(|open| open.library.entries()).unwrap_or_default();
        let playing = self.playback.as_ref().and_then(|p| p.clip()).map(|(place, _)| *place);
        let search = Search::new(&query.text);
        let fits = |entry: &ClipEntry| -> Option<i64> {
            let in_category = query
                .category
                .as_deref()
                .is_none_or(|c| entry.category == c || group(&entry.category) == c);
            let liked = !query.only_favourites || habits.favourites.contains(&entry.name);
            let from_there = query.source.as_ref().is_none_or(|source| source.has(&entry.origin));
            if !(in_category && liked && from_there) {
                return None;
            }
            // The title counts before the category: "walk" means the walks, not all of locomotion.
            let title = search.score(&entry.title).map(|s| s + 100);
            title.or_else(|| search.score(&format!("{} {}", entry.category, entry.title)))
        };
        // A clip of the file or the user stands for the bundled one of the same name; the user's, however it is spelled.
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let is_hidden: Vec<bool> = entries
            .iter()
            .map(|e| {
                let spelled = e.known_as.filter(|_| matches!(e.origin, ClipOrigin::User(_)));
                seen.extend(spelled);
                !seen.insert(e.name.as_str()) && e.origin == ClipOrigin::Bundled
            })
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let shown = entries.iter().zip(&is_hidden).filter(|(_, hidden)| !**hidden);
        for (entry, _) in shown.clone().filter(|(e, _)| !e.category.is_empty()) {
            *counts.entry(group(&entry.category)).or_default() += 1;
        }
        let mut found: Vec<(i64, Tile)> = entries
            .iter()
            .enumerate()
            .filter(|(place, _)| !is_hidden.get(*place).copied().unwrap_or(false))
            .filter_map(|(place, e)| {
                let fit = fits(e)?;
                let whole = match e.edit.is_none() {
                    true => (e.title.clone(), e.duration_secs),
                    false => self.whole_clip(e),
                };
                Some((fit, tile((place, e), whole, habits, playing)))
            })
            .collect();
        let mut faults = self.faults();
        for (_, tile) in &mut found {
            tile.fault = faults.remove(&tile.place);
            tile.refusal = self.failed_tiles.get(&tile.place).cloned();
        }
        if !search.is_empty() {
            found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.place.cmp(&b.1.place)));
        } else {
            sort(&mut found, query.order, habits.recent);
        }
        Shelf {
            tiles: found.into_iter().map(|(_, tile)| tile).collect(),
            categories: counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect(),
            sources: self.source_lines(),
            n_all: shown.count(),
            is_sweeping: self.is_sweeping(),
        }
    }

    /// Where the clips at hand come from. Cost: O(clips).
    fn source_lines(&self) -> Vec<SourceLine> {
        let entries = self.open.as_ref().map(|open| open.library.entries()).unwrap_or_default();
        let line = |source: ShelfSource, name: &str| {
            let n_clips = entries.iter().filter(|e| source.has(&e.origin)).count();
            SourceLine { source, name: name.to_owned(), n_clips, fault: None }
        };
        let users = self.libraries().into_iter().map(|row| SourceLine {
            source: ShelfSource::User(row.path),
            name: row.name,
            n_clips: row.n_clips,
            fault: row.fault,
        });
        let ours = [line(ShelfSource::File, "In the file"), line(ShelfSource::Bundled, "Bundled")];
        ours.into_iter().chain(users).collect()
    }
}

fn sort(found: &mut [(i64, Tile)], order: ShelfOrder, recent: &[String]) {
    let age = |tile: &Tile| recent.iter().position(|name| *name == tile.name);
    match order {
        ShelfOrder::Source => {}
        ShelfOrder::Name => found.sort_by(|a, b| a.1.title.cmp(&b.1.title)),
        ShelfOrder::Duration => {
            found.sort_by(|a, b| a.1.duration_secs.total_cmp(&b.1.duration_secs));
        }
        ShelfOrder::Recent => found.sort_by_key(|(_, tile)| age(tile).unwrap_or(usize::MAX)),
        ShelfOrder::Worst => {
            found.sort_by_key(|(_, tile)| tile.fault.as_ref().map_or(usize::MAX, |f| f.rank));
        }
    }
}
