// Fits the constants in the cost models of atc's own kernels to measured times. Prints the fitted
// constants beside the constants in the code.
//
//   scripts/gpu-lab dense --engines dense        (on the device)
//   bench_fit_costs --rows build/lab/lab-dense.jsonl --multiprocessors 132
//
// The file of --rows has a line of JSON for each race: layer (of --shapes), op, format, layout, and
// candidates with choice and median_ms. The first line names device and commit. A fit needs the
// times of several configurations of one engine for the same problem. So the races are run with one
// engine only. These families of kernels have models to be fitted: dense (forward and
// backward-data; backward-weight; both for pointwise problems), first (strips) and grouped (engine
// implicit: products of warpgroups). This program does not fit the models of other families. The
// comments of those models say where their constants are from.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "models.hpp"
#include "rows.hpp"

namespace atc::fit {
namespace {

using Json = nlohmann::json;

constexpr const char* kUsage =
    "usage: {} --rows FILE,... [--shapes FILE] [--multiprocessors N] [--shared KIB]\n";

struct Options {
  std::vector<std::string> rows;
  std::string shapes = "bench/shapes/public.txt";
  // The number of multiprocessors, and the KiB of shared memory that a block can have. The defaults
  // are those of an H100 or H200.
  double multiprocessors = 132, shared = 227;
};

Tensor tensor(Dtype dtype, int rank, const std::array<std::int64_t, kMaxRank>& shape, bool last) {
  Tensor result;
  result.dtype = dtype;
  result.rank = rank;
  result.shape = shape;
  std::int64_t next = 1;
  const auto place = [&](int dim) {
    const auto at = static_cast<std::size_t>(dim);
    result.strides[at] = next;
    next *= shape[at];
  };
  if (last) place(1);
  for (int dim = rank - 1; dim >= 0; --dim)
    if (!last || dim != 1) place(dim);
  return result;
}

Problem problem_of(const Row& layer, const std::string& op, const std::string& format, bool last) {
  Problem p;
  p.direction = op == "backward-data"     ? Direction::backward_data
                : op == "backward-weight" ? Direction::backward_weight
                                          : Direction::forward;
  p.epilogue = op == "forward-bias" ? Epilogue::bias : Epilogue::none;
  p.spatial = layer.dims;
  p.groups = layer.groups;
  std::array<std::int64_t, kMaxRank> x{layer.batch, layer.in_channels};
  std::array<std::int64_t, kMaxRank> w{layer.out_channels, layer.in_channels / layer.groups};
  std::array<std::int64_t, kMaxRank> y{layer.batch, layer.out_channels};
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(layer.dims); ++dim) {
    p.stride[dim] = layer.stride;
    p.dilation[dim] = layer.dilation;
    p.pad_low[dim] = p.pad_high[dim] = layer.padding[dim];
    x[2 + dim] = layer.input[dim];
    w[2 + dim] = layer.kernel[dim];
    const std::int64_t reach = layer.dilation * (layer.kernel[dim] - 1) + 1;
    y[2 + dim] = (layer.input[dim] + 2 * layer.padding[dim] - reach) / layer.stride + 1;
  }
  const Dtype dtype = format == "fp16" ? Dtype::f16 : format == "bf16" ? Dtype::bf16 : Dtype::f32;
  p.x = tensor(dtype, layer.dims + 2, x, last);
  p.w = tensor(dtype, layer.dims + 2, w, last);
  p.y = tensor(dtype, layer.dims + 2, y, last);
  return p;
}

// Adds the candidates of a race to the models as samples. A `choice` is a text such as
// "dense@3:tile_128x256_s1". A choice with rewrites is left out, because its engine computes a
// rewritten problem.
void add_race(std::vector<Model>& models, const std::vector<Row>& layers, const Json& race,
              const kernels::Capacity& device) {
  const std::string name = race.at("layer"), op = race.at("op"), format = race.at("format");
  const std::string layout = race.at("layout");
  for (const Row& layer : layers) {
    if (layer.name != name) continue;
    const Problem problem = problem_of(layer, op, format, layout == "last");
    Limits limits;
    limits.alignment = 16;
    limits.allow_tf32 = format != "fp32";
    for (const Json& one : race.value("candidates", Json::array())) {
      const std::string choice = one.at("choice");
      const std::size_t at = choice.find('@'), colon = choice.find(':');
      if (one.find("median_ms") == one.end() || choice.find('>') != std::string::npos ||
          at == std::string::npos || colon == std::string::npos)
        continue;
      try {
        add_sample(models, choice.substr(0, at), choice.substr(colon + 1), problem, limits, device,
                   fmt::format("{} {} {} {}", name, op, format, layout), one.at("median_ms"));
      } catch (const Error& error) {
        fmt::print(stderr, "{}: {}\n", choice, error.what());
      }
    }
    return;
  }
  fail(Status::invalid_argument, "--shapes has no layer {}, which --rows has", name);
}

void print(const Model& model) {
  fmt::print("\n{}: {} configurations timed\n", model.name, model.samples.size());
  const std::vector<double> code = values_of(model);
  // The result of a fit means nothing if there are fewer samples than twice the number of
  // constants.
  const bool enough = model.samples.size() >= 2 * code.size();
  const std::vector<double> fitted = enough ? fit(model) : code;
  fmt::print("  {:<24} {:>12} {:>12}\n", "constant", "in the code", "fitted");
  for (std::size_t i = 0; i < code.size(); ++i)
    fmt::print("  {:<24} {:>12.4g} {:>12}\n", model.constants[i].name, code[i],
               !enough                      ? "-"
               : model.constants[i].is_free ? fmt::format("{:.4g}", fitted[i])
                                            : "hardware");
  if (!enough) {
    fmt::print("  a fit needs at least {} configurations\n", 2 * code.size());
    return;
  }
  fmt::print("  {:<24} {:>12.4f} {:>12.4f}\n", "spread of log(cost/time)", spread(model, code),
             spread(model, fitted));
  fmt::print("  {:<24} {:>11.2f}% {:>11.2f}%\n", "first offer behind best",
             100 * regret(model, code), 100 * regret(model, fitted));
}

void run(const Options& options) {
  kernels::Capacity device;
  device.multiprocessors = static_cast<int>(options.multiprocessors);
  device.most_shared = static_cast<int>(options.shared * 1024);
  device.warpgroups = true;
  const std::vector<Row> layers = read_rows(options.shapes);
  std::vector<Model> all = models();
  for (const std::string& file : options.rows) {
    std::ifstream input(file);
    if (!input) fail(Status::io, "cannot read {}", file);
    for (std::string line; std::getline(input, line);) {
      const Json row = Json::parse(line);
      if (row.find("layer") != row.end())
        add_race(all, layers, row, device);
      else
        fmt::print("{}: {}, commit {}\n", file, row.value("device", "?"), row.value("commit", "?"));
    }
  }
  for (const Model& model : all) print(model);
}

}  // namespace
}  // namespace atc::fit

int main(int argc, char** argv) {
  atc::fit::Options options;
  atc::bench::CommandLine line(atc::fit::kUsage);
  line.texts("rows", options.rows);
  line.text("shapes", options.shapes);
  line.number("multiprocessors", options.multiprocessors);
  line.number("shared", options.shared);
  line.parse(argc, argv);
  if (options.rows.empty()) line.refuse();
  try {
    atc::fit::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_fit_costs: {}\n", error.what());
    return 1;
  }
}
