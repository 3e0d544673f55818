//! Floor 5: secondary motion: spring chains on the fixed step, contacts, limits.
//!
//! May use floors 0 and 1. Architecture invariant: knows neither clips nor files; no NaN leaves it.
