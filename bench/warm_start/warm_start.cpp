// Tunes a list of layers with a store and prints the time. The second run on the same store is the
// warm start.
//
//   bench_warm_start LAYERS BATCH STORE
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "atc/atc.h"
#include "layers.hpp"

namespace {

void check(atc_status status) {
  if (status == ATC_OK) return;
  fmt::print(stderr, "{}: {}\n", atc_status_name(status), atc_last_error());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: {} LAYERS BATCH STORE\n", argv[0]);
    return 2;
  }
  std::vector<atc_conv_problem> problems;
  for (const Layer& layer : read_layers(argv[1], std::atoll(argv[2]), ATC_LAYOUT_CHANNELS_FIRST))
    problems.push_back(layer.problem);
  atc_store* store = nullptr;
  check(atc_store_open(&store, argv[3], ATC_STORE_READ_WRITE));
  check(atc_store_use(store));
  atc_store_close(store);

  atc_tune_report* report = nullptr;
  check(atc_tune(&report, {ATC_DEVICE_CPU, 0}, problems.data(), problems.size(), nullptr, nullptr,
                 nullptr));
  double seconds = 0;
  std::uint64_t executions = 0, records = 0, stored = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    atc_tuned_problem tuned{};
    tuned.struct_size = sizeof(tuned);
    check(atc_tune_report_problem(&tuned, report, i));
    check(tuned.status);
    seconds += tuned.seconds;
    executions += tuned.executions;
    records += tuned.source == ATC_SOURCE_RECORD ? 1 : 0;
    stored += (tuned.flags & ATC_TUNED_STORED) != 0 ? 1 : 0;
  }
  fmt::print(
      "{{\"problems\": {}, \"seconds\": {:.6f}, \"executions\": {}, \"records\": {}, \"stored\": "
      "{}}}\n",
      problems.size(), seconds, executions, records, stored);
  atc_tune_report_destroy(report);
  return 0;
}
