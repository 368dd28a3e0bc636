//! Plots with two axes: the roofline plot and the plot of the clocks.

use std::collections::BTreeSet;

use super::axis::{Axis, Tick};
use crate::document::Ceilings;
use crate::subject::Subject;
use crate::units;

const LEFT: f64 = 44.0;
const RIGHT: f64 = 410.0;
const TOP: f64 = 18.0;
/// The height of a lane (a row of marks below the plot). The next number is the space for the
/// labels between the horizontal axis and the first lane.
const LANE: f64 = 24.0;
const BELOW_AXIS: f64 = 34.0;

/// A plot. Positions and lengths are in units of the SVG drawing, which is 420 units wide.
pub struct Plane {
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub across: Vec<Tick>,
    pub up: Vec<Tick>,
    pub label_across: &'static str,
    pub label_up: &'static str,
    pub points: Vec<Point>,
    pub ceilings: Vec<Line>,
    /// The lanes (rows of marks) below the horizontal axis.
    pub lanes: Vec<Lane>,
}

pub struct Line {
    /// The corners of the line, in the form of the attribute `points` of an SVG polyline.
    pub corners: String,
    pub text: String,
}

/// A lane: a row of marks for a property. Each point that has the property has a mark in the lane.
pub struct Lane {
    pub label: String,
    /// The vertical position of the lower edge of the lane's label. The marks of the lane are below
    /// the label.
    pub y: f64,
    pub marks: Vec<Mark>,
}

pub struct Mark {
    /// The number of the problem, from 1.
    pub problem: usize,
    pub x: f64,
}

/// The point of one problem in a plot.
pub struct Point {
    /// The number of the problem, from 1.
    pub problem: usize,
    pub x: f64,
    pub y: f64,
    /// The vertical positions of the ends of the point's error bar.
    pub low: f64,
    pub high: f64,
    /// The vertical position of a second point, which shows the problem without tuning.
    pub before: Option<f64>,
    pub class: &'static str,
    pub text: String,
}

impl Plane {
    fn new(bottom: f64) -> Self {
        Self {
            height: bottom + BELOW_AXIS,
            left: LEFT,
            right: RIGHT,
            top: TOP,
            bottom,
            across: Vec::new(),
            up: Vec::new(),
            label_across: "",
            label_up: "",
            points: Vec::new(),
            ceilings: Vec::new(),
            lanes: Vec::new(),
        }
    }

    /// Adds a lane at the lower end of the plot, below the axis and the lanes that the plot has
    /// already.
    fn add_lane(&mut self, label: String, marks: Vec<Mark>) {
        self.lanes.push(Lane { label, y: self.height + LANE / 2.0, marks });
        self.height += LANE;
    }
}

/// Makes the roofline plot: operations per second over operations per byte. Each kind of products
/// (fp32, TF32, …) has its own ceilings (the highest rates of memory and of arithmetic), and for
/// each such pair a line is drawn. Returns `None` if nothing was measured.
pub fn roofline(subjects: &[Subject]) -> Option<Plane> {
    let mut plane = Plane::new(270.0);
    let known = subjects.iter().enumerate().filter_map(|(index, subject)| {
        Some((index + 1, subject, subject.intensity()?, subject.rate()?, subject.default_rate()))
    });
    let known: Vec<_> = known.collect();
    let mut ceilings: Vec<Ceilings> = Vec::new();
    for own in known.iter().filter_map(|one| one.1.ceilings) {
        if !ceilings.contains(&own) {
            ceilings.push(own);
        }
    }
    let ridge = |ceilings: &Ceilings| ceilings.flops_per_second / ceilings.bytes_per_second;
    // A line of ceilings first rises (memory limits the rate) and then is level (arithmetic limits
    // it). `ridge` is the number of operations per byte at which it becomes level. All lines begin
    // left of their ridges, so that each line has a rising part.
    let first = ceilings.iter().map(|one| ridge(one) / 2.0).reduce(f64::min);
    let first = first.map(|first| known.iter().map(|one| one.2).fold(first, f64::min));
    let intensities = known.iter().map(|one| one.2).chain(ceilings.iter().map(ridge)).chain(first);
    let x = Axis::logarithmic(intensities, LEFT, RIGHT)?;
    let rates = known.iter().flat_map(|one| [one.3, one.4.unwrap_or(one.3)]);
    let peaks = ceilings.iter().map(|ceilings| ceilings.flops_per_second);
    let rates: Vec<_> = rates.chain(peaks).collect();
    let (unit, label_up) = match rates.iter().any(|rate| *rate >= 1e13) {
        true => (1e12, "TFLOP/s"),
        false => (1e9, "GFLOP/s"),
    };
    let y = Axis::logarithmic(rates.iter().map(|rate| rate / unit), plane.bottom, TOP)?;
    plane.points = known
        .iter()
        .map(|(problem, subject, intensity, rate, before)| {
            let height = y.at(rate / unit);
            let before = before.map(|rate| y.at(rate / unit));
            let mut text = format!(
                "{}: {} GFLOP/s, {} GB/s, {intensity:.1} operations per byte",
                subject.name,
                units::rate(*rate),
                units::rate(rate / intensity),
            );
            if let Some(ceilings) = subject.ceilings {
                let least = ceilings.flops_per_second.min(ceilings.bytes_per_second * intensity);
                text += &format!(", {:.0} % of the ceiling", 100.0 * rate / least);
            }
            Point {
                problem: *problem,
                x: x.at(*intensity),
                y: height,
                low: height,
                high: before.unwrap_or(height),
                before,
                class: "tuned",
                text,
            }
        })
        .collect();
    if plane.points.is_empty() {
        return None;
    }
    let line = |ceilings: &Ceilings, first: f64| {
        let Ceilings { bytes_per_second: slope, flops_per_second: peak } = *ceilings;
        let corner =
            |intensity: f64, rate: f64| format!("{},{}", x.at(intensity), y.at(rate / unit));
        let (begin, bend) = (corner(first, slope * first), corner(ridge(ceilings), peak));
        Line {
            corners: format!("{begin} {bend} {RIGHT},{}", y.at(peak / unit)),
            text: format!("at most {} GFLOP/s, {} GB/s", units::rate(peak), units::rate(slope)),
        }
    };
    plane.ceilings =
        ceilings.iter().filter_map(|one| first.map(|first| line(one, first))).collect();
    (plane.across, plane.up) = (x.ticks(), y.ticks());
    (plane.label_across, plane.label_up) = ("operations per byte", label_up);
    Some(plane)
}

