//! Libraries that a script names: only those it needs go into it, and on a machine that has them elsewhere, or not at
//! all, they are given anew or done without.

use std::collections::BTreeSet;
use std::path::Path;

use super::command::Command;
use super::export::ExportCommand;
use super::making::ClipCommand;
use super::script::Script;
use super::state::Studio;
use crate::library::ClipOrigin;

/// Libraries that a script takes clips from and this machine has not. Nothing was done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "clips that the script uses may be of {}, not on this machine; nothing was done. Give each with --library PATH, \
     or go on without with --skip-missing", .missing.join(", ")
)]
pub struct LibrariesMissing {
    /// Name and path of each.
    pub missing: Vec<String>,
}

/// The last name of a path of any system.
fn name_of(path: &str) -> &str {
    let whole = path.trim_end_matches(['/', '\\']);
    whole.rsplit(['/', '\\']).next().unwrap_or(whole)
}

fn is_here(path: &str) -> bool {
    Path::new(path).exists()
}

impl Script {
    /// The script as it can be done on this machine, and those of its libraries that it goes without, name and path.
    ///
    /// A library of `given` stands for the script's of the same name, or for the only one that is missing; any other is
    /// taken besides. What neither exports nor makes clips by name needs no library; what does goes on without one only
    /// where `skips_missing`.
    ///
    /// # Errors
    /// [`LibrariesMissing`].
    pub fn on_this_machine(
        mut self,
        given: &[String],
        skips_missing: bool,
    ) -> Result<(Self, Vec<String>), LibrariesMissing> {
        let mut besides = Vec::new();
        for path in given {
            let is_namesake = |named: &&String| name_of(named) == name_of(path);
            let named = self.libraries().find(is_namesake).cloned();
            match named {
                Some(named) => self.put_library(path, &named),
                None => besides.push(path),
            }
        }
        let mut gone: Vec<String> =
            self.libraries().filter(|path| !is_here(path)).cloned().collect();
        if gone.len() == 1 && !besides.is_empty() {
            self.put_library(besides.remove(0), &gone.remove(0));
        }
        let missing: Vec<String> =
            gone.iter().map(|path| format!("{} ({path})", name_of(path))).collect();
        let besides: Vec<Command> = besides.into_iter().cloned().map(Command::AddLibrary).collect();
        if !missing.is_empty() {
            if self.names_clips() && !skips_missing {
                return Err(LibrariesMissing { missing });
            }
            self.commands.retain(|c| !matches!(c, Command::AddLibrary(path) if !is_here(path)));
        }
        self.commands.splice(0..0, besides);
        Ok((self, missing))
    }

    /// Paths of the libraries that it adds.
    fn libraries(&self) -> impl Iterator<Item = &String> {
        self.commands.iter().filter_map(|command| match command {
            Command::AddLibrary(path) => Some(path),
            _ => None,
        })
    }

    /// Has the library at `path` stand for `named`, also where that is taken out again.
    fn put_library(&mut self, path: &str, named: &str) {
        for command in &mut self.commands {
            if let Command::AddLibrary(other) | Command::RemoveLibrary(other) = command
                && other.as_str() == named
            {
                path.clone_into(other);
            }
        }
    }

    /// Whether it exports clips that it names, or makes others of them: whose they are depends on the libraries there
    /// are.
    fn names_clips(&self) -> bool {
        let is_named = |c: &Command| match c {
            Command::Export(ExportCommand::Named(names)) => !names.is_empty(),
            Command::Export(ExportCommand::UseSet(_)) => true,
            _ => false,
        };
        let is_run = |c: &Command| matches!(c, Command::Export(ExportCommand::Run { .. }));
        let is_made = |c: &Command| matches!(c, Command::Clips(ClipCommand::Named(_)));
        let exports = self.commands.iter().any(is_named) && self.commands.iter().any(is_run);
        exports || self.commands.iter().any(is_made)
    }

