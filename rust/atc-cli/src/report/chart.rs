//! The chart of the report: what each problem costs by default and tuned.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::failure::{Failure, Result};
use crate::gain::Gain;
use crate::output::printable;
use crate::subject::Subject;

/// More bars than this nobody compares.
const MOST_BARS: usize = 40;
const WIDTH: u32 = 960;
const ROW: u32 = 26;
const TUNED: RGBColor = RGBColor(0x1f, 0x77, 0xb4);
const DEFAULT: RGBColor = RGBColor(0xb8, 0xbe, 0xc6);

struct Bar {
    name: String,
    default: f64,
    tuned: f64,
    gain: Gain,
}

/// SVG, and a remark on what it leaves out. Both empty where nothing was measured.
pub fn draw(subjects: &[Subject]) -> Result<(String, String)> {
    let mut bars: Vec<_> = subjects.iter().filter_map(bar).collect();
    if bars.is_empty() {
        return Ok((String::new(), String::new()));
    }
    bars.sort_by(|a, b| b.default.total_cmp(&a.default));
    let note = match bars.len().saturating_sub(MOST_BARS) {
        0 => String::new(),
        more => format!("the {MOST_BARS} that cost most; {more} more are in the tables"),
    };
    bars.truncate(MOST_BARS);
    let mut svg = String::new();
    let height = ROW * bars.len() as u32 + 90;
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    paint(&area, &bars)
        .map_err(|error| Failure::new(format!("the chart cannot be drawn: {error}")))?;
    drop(area);
    Ok((svg, note))
}

/// Milliseconds of all convolutions of this shape.
fn bar(subject: &Subject) -> Option<Bar> {
    let decision = &subject.decision;
    let cost = |seconds: f64| seconds * subject.count as f64 * 1e3;
    let bar = Bar {
        name: printable(&subject.name),
        default: cost(decision.default_time()?),
        tuned: cost(decision.time()?),
        gain: decision.gain()?,
    };
    [bar.default, bar.tuned, bar.gain.ratio].iter().all(|value| value.is_finite()).then_some(bar)
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

fn paint(area: &DrawingArea<SVGBackend<'_>, Shift>, bars: &[Bar]) -> Drawn {
    area.fill(&WHITE)?;
    let longest = bars.iter().map(|bar| bar.default.max(bar.tuned)).fold(0.0, f64::max);
    // Room for the gain behind the longest bar; an axis needs some length.
    let end = (longest * 1.12).max(1e-9);
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(330)
        .build_cartesian_2d(0.0..end, 0.0..bars.len() as f64)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .max_light_lines(1)
        .x_desc("ms for all convolutions of the shape")
        .label_style(("sans-serif", 12))
        .draw()?;
    for (index, bar) in bars.iter().enumerate() {
        // The first bar is the topmost.
        let bottom = (bars.len() - index) as f64 - 1.0;
        let rectangle = |low: f64, high: f64, length: f64, color: RGBColor| {
            Rectangle::new([(0.0, bottom + low), (length, bottom + high)], color.filled())
        };
        chart.draw_series([rectangle(0.52, 0.86, bar.default, DEFAULT)])?;
        chart.draw_series([rectangle(0.14, 0.48, bar.tuned, TUNED)])?;
        let place = chart.backend_coord(&(0.0, bottom + 0.5));
        let name = ("sans-serif", 12).into_font().color(&BLACK);
        area.draw(&Text::new(shortened(&bar.name), (12, place.1 - 6), name.clone()))?;
        let behind = chart.backend_coord(&(bar.default.max(bar.tuned), bottom + 0.5));
        area.draw(&Text::new(bar.gain.range(), (behind.0 + 6, place.1 - 6), name))?;
    }
    legend(area, bars.len())?;
    area.present()?;
    Ok(())
}

fn legend(area: &DrawingArea<SVGBackend<'_>, Shift>, bars: usize) -> Drawn {
    let top = (ROW * bars as u32 + 62) as i32;
    for (left, color, text) in [(12, DEFAULT, "by default"), (112, TUNED, "tuned")] {
        area.draw(&Rectangle::new([(left, top), (left + 12, top + 12)], color.filled()))?;
        area.draw(&Text::new(
            text,
            (left + 18, top),
            ("sans-serif", 12).into_font().color(&BLACK),
        ))?;
    }
    Ok(())
}

/// As much of a name as the margin has room for.
fn shortened(name: &str) -> String {
    const MOST: usize = 52;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};
    use crate::subject;

    fn drawn(count: usize) -> (String, String) {
        let problems =
            (0..count).map(|index| tuned(&format!("layer{index}"), 1, &[0.002, 0.001], 1));
        draw(&subject::of(&document(problems.collect()))).unwrap()
    }

    #[test]
    fn every_problem_has_a_name_two_bars_and_its_gain() {
        let (svg, note) = drawn(3);
        assert_eq!(svg.matches("1.97–2.03×").count(), 3, "{svg}");
        let filled = |color: &str| svg.matches(&format!("fill=\"{color}\"")).count();
        // One of each color more in the legend.
        assert_eq!((filled("#1F77B4"), filled("#B8BEC6")), (4, 4), "{svg}");
        assert!(svg.contains("layer2") && note.is_empty());
    }

    #[test]
    fn what_is_left_out_is_said() {
        let (svg, note) = drawn(MOST_BARS + 5);
        assert!(note.contains("5 more"), "{note}");
        assert_eq!(svg.matches("1.97–2.03×").count(), MOST_BARS);
    }

    #[test]
    fn names_are_cut_between_letters() {
        assert_eq!(shortened(&"ü".repeat(60)).chars().count(), 52);
        assert_eq!(shortened("short"), "short");
    }
}