/// The clocks of a decision in MHz: the lowest and the highest clock among its candidates, and the
/// clock of the choice.
struct Clocks<'a> {
    problem: usize,
    subject: &'a Subject,
    low: f64,
    high: f64,
    own: f64,
}

/// Makes the plot of the clocks of each decision, in the order of measurement. Each reason for
/// lower clocks has a lane (a row of marks). Returns `None` if no clock is known.
pub fn clocks(subjects: &[Subject]) -> Option<Plane> {
    let mut plane = Plane::new(150.0);
    let mut order: Vec<_> = subjects.iter().enumerate().collect();
    order.sort_by(|a, b| a.1.date.cmp(&b.1.date)); // a stable sort: decisions with equal dates remain in their order
    let known = order.iter().filter_map(|(index, subject)| {
        let timings = subject.decision.candidates.iter().filter_map(|one| one.timing);
        let clocks: Vec<_> =
            timings.filter_map(|timing| timing.clock_hz).map(|hz| hz / 1e6).collect();
        let low = clocks.iter().copied().reduce(f64::min)?;
        let high = clocks.iter().copied().reduce(f64::max)?;
        let winner = subject.decision.timing_of(subject.decision.winner);
        let own = winner.and_then(|timing| timing.clock_hz).map_or(low, |hz| hz / 1e6);
        Some(Clocks { problem: index + 1, subject, low, high, own })
    });
    let known: Vec<_> = known.collect();
    let x = Axis::linear([1.0, known.len() as f64], LEFT, RIGHT)?;
    let y = Axis::linear(known.iter().flat_map(|one| [one.low, one.high]), plane.bottom, TOP)?;
    let place = |index: usize| x.at((index + 1) as f64);
    plane.points = known
        .iter()
        .enumerate()
        .map(|(index, Clocks { problem, subject, low, high, own })| {
            let mut text = format!("{}: {own:.0} MHz, {low:.0} to {high:.0} in all", subject.name);
            let limits = Some(subject.limits.join(" and ")).filter(|limits| !limits.is_empty());
            let limits = limits.map(|limits| format!("clocks limited by {limits}"));
            for more in [Some(subject.date.clone()), limits, subject.decision.provisional()] {
                text += &more
                    .filter(|more| !more.is_empty())
                    .map_or(String::new(), |more| format!("; {more}"));
            }
            Point {
                problem: *problem,
                x: place(index),
                y: y.at(*own),
                low: y.at(*low),
                high: y.at(*high),
                before: None,
                class: if subject.decision.unstable { "original" } else { "tuned" },
                text,
            }
        })
        .collect();
    plane.up = y.ticks();
    (plane.label_across, plane.label_up) = ("decisions", "MHz");
    let limits: BTreeSet<_> = known.iter().flat_map(|one| &one.subject.limits).collect();
    for limit in limits {
        let all = known.iter().enumerate();
        let limited = all.filter(|(_, one)| one.subject.limits.contains(limit));
        let marks = limited.map(|(index, one)| Mark { problem: one.problem, x: place(index) });
        plane.add_lane(limit.clone(), marks.collect());
    }
    Some(plane)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::{document, tuned};
    use crate::subject;

    fn subjects() -> Vec<Subject> {
        subject::of(&document(vec![
            tuned("a", 1, &[0.002, 0.001], 1),
            tuned("b", 1, &[0.004, 0.004], 0),
        ]))
    }

    #[test]
    fn points_are_on_the_roofline_where_the_arithmetic_puts_them() {
        // The output has 64 pixels of 4 channels. Each of these 256 elements is a sum of 18
        // products. The tensors have 2 x 64, 4 x 18 and 4 x 64 floats.
        let (flops, bytes) = (2.0 * 64.0 * 4.0 * 18.0, 4.0 * (128.0 + 72.0 + 256.0));
        let all = subjects();
        assert_eq!(all[0].intensity(), Some(flops / bytes));
        assert_eq!(all[0].rate(), Some(flops / 0.001));
        let plane = roofline(&all).unwrap();
        assert_eq!(plane.points.len(), 2);
        assert!(plane.ceilings.is_empty());
        let (fast, slow) = (&plane.points[0], &plane.points[1]);
        assert!(fast.y < slow.y && fast.before.unwrap() > fast.y, "higher is faster");
        assert!(fast.text.contains("0.0 GB/s") || fast.text.contains("GB/s"), "{}", fast.text);
    }

    #[test]
    fn ceilings_are_drawn_where_they_are_known() {
        let known = Ceilings { bytes_per_second: 1e9, flops_per_second: 1e10 };
        let mut all = subjects();
        for subject in &mut all {
            subject.ceilings = Some(known);
        }
        let plane = roofline(&all).unwrap();
        assert_eq!(plane.ceilings.len(), 1);
        assert_eq!(plane.ceilings[0].corners.split(' ').count(), 3);
        assert_eq!(plane.ceilings[0].text, "at most 10.0 GFLOP/s, 1.0 GB/s");
        // The problem has 9216 operations and 1824 bytes. So memory with 1 GB/s allows at most 5.05
        // GFLOP/s. The problem reached only 9.2 MFLOP/s.
        assert!(plane.points[0].text.ends_with(", 0 % of the ceiling"), "{}", plane.points[0].text);
        // The second problem gets a higher ceiling, as if it used another kind of products. So its
        // point must be at a smaller share of its ceiling.
        all[1].ceilings = Some(Ceilings { flops_per_second: 1e12, ..known });
        let plane = roofline(&all).unwrap();
        let height = |line: &Line| line.corners.rsplit(',').next().unwrap().parse::<f64>().unwrap();
        assert_eq!(plane.ceilings.len(), 2);
        assert!(height(&plane.ceilings[1]) < height(&plane.ceilings[0]), "higher is faster");
        all[1].ceilings = None;
        let plane = roofline(&all).unwrap();
        assert_eq!(plane.ceilings.len(), 1);
        assert!(!plane.points[1].text.contains("of the ceiling"), "{}", plane.points[1].text);
    }

    #[test]
    fn ceilings_that_are_no_rates_are_not_known() {
        let mut document = document(vec![tuned("a", 1, &[0.002, 0.001], 1)]);
        for bytes_per_second in [0.0, f64::NAN, 1e9] {
            document.ceilings = Some(Ceilings { bytes_per_second, flops_per_second: 1e10 });
            let plane = roofline(&subject::of(&document)).unwrap();
            assert_eq!(plane.ceilings.len(), usize::from(bytes_per_second == 1e9));
        }
    }

    #[test]
    fn clocks_are_in_the_order_of_measurement_and_absent_where_unknown() {
        assert!(clocks(&subjects()).is_none());
        let mut all = subjects();
        for (subject, (date, mhz)) in
            all.iter_mut().zip([("2026-01-02", 1500.0), ("2026-01-01", 1980.0)])
        {
            subject.date = date.to_owned();
            for candidate in &mut subject.decision.candidates {
                candidate.timing.as_mut().unwrap().clock_hz = Some(mhz * 1e6);
            }
        }
        all[0].decision.unstable = true;
        all[0].decision.why = "3 rounds ran under changing clocks".to_owned();
        let plane = clocks(&all).unwrap();
        let order: Vec<_> = plane.points.iter().map(|point| point.problem).collect();
        assert_eq!(order, [2, 1]);
        assert!(plane.points[1].text.contains("changing clocks"));
        assert_eq!((plane.points[0].class, plane.points[1].class), ("tuned", "original"));
        assert!(plane.lanes.is_empty());
        let height = plane.height;
        all[0].limits = vec!["power cap".to_owned(), "power brake".to_owned()];
        all[1].limits = vec!["power cap".to_owned()];
        let plane = clocks(&all).unwrap();
        assert!(plane.points[1].text.contains("; clocks limited by power cap and power brake; "));
        let lanes: Vec<_> = plane
            .lanes
            .iter()
            .map(|lane| (lane.label.as_str(), lane.marks.iter().map(|mark| mark.problem).collect()))
            .collect();
        assert_eq!(lanes, [("power brake", vec![1]), ("power cap", vec![2, 1])]);
        for (lane, above) in plane.lanes.iter().zip([height, height + LANE]) {
            assert!(lane.y > above && lane.y < above + LANE, "{}", lane.y);
            let last = lane.marks.last().unwrap();
            assert_eq!((last.problem, last.x), (1, plane.points[1].x));
        }
        assert_eq!(plane.height, height + 2.0 * LANE);
    }
}
