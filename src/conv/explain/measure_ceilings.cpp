#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "conv/decide/policy.hpp"
#include "conv/explain/measure_ceilings.hpp"
#include "conv/key.hpp"
#include "conv/race/ceilings.hpp"
#include "conv/race/race_lock.hpp"
#include "conv/race/site.hpp"
#include "core/allocator.hpp"
#include "core/inside.hpp"
#include "device/description.hpp"
#include "store/entry.hpp"

namespace atc::conv {

namespace {

// The time limit of the race that measures a product of matrices, in seconds.
constexpr double kBudgetSeconds = 3;
constexpr int kBatches = 5;  // the number of timed copies, of which the fastest counts

std::uint64_t copied_bytes(DeviceType device) {
  return std::uint64_t{device == DeviceType::cuda ? 512U : 256U} << 20;
}

// Copies one buffer to another. Both buffers are larger than any cache.
class Copy final : public Runnable {
 public:
  Copy(Site& site, std::uint64_t size)
      : site_(site),
        size_(size),
        from_(size, site.id(), site.stream()),
        to_(size, site.id(), site.stream()) {
    site_.set(from_.data(), 1, size);
    site_.set(to_.data(), 2, size);
  }

  void run(std::size_t) override {
    if (site_.id().type == DeviceType::cuda)
      site_.copy(to_.data(), from_.data(), size_);
    else
      copy_in_parts(static_cast<std::uint64_t>(std::max(computing_threads(), 1)));
  }

 private:
  // Copies one buffer to the other on the CPU, with as many threads as a convolution uses.
  void copy_in_parts(std::uint64_t parts) {
    std::vector<std::thread> threads;
    threads.reserve(parts);
    try {
      while (threads.size() < parts)
        threads.emplace_back([this, part = threads.size(), parts] { copy_part(part, parts); });
    } catch (const std::exception&) {
      // If no further thread can be started, the calling thread copies the remaining parts.
    }
    for (std::uint64_t part = threads.size(); part < parts; ++part) copy_part(part, parts);
    for (std::thread& thread : threads) thread.join();
  }

  void copy_part(std::uint64_t part, std::uint64_t parts) {
    const std::uint64_t begin = size_ / parts * part;
    const std::uint64_t end = part + 1 == parts ? size_ : size_ / parts * (part + 1);
    std::memcpy(static_cast<std::byte*>(to_.data()) + begin,
                static_cast<const std::byte*>(from_.data()) + begin, end - begin);
  }

  Site& site_;
  const std::uint64_t size_;
  Allocation from_, to_;
};

double measure_copy(DeviceId device) {
  const auto turn = take_turn();
  const std::unique_ptr<Site> site = make_site(device, nullptr);
  const std::uint64_t size = copied_bytes(device.type);
  Copy copy(*site, size);
  constexpr std::size_t kCalls = 4;
  site->device().time_batch(copy, 1, 1);
  double seconds = site->device().time_batch(copy, 1, kCalls).seconds_per_call;
  for (int i = 1; i < kBatches; ++i)
    seconds = std::min(seconds, site->device().time_batch(copy, 1, kCalls).seconds_per_call);
  site->wait();
  return 2 * static_cast<double>(size) / seconds;
}

// Returns a problem whose computation is the product of two square matrices: a 1x1 convolution of
// channels-last images.
Problem product_of_matrices(Dtype dtype, DeviceType device) {
  const std::int64_t side = device == DeviceType::cuda ? 8192 : 1024;
  const std::int64_t height = 32, width = side / height;
  const auto image = [&] {
    return Tensor{
        dtype, 4, {1, side, height, width}, {side * height * width, 1, width * side, side}};
  };
  Problem problem;
  problem.x = problem.y = image();
  problem.w = {dtype, 4, {side, side, 1, 1}, {side, 1, side, side}};
  return problem;
}

// Measures how many operations per second the device computes with this kind of products ("f32",
// "tf32", "f16" or "bf16"). Returns nothing if no engine except the reference computes such
// products.
std::optional<double> measure_products(const std::string& products, const Problem& like,
                                       DeviceId device, const PlanOptions& options) {
  const Dtype dtype = products == "f32" ? Dtype::f32 : like.x.dtype;
  const Problem problem = product_of_matrices(dtype, device.type);
  PlanOptions free;  // options without the limits of the caller
  // The option `tune` says whether a program's calls measure, so it has no effect here.
  // Request::tune is set below.
  free.tune = TuningMode::off;
  free.deterministic = false;
  free.allow_tf32 = products == "tf32";
  free.budget_seconds = kBudgetSeconds;
  free.knowledge = Knowledge::without_store();
  free.allocator = options.allocator;
  Request request = resolve(device, problem, free, Settings{});
  request.tune = true;
  request.plan_wanted = false;
  request.must_tune = true;
  const auto decision = decide(problem, request).decision;
  const Candidate& winner = decision->candidates[*decision->winner];
  if (winner.statistics.samples == 0) return std::nullopt;
  return problem.flops() / winner.statistics.median;
}

}  // namespace

Roof ceilings_for(const Problem& problem, DeviceId device, const PlanOptions& options) {
  return known_roof(problem, resolve(device, problem, options, current_settings()));
}

void measure_ceilings(const Problem& problem, DeviceId device, const PlanOptions& options) {
  require_outside_callbacks(kRacesTakeTurns);
  require_device(device);
  const AllocatorScope scope(options.allocator);
  const Request request = resolve(device, problem, options, current_settings());
  const Knowledge knowledge = request.knowledge_in_use();
  const store::Json environment = key_for(problem, request).environment;
  Ceilings known = known_ceilings(environment, knowledge);
  Ceilings measured;
  if (!known.bytes_per_second) measured.bytes_per_second = measure_copy(device);
  const std::string products = products_of(problem, request);
  if (known.flops_per_second.count(products) == 0)
    if (const auto rate = measure_products(products, problem, device, options))
      measured.flops_per_second[products] = *rate;
  keep_ceilings(environment, knowledge, measured);
}

}  // namespace atc::conv
