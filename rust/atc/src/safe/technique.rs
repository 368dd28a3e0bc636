//! How candidates are timed.

use crate::raw::c_enum::c_enum;

c_enum! {
    /// How candidates are timed.
    Technique ("technique") {
        /// One sample each.
        Once = ATC_TECHNIQUE_ONCE => "once",
        /// The median of three samples.
        MedianOfThree = ATC_TECHNIQUE_MEDIAN_OF_THREE => "median-of-three",
        /// Until the samples of a candidate stop changing.
        TillStable = ATC_TECHNIQUE_TILL_STABLE => "till-stable",
        /// Rounds over all candidates, the slow ones dropping out. The default.
        Interleaved = ATC_TECHNIQUE_INTERLEAVED => "interleaved",
        /// Ranks candidates at the clocks that the device reaches under long load.
        Sustained = ATC_TECHNIQUE_SUSTAINED => "sustained",
    }
}
