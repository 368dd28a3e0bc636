#include <string_view>

#include "core/format.hpp"
#include "trace/results.hpp"

namespace atc::trace {

namespace {

// Returns the time of the row as a percentage of the total time; 0 if nothing was timed.
double share_of(const ResultRow& row, const ResultRow& total) {
  return total.total > 0 ? 100 * row.total / total.total : 0;
}

std::string line(double share, const ResultRow& row, std::string_view name) {
  const Sketch& times = row.times;
  std::string figures;
  for (const double seconds :
       {times.mean(), times.quantile(0.5), times.min(), times.max(), times.deviation()})
    figures += times.count() == 0 ? format(" {:>11}", "-") : format(" {:>11.2f}", seconds * 1e6);
  return format("{:5.1f} % {:>9} {:>9}{}  {}\n", share, row.calls, times.count(), figures, name);
}

}  // namespace

std::string to_table(const Results& results) {
  const ResultRow& total = results.rows.back();
  std::string text = format(
      "Calls of convolutions: {} in {:.3f} s, {} of them timed. Times are microseconds per call; "
      "medians are within {:g} %.\n\n{:>7} {:>9} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11}  {}\n",
      total.calls, results.seconds, total.times.count(), 100 * Sketch::kRelativeError, "share",
      "calls", "timed", "average", "median", "min", "max", "deviation", "choice");
  text += line(total.calls == 0 ? 0 : 100, total, "all");
  for (const ResultRow& row : results.rows)
    if (row.kind == RowKind::choice)
      text += line(share_of(row, total), row, format("{} {}", name_of(row.device), row.choice));
  const ResultRow* before = nullptr;
  for (const ResultRow& row : results.rows) {
    if (row.kind != RowKind::problem) break;
    if (before == nullptr || before->problem != row.problem || !(before->device == row.device))
      text += format("\n{} {}\n", name_of(row.device), row.problem);
    text += line(share_of(row, total), row, row.choice);
    before = &row;
  }
  return text;
}

}  // namespace atc::trace
