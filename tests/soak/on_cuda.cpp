#include "on_cuda.hpp"

#include <chrono>
#include <thread>

#include "core/format.hpp"
#include "cuda_worker.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "summary.hpp"
#include "support/temp_folder.hpp"

namespace soak {

namespace {

constexpr std::size_t kLines = 2;
// The budget of the first races in seconds. It is so long that each candidate is built and its code
// loaded before the first look at the resources.
constexpr double kFirstRaceSeconds = 2;
// The part of the run before the first look at the resources (1 is the whole run). In this part
// each thread makes its plans for all layers.
constexpr double kWarmPart = 0.25;
// The allowed growth of the host's resources: of the resident memory, the allocated memory, the
// descriptors and the threads. A plan of cuDNN has 200 KiB. Each thread keeps the cuDNN plans that
// belong to its plans of atc and to its last graph. The CUDA driver may open descriptors and start
// threads at any time of the run.
constexpr Bounds kBounds{192 * kMiB, 64 * kMiB, 16, 4};
// The allowed growth of the device's used memory, and of the memory in use in the pool, in bytes.
// The driver loads the code of a kernel when the kernel first runs, into blocks of 2 MiB. A memory
// pool rounds sizes up.
constexpr std::uint64_t kDeviceBound = 64 * kMiB, kPoolBound = 4 * kMiB;

constexpr int kLooks = 100;
constexpr std::chrono::milliseconds kBetweenLooks{20};

struct Device {
  std::uint64_t free = 0, pooled = 0;
};

Device look_at_device(Report& report) {
  report.done(atc_synchronize(0), "atc_synchronize", "device 0");
  report.done(atc_cache_clear(), "atc_cache_clear", "the plans");
  report.count(Kind::cache_clear);
  return {atc::test::free_device_bytes(), atc::test::pool_bytes_in_use()};
}

std::string grown(const Device& first, const Device& now) {
  std::string text;
  if (now.free + kDeviceBound < first.free)
    text += atc::format("free device memory fell from {} to {}, the bound is {}. ", first.free,
                        now.free, kDeviceBound);
  if (now.pooled > first.pooled + kPoolBound)
    text += atc::format("the pool's memory in use grew from {} to {}, the bound is {}. ",
                        first.pooled, now.pooled, kPoolBound);
  return text;
}

std::string text_of(const Device& device) {
  return atc::format(", device free {:.1f} MiB, pool in use {:.2f} MiB",
                     static_cast<double>(device.free) / kMiB,
                     static_cast<double>(device.pooled) / kMiB);
}

// Runs the first races and uses each function of the store. Also makes plans of each layer for all
// combinations of the switches that are changed during the run.
void warm_up(Report& report, const std::vector<std::unique_ptr<CudaLayer>>& layers,
             Stores& stores) {
  Random random(1, 0);
  for (std::size_t i = 0; i < layers.size(); i += CudaWorker::kRacedOneIn)
    race_on_cuda(report, *layers[i], kFirstRaceSeconds, stores.writable(random));
  stores.do_everything(layers.front()->problem());
  stores.let_go();
  for (std::int32_t flags = 0; flags < 4; ++flags) {
    report.done(atc_set_deterministic_cudnn(flags % 2), "atc_set_deterministic_cudnn", "the start");
    report.done(atc_set_allow_tf32_cudnn(flags / 2), "atc_set_allow_tf32_cudnn", "the start");
    for (const auto& layer : layers) {
      atc_conv_plan* plan = nullptr;
      report.done(atc_conv_plan_create(&plan, kCuda, &layer->problem(), nullptr),
                  "atc_conv_plan_create", layer->name());
      atc_conv_plan_destroy(plan);
    }
  }
}

}  // namespace

void soak_on_cuda(const Options& options, Report& report) {
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (atc::cuda::driver().devices.empty())
    report.stop("there is no CUDA device: " + atc::cuda::driver().trouble);
  const atc::cuda::ContextScope scope(0);
  const atc::test::TempFolder folder;
  const std::string store_folder = folder / "store";
  const Switches switches(report, {""}, true);
  const std::vector<std::unique_ptr<CudaLayer>> layers = cuda_layers(options.seed);
  Stores stores(report, store_folder, kCuda, {ATC_STORE_READ_WRITE});
  warm_up(report, layers, stores);
  switches.restore();
  const double warm = passed();

  const CudaWorld world{options, report, switches, layers, store_folder};
  std::vector<std::unique_ptr<Line>> lines;
  for (std::size_t i = 0; i < kLines; ++i) lines.push_back(std::make_unique<Line>());
  Rest rest(options.threads);
  std::vector<std::unique_ptr<CudaWorker>> workers;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < options.threads; ++i) {
    workers.push_back(std::make_unique<CudaWorker>(world, i, *lines[i % kLines]));
    threads.emplace_back([&worker = *workers.back(), &rest] { worker.run(rest); });
  }

  Process first, last;
  Device first_device, last_device;
  const auto look = [&] {
    for (const auto& worker : workers) worker->at_rest();
    switches.restore();
    // The resources are looked at again until they have shrunk enough, because the driver reports
    // late that a graph is destroyed.
    for (int times = 0; times < kLooks; ++times) {
      if (times > 0) std::this_thread::sleep_for(kBetweenLooks);
      last_device = look_at_device(report);
      last = look_at_process();
      if (last_device.pooled <= first_device.pooled && grown(first, last, kBounds).empty()) break;
    }
  };
  const auto has_done = [&](double part) {
    return static_cast<double>(convolutions(report)) >= part * static_cast<double>(options.calls) ||
           passed() >= part * options.most_seconds;
  };
  while (!has_done(kWarmPart)) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  rest.hold(look);
  first = last;
  first_device = last_device;
  print("warm", first, text_of(first_device));
  std::uint64_t above = 0;
  do {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    rest.hold(look);
    print("rest", last, text_of(last_device));
    const std::string what = grown(first, last, kBounds) + grown(first_device, last_device);
    if (!what.empty() && ++above > options.tolerated) report.stop(what);
  } while (!has_done(1));
  rest.end();
  for (std::thread& thread : threads) thread.join();

  using K = Kind;
  print_summary(
      report,
      atc::format("{} convolutions of {} asked for, {} of them in {} captures, {} answers checked, "
                  "{} plans; {:.1f} s, {:.1f} s of them warming up",
                  convolutions(report), options.calls, report.of({K::replay}),
                  report.of({K::capture}), report.of({K::checked}), report.of({K::given}), passed(),
                  warm),
      first, last,
      atc::format(", device memory free {:.1f} -> {:.1f} MiB, pool in use {:.2f} -> {:.2f} MiB",
                  static_cast<double>(first_device.free) / kMiB,
                  static_cast<double>(last_device.free) / kMiB,
                  static_cast<double>(first_device.pooled) / kMiB,
                  static_cast<double>(last_device.pooled) / kMiB));
}

}  // namespace soak