    /// The same script without libraries that are none of these.
    pub(super) fn with_only(mut self, libraries: &BTreeSet<String>) -> Self {
        self.commands.retain(|command| match command {
            Command::AddLibrary(path) | Command::RemoveLibrary(path) => libraries.contains(path),
            _ => true,
        });
        self
    }
}

impl Studio {
    /// Libraries that the clips chosen for an export are from; all of them where a clip is known by its place alone.
    pub(super) fn libraries_of_choice(&self) -> BTreeSet<String> {
        let Some(open) = &self.open else { return BTreeSet::new() };
        let names = self.chosen_names();
        let by_place = names.iter().any(|name| name.starts_with('#'));
        let places = names.iter().filter_map(|name| open.library.place(name));
        let entries = places.filter_map(|place| open.library.entries().get(place));
        let files: BTreeSet<&Path> = entries
            .filter_map(|entry| match &entry.origin {
                ClipOrigin::User(path) => Some(path.as_path()),
                ClipOrigin::File | ClipOrigin::Bundled => None,
            })
            .collect();
        self.libraries.holding(|file| by_place || files.contains(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    fn script(libraries: &[&str], names: &[&str]) -> Script {
        let added = libraries.iter().map(|path| Command::AddLibrary((*path).to_owned()));
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let rest = [
            Command::Open("sample:fox".to_owned()),
            Command::Export(ExportCommand::Named(names)),
            Command::Export(ExportCommand::Run { replace: false }),
        ];
        Script::new(added.chain(rest).collect())
    }

    fn libraries(script: &Script) -> Vec<&str> {
        let added = script.commands.iter().filter_map(|command| match command {
            Command::AddLibrary(path) => Some(path.as_str()),
            _ => None,
        });
        added.collect()
    }

    #[test]
    fn a_library_that_is_not_here_is_named_before_anything_is_done() {
        let made = script(&["/no/where/walks.glb", HERE, r"C:\mine\runs"], &["Zigzag"]);
        let said = made.clone().on_this_machine(&[], false).unwrap_err().to_string();
        assert!(said.contains("walks.glb (/no/where/walks.glb), runs (C:\\mine\\runs)"), "{said}");
        assert!(said.contains("--library"), "{said}");
        let (here, missing) = made.on_this_machine(&[], true).unwrap();
        assert_eq!((libraries(&here), missing.len()), (vec![HERE], 2));
        let (here, missing) =
            script(&["/no/where/a.glb"], &[]).on_this_machine(&[], false).unwrap();
        assert_eq!((libraries(&here), missing.len()), (Vec::<&str>::new(), 1), "no clip is named");
    }

    #[test]
    fn a_given_library_stands_for_its_namesake_or_for_the_only_one_that_is_missing() {
        let given = |paths: &[&str]| paths.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        let made = script(&["/no/where/walks.glb", r"C:\mine\src"], &["Zigzag"]);
        let source = format!("{HERE}/src");
        // One is a namesake, the other stands for the one that is left.
        let (here, missing) =
            made.clone().on_this_machine(&given(&[HERE, source.as_str()]), false).unwrap();
        assert_eq!((libraries(&here), missing.len()), (vec![HERE, source.as_str()], 0));
        assert!(made.on_this_machine(&given(&[HERE]), false).is_err(), "it could be either");
        let (here, _) = script(&[HERE], &["Zigzag"])
            .on_this_machine(&given(&[source.as_str()]), false)
            .unwrap();
        assert_eq!(libraries(&here), [source.as_str(), HERE], "one more is taken besides");
        let mut taken_out = script(&[r"C:\mine\src"], &["Zigzag"]);
        taken_out.commands.push(Command::RemoveLibrary(r"C:\mine\src".to_owned()));
        let (here, _) = taken_out.on_this_machine(&given(&[source.as_str()]), false).unwrap();
        assert_eq!(here.commands.last(), Some(&Command::RemoveLibrary(source)));
    }
}
