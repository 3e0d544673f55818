//! Floor 6: the motion generator: recipes of key poses, gaits and contacts → clips of the canonical humanoid.
//!
//! May use floors 0 and 1 and `clips`. Architecture invariant: every key is ours, made here.
