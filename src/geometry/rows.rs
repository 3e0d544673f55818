//! Lists of numbers, many of them short, as compressed rows.

/// Lists of numbers, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows {
    /// Where each begins; one more than there are.
    offsets: Vec<u32>,
    /// The numbers of all.
    all: Vec<u32>,
}

impl Rows {
    /// The places in `row_of` by what stands there, each list rising; what is in none of the `n` rows is left out.
    pub fn of(row_of: &[u32], n: usize) -> Self {
        // Counted one place on: while the rows are dealt out, each count grows from its row's start to its end.
        let mut offsets = vec![0_u32; n + 2];
        for &row in row_of {
            if (row as usize) < n {
                offsets[row as usize + 2] += 1;
            }
        }
        for i in 2..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        let mut all = vec![0; offsets[n + 1] as usize];
        for (i, &row) in (0..).zip(row_of) {
            if (row as usize) < n {
                let at = &mut offsets[row as usize + 1];
                all[*at as usize] = i;
                *at += 1;
            }
        }
        offsets.pop();
        Self { offsets, all }
    }

    /// The numbers of a row; none where there is no such row.
    pub fn row(&self, i: u32) -> &[u32] {
        let i = i as usize;
        let ends = self.offsets.get(i).zip(self.offsets.get(i + 1));
        ends.map_or(&[], |(&from, &to)| &self.all[from as usize..to as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_listed_by_what_stands_there() {
        let rows = Rows::of(&[2, 0, 9, 2, 2], 4);
        assert_eq!(
            [0, 1, 2, 3, 4, u32::MAX].map(|i| rows.row(i).to_vec()),
            [vec![1], vec![], vec![0, 3, 4], vec![], vec![], vec![],]
        );
        assert!(Rows::of(&[], 0).row(0).is_empty());
    }
}
