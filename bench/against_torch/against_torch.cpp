// Measures convolutions of LibTorch and of atc in one process, in turn: LibTorch alone, a plan of
// atc, and atc's eager call. Also measures the host's time for a call, the time of the first calls,
// and the regret (how much slower the plan's choice is than the best candidate). Prints a table,
// and writes all results to the file that --json names.
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <tuple>

#include "atc/atc.h"
#include "atc/torch.h"
#include "cell.hpp"
#include "check.hpp"
#include "contenders.hpp"
#include "options.hpp"
#include "problems.hpp"

namespace {

using Json = nlohmann::json;

std::string time_text() {
  const std::time_t seconds = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
  return text;
}

std::vector<double> load_average() {
  std::vector<double> averages(3);
  averages.resize(static_cast<std::size_t>(std::max(0, getloadavg(averages.data(), 3))));
  return averages;
}

Json engines() {
  std::size_t count = 0;
  check(atc_engine_count(&count));
  Json versions = Json::object();
  for (std::size_t i = 0; i < count; ++i) {
    atc_engine_info info{};
    info.struct_size = sizeof(info);
    check(atc_engine_describe(&info, i));
    versions[info.name] = info.version;
  }
  return versions;
}

Json header(const Options& options, const Target& target, int argc, char** argv) {
  atc_torch_info torch{};
  torch.struct_size = sizeof(torch);
  check(atc_torch_describe(&torch));
  std::vector<std::string> command(argv, argv + argc);
  return {{"commit", options.commit},
          {"date", time_text()},
          {"device", target.description()},
          {"driver", nullptr},
          {"versions",
           {{"atc", atc_version_string()}, {"LibTorch", torch.version}, {"engines", engines()}}},
          {"command", fmt::format("{}", fmt::join(command, " "))},
          {"threads", at::get_num_threads()},
          {"load_average", load_average()},
          {"last_level_cache_bytes", target.cache_size()},
          {"seconds_per_cell", options.seconds_per_cell},
          {"constant_weights", options.constant_weights},
          {"ratio",
           "atc_ms / the faster of LibTorch's times; the interval by bootstrap over paired rounds"},
          {"output",
           "each call returns a new tensor from LibTorch's allocator; atc_into_ms: tensor and "
           "workspace are the caller's"},
          {"floor_ms",
           "the least cold median measured in the cell: LibTorch, the plan, the eager call and "
           "the runners-up of the race measured again"},
          {"regret", "atc_ms / floor_ms"},
          {"host_us", "one thread, batch 1, 8 channels, one output element per channel"},
          {"atc_warm_first_ms",
           "plan, weights and first call with the decision known to this process; null: it was too "
           "uncertain to be kept"}};
}

// Returns the bytes of the struct, as a key by which two equal problems are recognised. If the
// command line sets the batch size, two layers of the list that differ only in their batch size
// become equal problems.
std::string geometry(const atc_conv_problem& p) {
  return {reinterpret_cast<const char*>(&p), sizeof(p)};
}

double geomean(const std::vector<Json>& cells, const std::string& layout) {
  double sum = 0;
  int count = 0;
  for (const Json& cell : cells) {
    if (!layout.empty() && cell["layout"] != layout) continue;
    sum -= std::log(cell["ratio"].get<double>());
    ++count;
  }
  return count == 0 ? std::nan("") : std::exp(sum / count);
}

void print_row(const Json& cell) {
  const auto number = [&](const char* name) { return cell[name].get<double>(); };
  fmt::print(
      "{:<20} {:>4} {:<5} {:<5} {:<5} {:>10.4f} {:>10.4f} {:>10.4f}  {:.3f} [{:.3f}, {:.3f}] "
      "{:.3f} {:.3f} {:>6.1f} {:>6.1f} {:>6.1f}  {}\n",
      cell["problem"].get<std::string>(), cell["batch"].get<std::int64_t>(),
      cell["dtype"].get<std::string>(), cell["layout"].get<std::string>(),
      cell["direction"].get<std::string>(), number("torch_heuristic_ms"), number("atc_ms"),
      number("atc_eager_ms"), number("ratio"), number("ratio_low"), number("ratio_high"),
      number("aa_ratio"), number("regret"), number("torch_host_us"), number("atc_host_us"),
      number("atc_plan_host_us"), cell["choice"].get<std::string>());
  std::fflush(stdout);
}

void use_store(const std::string& directory) {
  atc_store* store = nullptr;
  check(atc_store_open(&store, directory.c_str(), ATC_STORE_READ_WRITE));
  check(atc_store_use(store));
  atc_store_close(store);
}

// Does the work that a process does only once, because no measurement must contain this work.
// Before a large block was freed for the first time, glibc takes each large block from the system,
// and returns the block to the system when it is freed. Here a large block is freed, so glibc
// behaves as in a program that has run for a while.
void warm_up(const Target& target) {
  constexpr std::size_t kLargestKept = (32 << 20) - (64 << 10);
  std::free(std::malloc(kLargestKept));
  atc_conv_problem p;
  check(atc_conv_problem_init(&p, 2));
  p.in_channels = p.out_channels = 16;
  p.input[0] = p.input[1] = 64;
  p.batch = 2;
  const Inputs inputs = only_set(p, target);
  torch_convolution(p)(inputs);
  eager_convolution(p, target)(inputs);
}

// Writes the results so far to the file. The function is called after each cell (a measured
// problem), so the file of an interrupted run has the results of the cells before the interruption.
void write(const std::string& file, Json& result, const std::vector<Json>& cells,
           const std::vector<Json>& skipped) {
  const auto mean = [&](const std::string& layout) {
    const double value = geomean(cells, layout);
    return std::isnan(value) ? Json(nullptr) : Json(value);
  };
  result["header"]["load_average_after"] = load_average();
  result["geomean"] = {{"first", mean("first")}, {"last", mean("last")}, {"both", mean("")}};
  result["cells"] = cells;
  result["skipped"] = skipped;
  if (file.empty()) return;
  std::ofstream output(file);
  if (output << result.dump(1) << '\n') return;
  fmt::print(stderr, "cannot write {}\n", file);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const Target target(options.device);
  const c10::InferenceMode inference;
  check(atc_torch_init());
  if (!options.store.empty()) use_store(options.store);
  Json result{{"header", header(options, target, argc, argv)}};
  warm_up(target);

  const std::regex filter(options.filter);
  const CellOptions cell_options{options.seconds_per_cell, options.longest_call,
                                 static_cast<std::uint64_t>(options.largest_mib * (1 << 20)),
                                 options.constant_weights};
  std::mt19937 random(1);
  std::vector<Json> cells, skipped;
  std::map<std::string, std::string> seen;
  fmt::print(
      "{:<20} {:>4} {:<5} {:<5} {:<5} {:>10} {:>10} {:>10}  {:<22} {:<5} {:<5} {:>6} {:>6} {:>6}  "
      "{}\n",
      "problem", "N", "dtype", "chan", "dir", "torch ms", "atc ms", "eager ms", "atc/torch [95 %]",
      "t/t", "regr", "h.tor", "h.eag", "h.pla", "choice");
  for (const Row& row : read_rows(options.problems)) {
    if (!std::regex_search(row.name, filter)) continue;
    for (const std::int64_t batch : options.batches)
      for (const atc_dtype dtype : options.dtypes)
        for (const atc_layout layout : options.layouts)
          for (const atc_direction direction : options.directions) {
            const bool bias = options.bias && direction == ATC_FORWARD;
            const atc_conv_problem problem = to_problem(row, batch, dtype, layout, direction, bias);
            Json cell{{"problem", row.name},
                      {"batch", problem.batch},
                      {"dtype", dtype_text(dtype)},
                      {"layout", to_text(layout)},
                      {"direction", direction_text(direction)},
                      {"bias", bias}};
            const auto [same, is_new] = seen.emplace(geometry(problem), row.name);
            cell.update(is_new ? measure_cell(problem, target, cell_options, random)
                               : Json{{"skipped", "the same as " + same->second}});
            if (cell.contains("skipped")) {
              fmt::print("{:<20} {:>4} {:<5} {:<5} {:<5} skipped: {}\n", row.name, problem.batch,
                         dtype_text(dtype), to_text(layout), direction_text(direction),
                         cell["skipped"].get<std::string>());
              skipped.push_back(cell);
            } else {
              print_row(cell);
              cells.push_back(cell);
            }
            write(options.json, result, cells, skipped);
          }
  }
  for (const std::string layout : {"first", "last", ""})
    fmt::print("geomean of LibTorch / atc, channels {}: {:.3f}\n", layout.empty() ? "both" : layout,
               geomean(cells, layout));
  return 0;
}
