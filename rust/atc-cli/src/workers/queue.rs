//! The queue of the problems that wait for a device. For each problem it remembers how often its
//! worker has ended, and which candidates are refused.

use std::collections::VecDeque;

use super::answer::Refused;

/// If more than this many candidates of a problem have ended their worker's process or hung, the
/// problem is reported as undecided.
const MOST_REFUSED: usize = 8;
/// A problem is lost if its worker ends and no candidate is to blame. After this many losses the
/// problem is reported as undecided.
const MOST_LOST: usize = 2;

/// A problem that waits, or on which a device works.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The index of the problem in the list that was passed to `Fleet::decide`.
    pub problem: usize,
    pub refused: Vec<Refused>,
    lost: usize,
    /// The device whose worker ended while it worked on this problem, if no candidate was to blame.
    lost_on: Option<usize>,
}

/// How and why a worker has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// How the worker has ended, as text for the user: for example "it ended its process (signal:
    /// 11 (SIGSEGV))".
    pub how: String,
    /// The candidate that has caused the end, if it is known.
    pub candidate: Option<String>,
}

/// The next step for a problem whose worker has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The problem is tried again.
    Again,
    /// The problem is reported as undecided. The text is the reason.
    Reported(String),
}

/// The problems that wait, and the number of devices that work.
pub struct Queue {
    waiting: VecDeque<Waiting>,
    working: usize,
    devices: usize,
}

impl Queue {
    pub fn new(problems: impl IntoIterator<Item = usize>, devices: usize) -> Self {
        let waiting = |problem| Waiting { problem, ..Waiting::default() };
        Self { waiting: problems.into_iter().map(waiting).collect(), working: 0, devices }
    }

    /// Returns the next problem for a device. If the worker of this device has ended during a
    /// problem without a candidate to blame, the problem is left to another device, if there is
    /// one. Returns `None` if no problem that this device may get is waiting.
    pub fn take(&mut self, device: usize) -> Option<Waiting> {
        let fits = |one: &Waiting| self.devices == 1 || one.lost_on != Some(device);
        let place = self.waiting.iter().position(fits)?;
        self.working += 1;
        self.waiting.remove(place)
    }

    /// Whether all problems are answered. A problem on which a device works counts as not answered,
    /// because it may return to the queue.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.working == 0
    }

    /// Lowers the number of devices by one, because a device can no longer work.
    pub fn lose_device(&mut self) {
        self.devices = self.devices.saturating_sub(1);
    }

    pub fn answered(&mut self) {
        self.working -= 1;
    }

    /// Records that a worker has ended during the problem `one`, and returns the next step for this
    /// problem.
    pub fn ended(&mut self, mut one: Waiting, device: usize, end: End) -> Next {
        self.working -= 1;
        match end.candidate {
            Some(choice) if !one.refused.iter().any(|known| known.choice == choice) => {
                one.refused.push(Refused { choice, reason: end.how.clone() });
                if one.refused.len() > MOST_REFUSED {
                    return Next::Reported(format!(
                        "{MOST_REFUSED} candidates ended their process or hung, the last: {}",
                        end.how
                    ));
                }
                // The problem goes to the front of the queue, so that it is tried again soon: its
                // data may still be in the caches of the device.
                self.waiting.push_front(one);
            }
            _ => {
                one.lost += 1;
                if one.lost >= MOST_LOST {
                    return Next::Reported(format!("tried twice: {}", end.how));
                }
                one.lost_on = Some(device);
                self.waiting.push_back(one);
            }
        }
        Next::Again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(candidate: Option<&str>) -> End {
        End { how: "signal 11".to_owned(), candidate: candidate.map(str::to_owned) }
    }

    #[test]
    fn a_candidate_that_ends_its_process_is_refused_and_the_problem_goes_on() {
        let mut queue = Queue::new([5, 6], 1);
        let one = queue.take(0).unwrap();
        assert_eq!(queue.ended(one, 0, end(Some("a"))), Next::Again);
        let again = queue.take(0).unwrap();
        assert_eq!(again.problem, 5, "it goes on at once");
        assert_eq!(
            again.refused,
            [Refused { choice: "a".to_owned(), reason: "signal 11".to_owned() }]
        );
        queue.answered();
        assert_eq!(queue.take(0).unwrap().problem, 6);
        assert!(!queue.is_empty(), "it may come back");
        queue.answered();
        assert!(queue.is_empty());
    }

    #[test]
    fn a_lost_problem_is_tried_once_more_elsewhere() {
        let mut queue = Queue::new([7], 2);
        let one = queue.take(0).unwrap();
        assert_eq!(queue.ended(one, 0, end(None)), Next::Again);
        assert_eq!(queue.take(0), None, "the device that lost it takes it again");
        let one = queue.take(1).unwrap();
        let Next::Reported(why) = queue.ended(one, 1, end(None)) else { panic!("tried again") };
        assert!(why.contains("twice") && why.contains("signal 11"), "{why}");
        assert!(queue.is_empty());
    }

    #[test]
    fn where_no_other_device_is_left_the_same_one_tries_again() {
        let mut queue = Queue::new([7], 2);
        let one = queue.take(0).unwrap();
        assert_eq!(queue.ended(one, 0, end(None)), Next::Again);
        queue.lose_device();
        assert_eq!(queue.take(0).unwrap().problem, 7);
    }

    #[test]
    fn a_refused_candidate_that_is_blamed_again_counts_as_a_loss() {
        let mut queue = Queue::new([0], 1);
        let mut told = Vec::new();
        for _ in 0..3 {
            let one = queue.take(0).unwrap();
            told.push(queue.ended(one, 0, end(Some("a"))));
        }
        assert_eq!(told[..2], [Next::Again, Next::Again]);
        assert!(matches!(told[2], Next::Reported(_)));
    }

    #[test]
    fn many_candidates_that_end_their_process_are_the_end_of_a_problem() {
        let mut queue = Queue::new([0], 1);
        for number in 0..=MOST_REFUSED {
            let one = queue.take(0).unwrap();
            let next = queue.ended(one, 0, end(Some(&number.to_string())));
            assert_eq!(next == Next::Again, number < MOST_REFUSED, "{number}: {next:?}");
        }
        assert!(queue.is_empty());
    }
}
