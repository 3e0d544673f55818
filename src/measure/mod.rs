//! Floor 7: numbers about a performance: stretch, tip travel, settling.
//!
//! May use floors 0 to 6, but not `io`. Architecture invariant: draws nothing.
