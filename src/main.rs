//! The command `tailbone`.

fn main() {}
