#include "trace/results.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace atc::trace {

namespace {

void add(ResultRow& sum, const ResultRow& row) {
  sum.calls += row.calls;
  sum.total += row.total;
  sum.times.merge(row.times);
}

auto place(DeviceId device) { return std::pair(device.type, device.index); }

// Returns the order in which rows are shown, as indices into `rows`. The rows of one device and
// problem form a group. The group that took the longest time in total is the first. Within a group,
// the row that took the longest time is the first. Equal rows are ordered by their texts.
std::vector<std::uint32_t> order_of(const std::vector<ResultRow>& rows) {
  using Group = std::tuple<std::pair<DeviceType, int>, std::string>;
  std::map<Group, double> sums;
  for (const ResultRow& row : rows) sums[{place(row.device), row.problem}] += row.total;
  const auto rank = [&](const ResultRow& row) {
    const double sum = sums[{place(row.device), row.problem}];
    return std::tuple(-sum, place(row.device), row.problem, -row.total, row.choice);
  };
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return rank(rows[a]) < rank(rows[b]); });
  return order;
}

std::vector<ResultRow> by_choice(const std::vector<ResultRow>& rows) {
  std::map<std::pair<std::pair<DeviceType, int>, std::string>, ResultRow> sums;
  for (const ResultRow& row : rows) {
    ResultRow& sum = sums[{place(row.device), row.choice}];
    sum.kind = RowKind::choice;
    sum.device = row.device;
    sum.choice = row.choice;
    add(sum, row);
  }
  std::vector<ResultRow> sorted;
  sorted.reserve(sums.size());
  for (auto& [key, sum] : sums) sorted.push_back(std::move(sum));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.total > b.total; });
  return sorted;
}

}  // namespace

Results summarize(std::vector<ResultRow> problems, std::vector<Event> events) {
  for (ResultRow& row : problems) row.total = static_cast<double>(row.calls) * row.times.mean();
  ResultRow total;
  total.kind = RowKind::total;
  for (const ResultRow& row : problems) add(total, row);
  std::vector<ResultRow> choices = by_choice(problems);

  Results results;
  // The new index of each row. The position in this vector is the old index.
  std::vector<std::uint32_t> number(problems.size());
  for (const std::uint32_t old : order_of(problems)) {
    number[old] = static_cast<std::uint32_t>(results.rows.size());
    results.rows.push_back(std::move(problems[old]));
  }
  for (Event& event : events) event.row = number[event.row];
  results.events = std::move(events);
  for (ResultRow& row : choices) results.rows.push_back(std::move(row));
  results.rows.push_back(std::move(total));
  return results;
}

}  // namespace atc::trace
