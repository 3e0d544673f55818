//! Floor 8: a document is a source plus decisions: evaluation, history, project files.
//!
//! May use floors 0 to 7. Architecture invariant: derived data is never saved and never edited.
