//! RON as text: where each field stands, so that fields this version does not know can be carried over word for word.
//!
//! RON's own value type forgets the difference between `(a: 1)` and `{"a": 1}` and all comments; a field that is only
//! carried along must come out as it went in.

use std::ops::Range;

/// A value in a text and the values in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    /// Just after its opening bracket; `None` for what has none.
    open: Option<usize>,
    children: Vec<Child>,
}

#[derive(Clone, Debug, PartialEq)]
struct Child {
    /// A field's name, a map's key without quotes, a place in a list.
    key: String,
    /// The value itself.
    value: Range<usize>,
    tree: Tree,
}

/// Values nested deeper than this are no project.
const MOST_DEPTH: usize = 64;

impl Tree {
    /// The values of `text`, which RON's own parser has accepted; `None` where this one cannot follow it.
    pub fn of(text: &str) -> Option<Self> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        // Attributes such as `#![enable(…)]` stand before the value.
        reader.blank();
        while reader.bytes.get(reader.at) == Some(&b'#') {
            reader.at += reader.bytes.get(reader.at..)?.iter().position(|&b| b == b']')? + 1;
            reader.blank();
        }
        reader.value(0).map(|(_, tree)| tree)
    }

    /// The value at the end of a path.
    pub fn find(&self, path: &[String]) -> Option<(Range<usize>, &Self)> {
        let (first, rest) = path.split_first()?;
        let child = self.children.iter().find(|c| c.key == *first)?;
        match rest {
            [] => Some((child.value.clone(), &child.tree)),
            _ => child.tree.find(rest),
        }
    }

    /// Where a further field of the value at the end of a path may be put in: `None` where it takes none, or has one of
    /// that name.
    pub fn room_for(&self, path: &[String], name: &str) -> Option<usize> {
        let tree = if path.is_empty() { self } else { self.find(path)?.1 };
        let is_taken = tree.children.iter().any(|c| c.key == name);
        tree.open.filter(|_| !is_taken)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Steps over white space and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let step = match rest {
                [b, ..] if b.is_ascii_whitespace() => 1,
                [b'/', b'/', ..] => rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()),
                [b'/', b'*', ..] => self.block_comment(),
                _ => return,
            };
            self.at += step;
        }
    }

    /// Length of a comment that may hold others.
    fn block_comment(&self) -> usize {
        let (rest, mut depth, mut i) = (self.rest(), 0_usize, 0);
        while let Some(pair) = rest.get(i..i + 2) {
            match pair {
                b"/*" => depth += 1,
                b"*/" => depth -= 1,
                _ => {
                    i += 1;
                    continue;
                }
            }
            i += 2;
            if depth == 0 {
                return i;
            }
        }
        rest.len()
    }

    /// One value: where it stands and what is in it.
    fn value(&mut self, depth: usize) -> Option<(Range<usize>, Tree)> {
        if depth > MOST_DEPTH {
            return None;
        }
        self.blank();
        let start = self.at;
        let tree = match self.rest() {
            [b'"', ..] => self.string()?,
            [b'r', b'"' | b'#', ..] => self.raw_string()?,
            [b'\'', ..] => self.character()?,
            [b'[' | b'{' | b'(', ..] => self.brackets(depth)?,
            _ => self.word(depth)?,
        };
        Some((start..self.at, tree))
    }

    fn string(&mut self) -> Option<Tree> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(Tree::default())
    }

    fn raw_string(&mut self) -> Option<Tree> {
        let hashes = self.rest().iter().skip(1).take_while(|&&b| b == b'#').count();
        let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
        self.at += 2 + hashes;
        let length = self.rest().windows(end.len()).position(|w| w == end)?;
        self.at += length + end.len();
        Some(Tree::default())
    }

    fn character(&mut self) -> Option<Tree> {
        let skip = if self.bytes.get(self.at + 1) == Some(&b'\\') { 3 } else { 2 };
        let length = self.bytes.get(self.at + skip..)?.iter().position(|&b| b == b'\'')?;
        self.at += skip + length + 1;
        Some(Tree::default())
    }

    /// A number, a name, or a name with brackets behind it.
    fn word(&mut self, depth: usize) -> Option<Tree> {
        let is_end = |b: &u8| b.is_ascii_whitespace() || b",:()[]{}\"'/".contains(b);
        let length = self.rest().iter().position(is_end).unwrap_or(self.rest().len());
        if length == 0 {
            return None;
        }
        self.at += length;
        let end = self.at;
        self.blank();
        if self.peek() == Some(b'(') {
            return self.brackets(depth);
        }
        self.at = end;
        Some(Tree::default())
    }

    fn brackets(&mut self, depth: usize) -> Option<Tree> {
        let close = match self.peek()? {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        self.at += 1;
        let mut tree = Tree { open: Some(self.at), children: Vec::new() };
        loop {
            self.blank();
            match self.peek()? {
                b',' => self.at += 1,
                b if b == close => break,
                _ => {
                    let (first, in_first) = self.value(depth + 1)?;
                    self.blank();
                    let child = if self.peek() == Some(b':') {
                        self.at += 1;
                        let (value, tree) = self.value(depth + 1)?;
                        let key = std::str::from_utf8(self.bytes.get(first)?).ok()?;
                        Child { key: key.trim_matches('"').to_owned(), value, tree }
                    } else {
                        let key = tree.children.len().to_string();
                        Child { key, value: first, tree: in_first }
                    };
                    tree.children.push(child);
                }
            }
        }
        self.at += 1;
        Some(tree)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, path: &[&str]) -> Option<String> {
        let path: Vec<String> = path.iter().map(|s| s.to_string()).collect();
        let tree = Tree::of(text)?;
        tree.find(&path).map(|(span, _)| text[span].to_owned())
    }

    #[test]
    fn values_are_found_by_their_path() {
        let text = r##"/* a /* nested */ comment */ (
            format: 1, // first
            name: "a, (b\"", raw: r#"x)"#, c: ')',
            list: [1, Some(( x : 2.5e-3, ))], map: { 3: (deep: "y"), "k": Tail },
            point: (1.0, -2.0),
        )"##;
        for (path, wanted) in [
            (&["format"][..], "1"),
            (&["name"], "\"a, (b\\\"\""),
            (&["raw"], "r#\"x)\"#"),
            (&["c"], "')'"),
            (&["list", "1", "0", "x"], "2.5e-3"),
            (&["map", "3", "deep"], "\"y\""),
            (&["map", "k"], "Tail"),
            (&["point", "1"], "-2.0"),
        ] {
            assert_eq!(found(text, path).as_deref(), Some(wanted), "{path:?}");
        }
        assert_eq!(found(text, &["list", "9"]), None);
    }

    #[test]
    fn there_is_room_in_brackets_for_names_that_are_not_taken() {
        let text = "(a: 1, b: (c: 2))";
        let tree = Tree::of(text).unwrap();
        assert_eq!(tree.room_for(&[], "z"), Some(1));
        assert_eq!(tree.room_for(&["b".into()], "z"), Some(11));
        assert_eq!(tree.room_for(&["b".into()], "c"), None);
        assert_eq!(tree.room_for(&["a".into()], "z"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\](){}:,\"'/*r#\\\\ a1\n]{0,60}") {
            let _ = Tree::of(&text);
        }
    }
}
