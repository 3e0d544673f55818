//! Floor 4: builds: chains of joints, weights, names; applies verdicts to a character.
//!
//! May use floors 0 to 3, but not `io`. Architecture invariant: simulates nothing.
