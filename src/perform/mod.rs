//! Floor 6: one performance: clip → springs → pose on the fixed clock. Playback, measuring and baking all run this.
//!
//! May use floors 0 to 5, but not `io`. Architecture invariant: does not know who watches.
