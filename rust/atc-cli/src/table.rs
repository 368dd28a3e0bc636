//! Writes tables as text: as columns that fit a terminal, or as lines for other programs.

use std::collections::HashSet;

use comfy_table::{CellAlignment, LineStyle, TableStyle};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::look::Look;
use crate::output::printable;

/// The number of spaces between two columns.
const GAP: usize = 2;

/// A column of a table. By default it is never shortened or left out.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub number: bool,
    /// On a narrow terminal the cells of the column may be shortened to this number of characters:
    /// their middle is cut out. `None`: the cells are never shortened.
    least: Option<usize>,
    /// If the table is too wide even with shortened cells, columns are left out: first the column
    /// of the highest rank, then the column of the next lower rank, and so on. A column of rank 0
    /// is never left out.
    rank: u32,
}

impl Column {
    pub const fn new(name: &'static str) -> Self {
        Self { name, number: false, least: None, rank: 0 }
    }

    /// Makes a column of numbers, which are aligned to the right.
    pub const fn number(name: &'static str) -> Self {
        Self { number: true, ..Self::new(name) }
    }

    pub const fn shortened(self, least: usize) -> Self {
        Self { least: Some(least), ..self }
    }

    pub const fn left_out(self, rank: u32) -> Self {
        Self { rank, ..self }
    }
}

pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row with a cell for each column. Control characters in the texts, which may come from
    /// files and libraries, are replaced.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let one_line = |cell: String| printable(&cell.replace(['\n', '\t'], " "));
        let mut cells: Vec<_> = cells.into_iter().map(one_line).collect();
        cells.resize(self.columns.len(), String::new());
        self.rows.push(cells);
    }

    /// Returns the table as text, followed by notes about the columns that were left out. The text
    /// ends with a line feed.
    pub fn draw(&self, look: Look) -> String {
        let all: Vec<_> = (0..self.columns.len()).collect();
        match look {
            Look::Lines => self.lines(),
            Look::Wide => self.columns_of(&all, &self.natural()),
            Look::Fitting(width) => self.fitting(width),
        }
    }

    fn lines(&self) -> String {
        let header = self.columns.iter().map(|column| column.name).collect::<Vec<_>>().join("\t");
        let rows = self.rows.iter().map(|cells| cells.join("\t"));
        std::iter::once(header).chain(rows).map(|line| line + "\n").collect()
    }

    fn fitting(&self, width: usize) -> String {
        let natural = self.natural();
        let least = |index: &usize| {
            let column = &self.columns[*index];
            let least = column.least.map(|least| least.max(column.name.width()));
            least.unwrap_or(natural[*index]).min(natural[*index])
        };
        let between = |shown: &[usize]| GAP * shown.len().saturating_sub(1);
        let mut shown: Vec<_> = (0..self.columns.len()).collect();
        // If the table is too wide, columns whose cells are all equal are left out first. A line
        // below the table shows the value of each of these columns.
        let mut shared = Vec::new();
        if natural.iter().sum::<usize>() + between(&shown) > width {
            shared = shown.extract_if(.., |index| self.is_shared(*index)).collect();
        }
        while shown.iter().map(least).sum::<usize>() + between(&shown) > width {
            let last = shown.iter().copied().filter(|index| self.columns[*index].rank > 0);
            let Some(last) = last.max_by_key(|index| self.columns[*index].rank) else { break };
            shown.retain(|index| *index != last);
        }
        let mut widths = natural.clone();
        for index in &shown {
            widths[*index] = least(index);
        }
        let taken = shown.iter().map(least).sum::<usize>() + between(&shown);
        // The width that is still free is distributed character by character. Each character goes
        // to the column that is the narrowest of the shortened columns at that moment.
        for _ in taken..width {
            let short = shown.iter().copied().filter(|index| widths[*index] < natural[*index]);
            let Some(narrowest) = short.min_by_key(|index| widths[*index]) else { break };
            widths[narrowest] += 1;
        }
        let names = |left: &[usize], say: &dyn Fn(usize) -> String| {
            left.iter().map(|index| say(*index)).collect::<Vec<_>>().join(", ")
        };
        let mut notes = Vec::new();
        if !shared.is_empty() {
            let value =
                |index: usize| format!("{} {}", self.columns[index].name, self.rows[0][index]);
            notes.push(format!("(in all rows: {})\n", names(&shared, &value)));
        }
        let hidden: Vec<_> = (0..self.columns.len())
            .filter(|index| !shown.contains(index) && !shared.contains(index))
            .collect();
        if !hidden.is_empty() {
            let name = |index: usize| self.columns[index].name.to_owned();
            notes.push(format!("(--wide shows also: {})\n", names(&hidden, &name)));
        }
        self.columns_of(&shown, &widths) + &Look::Fitting(width).wrapped(&notes.concat())
    }

    /// Whether a column can be left out because all its cells are equal. The table must have at
    /// least two rows, and the rank of the column must not be 0.
    fn is_shared(&self, index: usize) -> bool {
        let [first, others @ ..] = self.rows.as_slice() else { return false };
        let may_go = self.columns[index].rank > 0;
        may_go && !others.is_empty() && others.iter().all(|cells| cells[index] == first[index])
    }

    /// Returns the widths of the columns without shortened cells.
    fn natural(&self) -> Vec<usize> {
        let of = |(index, column): (usize, &Column)| {
            let cells = self.rows.iter().map(|cells| cells[index].width());
            cells.max().unwrap_or(0).max(column.name.width())
        };
        self.columns.iter().enumerate().map(of).collect()
    }

    fn columns_of(&self, shown: &[usize], widths: &[usize]) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(
            TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')),
        );
        table.set_header(shown.iter().map(|index| self.columns[*index].name));
        let cut = |index: &usize| {
            let cells: Vec<_> = self.rows.iter().map(|cells| cells[*index].as_str()).collect();
            shortened(&cells, widths[*index])
        };
        let columns: Vec<_> = shown.iter().map(cut).collect();
        for row in 0..self.rows.len() {
            table.add_row(columns.iter().map(|cells| &cells[row]));
        }
        for (place, index) in shown.iter().enumerate() {
            let Some(column) = table.column_mut(place) else { continue };
            let last = place + 1 == shown.len();
            // comfy-table puts one space between columns. The padding that is set here adds a
            // second space.
            column.set_padding((0, if last { 0 } else { 1 }));
            if self.columns[*index].number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt() + "\n"
    }
}

