//! Floor 7: records performances at a fixed rate as clips.
//!
//! May use floors 0 to 6, but not `io`. Architecture invariant: writes no files; it returns clips for `io` to write.
