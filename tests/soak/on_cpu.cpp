#include "on_cpu.hpp"

#include <chrono>
#include <fstream>
#include <thread>

#include "core/format.hpp"
#include "process.hpp"
#include "summary.hpp"
#include "support/temp_folder.hpp"
#include "worker.hpp"

namespace soak {

namespace {

constexpr std::size_t kLooks = 20;  // the number of times that the resources are compared in a run
// The growth that is allowed after the first look at the resources: of the resident memory, the
// allocated memory, the descriptors and the threads. Two kinds of memory grow. oneDNN's cache has
// up to 1,024 primitives, and the generated code of each has tens of KiB, which are mapped and not
// allocated. The process remembers the decisions of the eight layers that are raced: a few keys for
// each layer, and for each key up to four decisions of about 10 KiB.
// More threads may start, too. If the calling thread cannot have a team of as many OpenMP threads
// as a plan was prepared for, its work runs on another thread of atc. This thread and its team
// start when they are first needed.
const Bounds kBounds{64 * kMiB, 4 * kMiB, 0, 1 + std::size_t{std::thread::hardware_concurrency()}};

std::string pin_file(const atc::test::TempFolder& folder, const std::string& name,
                     const std::string& pin) {
  const std::filesystem::path path = folder / name;
  std::ofstream(path) << R"({"schema": 1, "pins": [)" << pin << "]}\n";
  return path;
}

std::vector<std::string> pin_files(const atc::test::TempFolder& folder, bool reference_only) {
  const std::string bar = R"({"match": {}, "bar": "onednn"})";
  const std::string choice =
      R"({"match": {"direction": "forward"}, "choice": "reference@1:direct"})";
  const std::string barred = pin_file(folder, "bar.json", bar);
  const std::string pinned = pin_file(folder, "pins.json", choice + ", " + bar);
  if (reference_only) return {barred, pinned};
  return {"", barred, pinned};
}

std::vector<std::string> default_choices(Report& report,
                                         const std::vector<std::unique_ptr<Layer>>& layers) {
  std::vector<std::string> choices;
  for (const auto& layer : layers) {
    atc_conv_plan* made = nullptr;
    report.done(atc_conv_plan_create(&made, {ATC_DEVICE_CPU, 0}, &layer->problem(), nullptr),
                "atc_conv_plan_create", layer->name());
    const Plan plan(made);
    const char* choice = "";
    report.done(atc_conv_plan_choice(&choice, made), "atc_conv_plan_choice", layer->name());
    choices.emplace_back(choice);
  }
  return choices;
}

// Makes a store with one record, and uses each function of the store once. The race ends long
// before its budget is used up. In a build without oneDNN it also has two candidates, because the
// program registers an engine of its own.
void fill_store(const Options& options, Report& report, const Layer& layer,
                const std::string& folder) {
  constexpr double kLongEnough = 60;
  OwnEngine engine(report, options.threads);
  engine.flip();
  Random random(options.seed, 0);
  Stores stores(report, folder, {ATC_DEVICE_CPU, 0}, {ATC_STORE_READ_WRITE});
  Calls(report).race(layer, stores.writable(random), "", ATC_TECHNIQUE_ONCE, kLongEnough);
  stores.do_everything(layer.problem());
  stores.let_go();
  engine.remove_at_rest();
}

}  // namespace

void soak_on_cpu(const Options& options, Report& report) {
  const atc::test::TempFolder folder;
  const std::string store_folder = folder / "store";
  const Switches switches(report, pin_files(folder, options.reference_only), false);
  const std::vector<std::unique_ptr<Layer>> layers = draw_layers(options.layers, options.seed);
  const std::vector<std::string> choices = default_choices(report, layers);
  fill_store(options, report, *layers.front(), store_folder);
  const World world{options, report, switches, layers, choices, store_folder};

  Rest rest(options.threads);
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < options.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(world, i));
    threads.emplace_back([&worker = *workers.back(), &rest] { worker.run(rest); });
  }

  Process first, last;
  const auto look = [&] {
    for (const auto& worker : workers) worker->at_rest();
    switches.restore();
    report.done(atc_cache_clear(), "atc_cache_clear", "the plans");
    last = look_at_process();
  };
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // Waits for one twentieth of the run's time, and then lets all workers rest and looks at the
  // resources. Before the first look each worker has done its warm_up().
  const auto next_look = [&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds / kLooks));
    rest.hold(look);
  };
  next_look();
  first = last;
  print("warm", first);
  do {
    next_look();
    print("rest", last);
    if (const std::string what = grown(first, last, kBounds); !what.empty()) report.stop(what);
  } while (passed() < options.seconds);
  rest.end();
  for (std::thread& thread : threads) thread.join();
  using K = Kind;
  print_summary(report,
                atc::format("{} calls, {} of them with plans of their own",
                            report.of({K::eager, K::planned, K::given, K::acquired, K::packed}),
                            report.of({K::planned, K::given, K::packed})),
                first, last);
}

}  // namespace soak
