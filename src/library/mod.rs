//! Floor 7: the clip catalogue: a file's own clips, users' files, bundled recipes; titles and search by name.
//!
//! May use floors 0 to 2, `clips` and `recipes`. Architecture invariant: does not know the character the clips will
//! be played on; a clip comes with the skeleton it was made for.

mod catalogue;
mod folder;
mod known;

pub use catalogue::{ClipEntry, ClipOrigin, ClipRequestError, ClipSource, Library, NoSuchClip};
pub use folder::{Dropped, clip_files, dropped, is_motion, read_clips};
