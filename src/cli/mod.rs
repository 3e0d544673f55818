//! Floor 11: the verbs of the command line.
//!
//! May use floors 0 to 8. Architecture invariant: computes nothing that the library does not offer.
