// Races all candidates on the layers of bench/shapes/public.txt, and compares the best of atc's own
// and the best of cuDNN's candidates with the floor. For the development of engines;
// bench/cuda/against_torch.py measures atc's choices under its default limits.
//
//   bench_lab --family depthwise --sets fp16-last --total 300 --out lab.jsonl --resume
//
// A JSON line per race: all candidates with their outcomes and times (milliseconds per call), the
// best of both sides, the floor. Standard error says how it goes, and at the end has a table over
// all lines of the file.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <vector>

#include "cells.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "device/cuda/driver_probe.hpp"
#include "floor.hpp"
#include "options.hpp"
#include "race.hpp"
#include "table.hpp"

namespace atc::lab {
namespace {

using Json = nlohmann::json;

bool holds(const std::vector<std::string>& list, const std::string& one) {
  return list.empty() || std::find(list.begin(), list.end(), one) != list.end();
}

bool is_pointwise(const Row& row) {
  return row.groups == 1 && std::all_of(row.kernel, row.kernel + row.dims,
                                        [](std::int64_t extent) { return extent == 1; });
}

std::vector<Cell> cells_of(const Options& options) {
  const auto families = read_families(options.classes);
  std::vector<Cell> cells;
  for (const std::string& set : options.sets)
    for (const std::string& op : options.ops)
      for (const Row& row : read_rows(options.shapes)) {
        const auto found = families.find(row.name);
        const std::string family = found == families.end() ? "other" : found->second;
        const bool wanted = options.family == "all" || options.family == family ||
                            (options.family == "pointwise" && is_pointwise(row));
        if (wanted && holds(options.layers, row.name))
          cells.push_back(make_cell(row, family, op, set));
      }
  if (cells.empty())
    fail(Status::invalid_argument, "{} has no such layer of {}", options.shapes, options.family);
  return cells;
}

Json key_of(const Cell& cell) {
  return {{"layer", cell.layer}, {"op", cell.op}, {"format", cell.format}, {"layout", cell.layout}};
}

std::string text_of(const Json& row) {
  return fmt::format("{} {} {}-{}", row.at("layer").get<std::string>(),
                     row.at("op").get<std::string>(), row.at("format").get<std::string>(),
                     row.at("layout").get<std::string>());
}

// cuDNN's side has only plain candidates of cuDNN; those behind atc's rewrites count as atc's own.
bool is_cudnn(const std::string& choice) { return choice.rfind("cudnn@", 0) == 0; }

// The fastest of one side that was timed, if any.
void add_best(Json& row, const char* side, const Race& race, bool cudnn) {
  const Racer* best = nullptr;
  for (const Racer& racer : race.racers)
    if (racer.median > 0 && is_cudnn(racer.choice) == cudnn &&
        (best == nullptr || racer.median < best->median))
      best = &racer;
  if (best != nullptr) row[side] = {{"choice", best->choice}, {"median_ms", 1e3 * best->median}};
}

Json row_of(const Cell& cell, const Options& options) {
  const Floor floor = floor_of(cell);
  Json row = key_of(cell);
  row["class"] = cell.family;
  row["bytes"] = floor.bytes;
  row["flops"] = floor.flops;
  row["floor_ms"] = 1e3 * floor.seconds;
  row["bound"] = floor.by_bytes ? "bytes" : "flops";
  Race race;
  try {
    race = lab::race(cell.problem, cell.allow_tf32, options.engines, options.budget);
  } catch (const Error& error) {
    row["failed"] = error.what();
    return row;
  }
  row["winner"] = race.winner;
  row["not_offered"] = race.not_offered;
  row["why"] = race.why;
  row["unstable"] = race.unstable;
  row["seconds"] = race.seconds;
  row["listing_s"] = race.listing;
  add_best(row, "own", race, false);
  add_best(row, "cudnn", race, true);
  row["candidates"] = Json::array();
  for (const Racer& racer : race.racers) {
    Json candidate = {{"choice", racer.choice}, {"outcome", racer.outcome}};
    if (!racer.reason.empty()) candidate["reason"] = racer.reason;
    if (racer.median > 0) {
      candidate["median_ms"] = 1e3 * racer.median;
      candidate["min_ms"] = 1e3 * racer.min;
    }
    const tune::Spent& spent = racer.spent;
    if (spent.preparing > 0)
      candidate["spent_s"] = {{"preparing", spent.preparing},
                              {"checking", spent.checking},
                              {"timing", spent.timing},
                              {"releasing", spent.releasing}};
    if (racer.workspace > 0) candidate["workspace"] = racer.workspace;
    row["candidates"].push_back(std::move(candidate));
  }
  return row;
}

void say(const Json& row) {
  const auto side = [&](const char* name) {
    if (row.find(name) == row.end()) return std::string("-");
    const double ms = row.at(name).at("median_ms"), floor = row.at("floor_ms");
    return fmt::format("{:.4f} ({:.1f}x) {}", ms, ms / floor,
                       row.at(name).at("choice").get<std::string>());
  };
  fmt::print(stderr, "{}: floor {:.4f}, own {}, cudnn {}{}\n", text_of(row),
             row.at("floor_ms").get<double>(), side("own"), side("cudnn"),
             row.find("failed") == row.end() ? "" : ": " + row.at("failed").get<std::string>());
}

// Lines of races; heads of runs have no layer.
std::vector<Json> read_lines(const std::string& file) {
  std::vector<Json> rows;
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);) {
    Json row = Json::parse(line);
    if (row.find("layer") != row.end()) rows.push_back(std::move(row));
  }
  return rows;
}

void run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  if (cuda::driver().devices.empty())
    fail(Status::device, "no CUDA device: {}", cuda::driver().trouble);
  std::vector<Json> rows;
  std::set<std::string> done;
  if (options.resume) rows = read_lines(options.out);
  for (const Json& row : rows) done.insert(text_of(row));
  std::ofstream file;
  if (!options.out.empty()) {
    file.open(options.out, options.resume ? std::ios::app : std::ios::trunc);
    if (!file) fail(Status::io, "cannot write {}", options.out);
  }
  std::ostream& lines = options.out.empty() ? std::cout : file;
  const Json head = {{"device", cuda::driver().devices.front().name},
                     {"commit", options.commit},
                     {"budget_s", options.budget},
                     {"engines", options.engines}};
  lines << head.dump() << std::endl;
  std::map<std::string, int> left;
  for (const Cell& cell : cells_of(options)) {
    if (done.count(text_of(key_of(cell))) != 0) continue;
    if (spent() > options.total) {
      ++left[fmt::format("{} {}-{}", cell.op, cell.format, cell.layout)];
      continue;
    }
    rows.push_back(row_of(cell, options));
    // A reason may quote a library's text, which need not be UTF-8.
    lines << rows.back().dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    say(rows.back());
  }
  fmt::print(stderr, "\n{}", table(rows));
  for (const auto& [what, count] : left) fmt::print(stderr, "left: {} of {}\n", count, what);
}

}  // namespace
}  // namespace atc::lab

int main(int argc, char** argv) {
  const atc::lab::Options options = atc::lab::parse_options(argc, argv);
  try {
    atc::lab::run(options);
  } catch (const atc::Error& error) {
    fmt::print(stderr, "bench_lab: {}\n", error.what());
    return 1;
  }
}
