#include "cuda_worker.hpp"

#include <chrono>
#include <thread>

#include "device/cuda/driver.hpp"

namespace soak {

namespace {

constexpr int kDevice = 0;
constexpr double kRaceSeconds = 0.03;

}  // namespace

std::uint64_t convolutions(const Report& report) {
  return report.of({Kind::eager, Kind::planned, Kind::given, Kind::replay});
}

void race_on_cuda(Report& report, const CudaLayer& layer, double seconds, const atc_store* store) {
  auto options = ATC_TUNE_OPTIONS_INIT;
  options.retune = ATC_ON;
  options.technique = ATC_TECHNIQUE_ONCE;
  options.deterministic = ATC_OFF;
  options.allow_tf32 = ATC_ON;
  options.widen = ATC_OFF;
  options.store = store;
  options.problem_budget_seconds = seconds;
  atc_tune_report* made = nullptr;
  report.done(atc_tune(&made, kCuda, &layer.problem(), 1, &options, nullptr, nullptr), "atc_tune",
              layer.name());
  auto tuned = ATC_TUNED_PROBLEM_INIT;
  report.done(atc_tune_report_problem(&tuned, made, 0), "atc_tune_report_problem", layer.name());
  if (tuned.status != ATC_OK)
    report.stop("the race of " + layer.name() + " ended in " + atc_status_name(tuned.status) +
                ": " + tuned.why);
  atc_tune_report_destroy(made);
  report.count(Kind::race);
}

CudaWorker::CudaWorker(const CudaWorld& world, std::size_t number, Line& line)
    : world_(world),
      line_(line),
      random_(world.options.seed, 1 + number),
      // The store is never opened replay-only (without measuring). In a replay-only store, a call
      // in a capture of another thread would fail if the store has no decision for the call.
      stores_(world.report, world.store_folder, kCuda, {ATC_STORE_READ_WRITE, ATC_STORE_READ}),
      engine_(world.report, number) {}

void CudaWorker::run(Rest& rest) {
  const atc::cuda::ContextScope scope(kDevice);
  warm_up();
  const auto release = [this] {
    graph_.reset();
    stores_.let_go();
    clear();
  };
  while (rest.carry_on(release)) {
    if (convolutions(world_.report) < world_.options.calls)
      act();
    else
      // The threads together have made enough convolutions. The main thread decides when the run
      // ends, so this thread only waits.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  plans_.clear();
  outputs_.clear();
}

void CudaWorker::warm_up() {
  for (const auto& layer : world_.layers) {
    outputs_.push_back(std::make_unique<CudaOutput>(*layer));
    plans_.push_back(plan(*layer));
  }
  for (int times = 0; times < 3; ++times) {
    engine_.flip();
    world_.switches.toggle(random_);
    repeat();
    fresh_plan();
    check_call();
    check_graph();
  }
}

void CudaWorker::act() {
  const std::size_t drawn = random_.below(1000);
  if (drawn < 600) {
    replay(kReplays);
  } else if (drawn < 750) {
    repeat();
  } else if (drawn < 850) {
    check_call();
  } else if (drawn < 890) {
    check_graph();
  } else if (drawn < 940) {
    capture();
  } else if (drawn < 960) {
    fresh_plan();
  } else if (drawn < 970) {
    world_.switches.toggle(random_);
  } else if (drawn < 980) {
    engine_.flip();
  } else if (drawn < 993) {
    stores_.act(random_, world_.layers.front()->problem());
  } else if (drawn < 997) {
    clear();
  } else {
    const std::size_t raced = random_.below(world_.layers.size()) / kRacedOneIn * kRacedOneIn;
    race_on_cuda(world_.report, *world_.layers[raced], kRaceSeconds, stores_.any(random_));
  }
}

// Clears the cache of plans, and makes an eager call. Each thread keeps cuDNN plans of its own (its
// session), and frees those of cleared plans at its next call.
void CudaWorker::clear() {
  world_.report.done(atc_cache_clear(), "atc_cache_clear", "the plans");
  world_.report.count(Kind::cache_clear);
  const std::lock_guard lock(line_.mutex);
  eager(*outputs_.front());
}

Plan CudaWorker::plan(const CudaLayer& layer) {
  atc_conv_plan* made = nullptr;
  world_.report.done(atc_conv_plan_create(&made, kCuda, &layer.problem(), nullptr),
                     "atc_conv_plan_create", layer.name());
  return Plan(made);
}

void CudaWorker::eager(CudaOutput& output) {
  const Views& views = output.views();
  world_.report.done(atc_convolution(&output.layer().problem(), views.x(), views.w(), views.bias(),
                                     views.y(), line_.get()),
                     "atc_convolution", output.layer().name());
  world_.report.count(Kind::eager);
}

void CudaWorker::execute(atc_conv_plan* plan, CudaOutput& output, Kind kind) {
  const Views& views = output.views();
  world_.report.done(atc_conv_plan_execute(plan, views.x(), views.w(), views.bias(), views.y(),
                                           nullptr, 0, line_.get()),
                     "atc_conv_plan_execute", output.layer().name());
  world_.report.count(kind);
}

void CudaWorker::repeat() {
  const std::size_t layer = random_.below(outputs_.size());
  const bool by_plan = random_.once_in(2);
  const std::lock_guard lock(line_.mutex);
  for (std::size_t i = 0; i < kSeries; ++i) {
    if (by_plan)
      execute(plans_[layer].get(), *outputs_[layer], Kind::planned);
    else
      eager(*outputs_[(layer + i) % outputs_.size()]);
  }
}

void CudaWorker::fresh_plan() {
  CudaOutput& output = *random_.of(outputs_);
  const Plan made = plan(output.layer());
  const std::lock_guard lock(line_.mutex);
  execute(made.get(), output, Kind::given);
}

void CudaWorker::capture() {
  in_graph_.clear();
  const std::size_t first = random_.below(outputs_.size());
  const std::lock_guard lock(line_.mutex);
  atc::test::Capture capture(line_.stream.get(), atc::test::CaptureMode::relaxed);
  for (std::size_t i = 0; i < kInGraph; ++i) {
    const std::size_t layer = (first + i % 4) % outputs_.size();
    if (i < 4) in_graph_.push_back(layer);
    if (i / 4 % 2 == 0)
      eager(*outputs_[layer]);
    else
      execute(plans_[layer].get(), *outputs_[layer], Kind::planned);
  }
  if (!capture.end()) world_.report.stop("a capture of 16 calls was broken");
  graph_ = std::make_unique<atc::test::Executable>(capture);
  world_.report.count(Kind::capture);
}

void CudaWorker::replay(std::size_t times) {
  if (graph_ == nullptr) capture();
  const std::lock_guard lock(line_.mutex);
  for (std::size_t i = 0; i < times; ++i)
    if (!graph_->launch(line_.stream.get())) world_.report.stop("a graph was not launched");
  world_.report.count(Kind::replay, times * kInGraph);
}

void CudaWorker::expect_right(CudaOutput& output, const char* call) {
  const std::string wrong = output.compare(line_.stream.get());
  if (!wrong.empty())
    world_.report.stop(std::string(call) + " of " + output.layer().name() + ": " + wrong);
  world_.report.count(Kind::checked);
}

void CudaWorker::check_call() {
  const std::size_t layer = random_.below(outputs_.size());
  CudaOutput& output = *outputs_[layer];
  const bool by_plan = random_.once_in(2);
  const std::lock_guard lock(line_.mutex);
  output.unwrite(line_.stream.get());
  if (by_plan)
    execute(plans_[layer].get(), output, Kind::planned);
  else
    eager(output);
  expect_right(output, by_plan ? "the plan" : "atc_convolution");
}

void CudaWorker::check_graph() {
  if (graph_ == nullptr) capture();
  const std::lock_guard lock(line_.mutex);
  for (const std::size_t layer : in_graph_) outputs_[layer]->unwrite(line_.stream.get());
  if (!graph_->launch(line_.stream.get())) world_.report.stop("a graph was not launched");
  world_.report.count(Kind::replay, kInGraph);
  for (const std::size_t layer : in_graph_) expect_right(*outputs_[layer], "the replayed graph");
}

}  // namespace soak