/// Shortens the texts of a column to `width`: the middle of a text is cut out. The place of the cut
/// is chosen so that different texts remain different, if the width allows this.
fn shortened(texts: &[&str], width: usize) -> Vec<String> {
    let left = width.saturating_sub(1);
    let cut = |head: usize| -> Vec<String> {
        texts.iter().map(|text| without_middle(text, width, head)).collect()
    };
    let distinct = |cut: &[String]| cut.iter().collect::<HashSet<_>>().len();
    let wanted = texts.iter().collect::<HashSet<_>>().len();
    // Names and choices usually differ at their beginnings or their ends, and more often at their
    // ends. So the end of the text gets two thirds of the width.
    let usual = left / 3;
    let mut best = cut(usual);
    for head in (0..=left).filter(|head| *head != usual) {
        if distinct(&best) == wanted {
            break;
        }
        let other = cut(head);
        if distinct(&other) > distinct(&best) {
            best = other;
        }
    }
    best
}

/// Shortens a text to `width` characters: its first `head` characters, "…", and its last
/// characters.
fn without_middle(text: &str, width: usize, head: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let tail = width.saturating_sub(1 + head);
    let taken = |chars: &mut dyn Iterator<Item = char>, most: usize| -> Vec<char> {
        let mut sum = 0;
        let fits = |c: &char| {
            sum += c.width().unwrap_or(0);
            sum <= most
        };
        chars.take_while(fits).collect()
    };
    let head: String = taken(&mut text.chars(), head).into_iter().collect();
    let tail: String = taken(&mut text.chars().rev(), tail).into_iter().rev().collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[
            Column::new("id"),
            Column::new("choice").shortened(8),
            Column::number("time"),
            Column::new("date").left_out(1),
            Column::new("place").shortened(4).left_out(2),
        ]);
        for (id, choice) in
            [("0123456789ab", "onednn@3.2:a:very:long:one"), ("fedcba987654", "x@1:y")]
        {
            let cells = [id, choice, "1.234 ms", "2026-01-01", "over there"];
            table.row(cells.map(str::to_owned));
        }
        table
    }

    /// Like [`table`], but no column has the same value in all rows.
    fn varied() -> Table {
        let mut table = table();
        table.rows[1][3] = "2026-01-02".to_owned();
        table.rows[1][4] = "here".to_owned();
        table
    }

    #[test]
    fn a_pipe_gets_a_line_for_each_row_and_everything_whole() {
        assert_eq!(
            table().draw(Look::Lines),
            "id\tchoice\ttime\tdate\tplace\n\
             0123456789ab\tonednn@3.2:a:very:long:one\t1.234 ms\t2026-01-01\tover there\n\
             fedcba987654\tx@1:y\t1.234 ms\t2026-01-01\tover there\n"
        );
    }

    #[test]
    fn what_would_break_a_line_is_taken_out_of_cells() {
        let mut table = Table::new(&[Column::new("a"), Column::new("b")]);
        table.row(["x\ty\nz".to_owned(), "\u{1b}[31m".to_owned()]);
        assert_eq!(table.draw(Look::Lines), "a\tb\nx y z\t\u{fffd}[31m\n");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_an_id_is_whole() {
        for width in 32..90 {
            let text = varied().draw(Look::Fitting(width));
            for line in text.lines() {
                assert!(line.width() <= width, "{width}: {line}");
            }
            assert!(text.contains("0123456789ab") && text.contains("fedcba987654"), "{text}");
            // The table has four lines: the header, the line below the header, and two rows.
            assert_eq!(text.split('(').next().unwrap().lines().count(), 4, "{text}");
        }
    }

    #[test]
    fn columns_shrink_before_any_is_left_out() {
        assert_eq!(
            varied().draw(Look::Fitting(53)),
            "id            choice        time  date        place\n\
             ─────────────────────────────────────────────────────\n\
             0123456789ab  on…g:one  1.234 ms  2026-01-01  ov…here\n\
             fedcba987654  x@1:y     1.234 ms  2026-01-02  here\n"
        );
    }

    #[test]
    fn the_middle_is_left_out() {
        let shortened = |text: &str, width| shortened(&[text], width).remove(0);
        assert_eq!(shortened("onednn@3.2:blocked", 11), "one…blocked");
        assert_eq!(shortened("onednn", 6), "onednn");
        assert_eq!(shortened("×××××", 4), "×…××");
        assert_eq!(shortened("abc", 1), "…");
    }

    #[test]
    fn what_differs_stays_different_where_the_width_allows_it() {
        // A cut at the usual place would make "rn5…_conv2" of both names.
        let names = ["rn50_layer1_0_conv2", "rn50_layer2_0_conv2", "rn50_layer2_0_conv2"];
        let cut = shortened(&names, 10);
        assert!(cut[0] != cut[1] && cut[1] == cut[2], "{cut:?}");
        assert!(cut.iter().all(|name| name.width() <= 10), "{cut:?}");
        assert_eq!(shortened(&["aaaa_1_bbbb", "aaaa_2_bbbb"], 3), ["…bb", "…bb"]);
    }

    #[test]
    fn what_all_rows_share_is_told_once_where_the_width_is_short() {
        let text = table().draw(Look::Fitting(53));
        assert!(text.ends_with("(in all rows: date 2026-01-01, place over there)\n"), "{text}");
        assert!(text.contains("0123456789ab  onednn@3.2:a:very:long:one  1.234 ms\n"), "{text}");
        assert!(!table().draw(Look::Fitting(90)).contains("in all rows"));
        let mut alone =
            Table::new(&[Column::new("name").shortened(4), Column::new("place").left_out(1)]);
        alone.row(["a name".to_owned(), "over there".to_owned()]);
        let text = alone.draw(Look::Fitting(12));
        assert!(text.contains("place)") && !text.contains("all rows"), "{text}");
    }
}
