// Measures a large store: atc_bench_store [ENTRIES]
//
// Makes a store with ENTRIES entries (default 100000) in a scratch folder, measures the store in
// new processes, and writes one JSON document to standard output. When a process opens the store,
// the list of files in its folder is already in the cache of Linux, as after any use of the folder.
// Each figure is the median over kRounds processes. For the time of a look-up, each process
// contributes the median over the keys that it looks up.
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "store/record.hpp"
#include "store/store.hpp"

namespace {

using namespace atc::store;

constexpr int kRounds = 5;
constexpr int kLookUps = 200;  // the number of entries of the store that a process looks up
constexpr int kRepeats = 100;  // how often an entry is looked up after its first look-up

enum Figure { open_s, open_mib, first_s, first_worst_s, again_s, again_hashed_s, find_s, kFigures };
using Figures = std::array<double, kFigures>;

double seconds_of(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Returns the resident memory of this process in MiB.
double mib_in_use() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Returns a key that is as large as a real key. The key has every field of a convolution, and the
// environment of a CPU.
Key sample_key(int number) {
  Key key;
  key.environment = {{"schema", 1},          {"device", "cpu"}, {"vendor", "GenuineIntel"},
                     {"isa", "avx512_bf16"}, {"threads", 16},   {"onednn", "3.2.0"}};
  const int batch = 1 << number % 8;
  const int channels = number / 8 + 1;
  key.problem = {
      {"schema", 1},
      {"direction", "forward"},
      {"x", {{"shape", {batch, channels, 56, 56}}, {"dtype", "f32"}, {"layout", "nchw"}}},
      {"w", {{"shape", {64, channels, 3, 3}}, {"dtype", "f32"}, {"layout", "nchw"}}},
      {"y", {{"shape", {batch, 64, 56, 56}}, {"dtype", "f32"}, {"layout", "nchw"}}},
      {"stride", {1, 1}},
      {"dilation", {1, 1}},
      {"pad_low", {1, 1}},
      {"pad_high", {1, 1}},
      {"groups", 1},
      {"epilogue", "none"},
      {"alignment", 16},
      {"deterministic", false},
      {"workspace", 1 << 30}};
  key.family = fmt::format("forward c{} 56x56 k64", channels);
  return key;
}

// Returns the value of an entry, as a race on the CPU writes it: eight candidates with their
// statistics, and the choice.
Json sample_value(int number) {
  Json candidates = Json::array();
  for (int i = 0; i < 8; ++i) {
    candidates.push_back({{"engine", "onednn"},
                          {"configuration", fmt::format("jit:avx512_core layout=blocked{}", i)},
                          {"outcome", "lost"},
                          {"workspace", 1024 * i},
                          {"samples", 30},
                          {"mean", 1.25e-3 + i * 1e-5},
                          {"median", 1.21e-3 + i * 1e-5},
                          {"min", 1.19e-3},
                          {"max", 1.7e-3},
                          {"deviation", 3.1e-5}});
  }
  return {{"choice",
           {{"engine", "onednn"},
            {"version", "3.2.0"},
            {"configuration", fmt::format("jit:avx512_core layout=blocked{}", number % 8)}}},
          {"candidates", std::move(candidates)},
          {"technique", "interleaved"},
          {"date", "2026-01-01T00:00:00Z"}};
}

void fill(const std::string& directory, int entries) {
  Options options;
  options.max_entries = static_cast<std::uint64_t>(entries);
  const auto store = Store::open(directory, options);
  // The number of entries in a bundle. The entries are imported in bundles, because Store::put is
  // slow: it syncs each file.
  constexpr int kPart = 10'000;
  for (int begin = 0; begin < entries; begin += kPart) {
    std::string body;
    const int end = std::min(entries, begin + kPart);
    for (int i = begin; i < end; ++i) {
      body += entry_to_text({sample_key(i), sample_value(i)}) + "\n";
    }
    store->import_bundle(fmt::format("{{\"atc_bundle\":1,\"entries\":{},\"checksum\":\"{}\"}}\n{}",
                                     end - begin, hex64(hash64(body)), body));
  }
}

Figures measure(const std::string& directory, int entries, int round) {
  Figures figures{};
  const double before = mib_in_use();
  std::shared_ptr<Store> store;
  Options options;
  options.warn = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  figures[open_s] = seconds_of([&] { store = Store::open(directory, options); });
  figures[open_mib] = mib_in_use() - before;

  std::vector<double> first, again, again_hashed, find;
  for (int i = 0; i < kLookUps; ++i) {
    const auto number = static_cast<int>(hash64(std::to_string(i * kRounds + round)) %
                                         static_cast<std::uint64_t>(entries));
    const Key key = sample_key(number);
    std::shared_ptr<const Entry> entry;
    first.push_back(seconds_of([&] { entry = store->get(key); }));
    if (!entry || entry->value != sample_value(number)) {
      fmt::print(stderr, "entry {} is missing or wrong\n", number);
      _exit(1);
    }
    again.push_back(seconds_of([&] {
                      for (int r = 0; r < kRepeats; ++r) entry = store->get(key);
                    }) /
                    kRepeats);
    const CanonicalKey hashed(key);
    again_hashed.push_back(seconds_of([&] {
                             for (int r = 0; r < kRepeats; ++r) entry = store->get(hashed);
                           }) /
                           kRepeats);
    find.push_back(seconds_of(
        [&] { store->find(key.environment, key.family, [](const Entry&) { return true; }); }));
  }
  figures[first_s] = median(first);
  figures[first_worst_s] = *std::max_element(first.begin(), first.end());
  figures[again_s] = median(again);
  figures[again_hashed_s] = median(again_hashed);
  figures[find_s] = median(find);
  return figures;
}

// Starts this program again as a new process, which only measures. Returns the figures of the new
// process.
Figures measure_afresh(const char* program, const std::string& directory, int entries, int round) {
  const std::string command =
      fmt::format("'{}' --measure '{}' {} {}", program, directory, entries, round);
  FILE* pipe = popen(command.c_str(), "r");
  Figures figures{};
  for (double& figure : figures) {
    if (pipe == nullptr || std::fscanf(pipe, "%lf", &figure) != 1) {
      fmt::print(stderr, "cannot measure: {}\n", command);
      std::exit(1);
    }
  }
  pclose(pipe);
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--measure") {
    for (const double figure : measure(argv[2], std::atoi(argv[3]), std::atoi(argv[4]))) {
      fmt::print("{}\n", figure);
    }
    return 0;
  }
  const int entries = argc > 1 ? std::atoi(argv[1]) : 100'000;
  std::string scratch = (std::filesystem::temp_directory_path() / "atc-bench-XXXXXX").string();
  if (entries < 1 || mkdtemp(scratch.data()) == nullptr) return 2;
  const std::string directory = scratch + "/store";
  fmt::print(stderr, "making a store of {} entries of {} bytes\n", entries,
             entry_to_text({sample_key(0), sample_value(0)}).size());
  const double fill_s = seconds_of([&] { fill(directory, entries); });

  std::array<std::vector<double>, kFigures> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const Figures figures = measure_afresh(argv[0], directory, entries, round);
    for (int i = 0; i < kFigures; ++i) rounds[i].push_back(figures[i]);
  }
  std::filesystem::remove_all(scratch);
  const auto of = [&](Figure figure) { return median(rounds[figure]); };
  const Json result = {{"entries", entries},
                       {"fill_seconds", fill_s},
                       {"open_seconds", of(open_s)},
                       {"open_mib", of(open_mib)},
                       {"first_look_up_seconds", of(first_s)},
                       {"first_look_up_worst_seconds", of(first_worst_s)},
                       {"repeated_look_up_seconds", of(again_s)},
                       {"repeated_look_up_hashed_seconds", of(again_hashed_s)},
                       {"find_seconds", of(find_s)}};
  fmt::print("{}\n", result.dump(2));
  fmt::print(stderr,
             "{} entries: open {:.1f} ms and {:.1f} MiB; look-up first {:.0f} us (worst {:.0f}), "
             "repeated {:.2f} us, with the key hashed before {:.2f} us; find {:.0f} us\n",
             entries, of(open_s) * 1e3, of(open_mib), of(first_s) * 1e6, of(first_worst_s) * 1e6,
             of(again_s) * 1e6, of(again_hashed_s) * 1e6, of(find_s) * 1e6);
  return 0;
}
