//! The techniques by which a race times the candidates. (A race is the measurement that compares all candidates of a
//! problem, which are its implementations.)

use crate::raw::c_enum::c_enum;

c_enum! {
    /// The technique by which a race times the candidates. (A race is the measurement that compares all candidates of a
    /// problem, which are its implementations.)
    Technique ("technique") {
        /// Each candidate is timed by one sample (one batch of executions).
        Once = ATC_TECHNIQUE_ONCE => "once",
        /// Each candidate is timed by the median of three samples.
        MedianOfThree = ATC_TECHNIQUE_MEDIAN_OF_THREE => "median-of-three",
        /// Each candidate is timed until further samples no longer change its time.
        TillStable = ATC_TECHNIQUE_TILL_STABLE => "till-stable",
        /// The race has many rounds. In each round all remaining candidates are timed once. Candidates that prove to be
        /// slow are dropped. The default.
        Interleaved = ATC_TECHNIQUE_INTERLEAVED => "interleaved",
        /// The candidates are timed under a long load, after the clock frequencies of the device have become stable.
        Sustained = ATC_TECHNIQUE_SUSTAINED => "sustained",
    }
}
