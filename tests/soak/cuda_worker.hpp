// A thread of the soak (the long run of many threads) on CUDA. Several threads share one stream.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "calls.hpp"
#include "cuda_layer.hpp"
#include "engines.hpp"
#include "options.hpp"
#include "rest.hpp"
#include "stores.hpp"
#include "support/streams.hpp"
#include "switches.hpp"

namespace soak {

// A stream that several threads share, and its lock. A thread holds the lock while it queues calls
// that belong together. Without the lock, the thread's capture could contain a call of another
// thread, or another thread could write an output while it is compared.
struct Line {
  atc::test::ForeignStream stream;
  std::mutex mutex;
  atc_stream get() const { return static_cast<atc_stream>(stream.get()); }
};

struct CudaWorld {
  const Options& options;
  Report& report;
  const Switches& switches;
  const std::vector<std::unique_ptr<CudaLayer>>& layers;
  const std::string& store_folder;
};

// Returns the number of convolutions that all threads have made so far.
std::uint64_t convolutions(const Report& report);

// Runs a race (the timing of the candidates) of the layer for at most `seconds`. All races have the
// same options, so a later race has the same candidates and loads no further code. If `store` is
// null, the decision is written to the store that is in use.
void race_on_cuda(Report& report, const CudaLayer& layer, double seconds, const atc_store* store);

class CudaWorker {
 public:
  CudaWorker(const CudaWorld& world, std::size_t number, Line& line);

  void run(Rest& rest);
  // Unregisters the engine of this worker. The main thread calls this function while the workers
  // rest.
  void at_rest() { engine_.remove_at_rest(); }

  // a race (the timing of the candidates) is run only for one layer in four
  static constexpr std::size_t kRacedOneIn = 4;

 private:
  void warm_up();
  void act();
  void eager(CudaOutput& output);
  void execute(atc_conv_plan* plan, CudaOutput& output, Kind kind);
  void clear();  // clears the cache of plans, and frees the cuDNN plans that this thread keeps
  Plan plan(const CudaLayer& layer);
  void repeat();      // makes a series of calls; the host does not wait for their results
  void fresh_plan();  // makes a plan, executes it and destroys it
  void capture();     // captures a new graph, which replaces the present graph of this thread
  void replay(std::size_t times);
  void check_call();
  void check_graph();
  void expect_right(CudaOutput& output, const char* call);

  static constexpr std::size_t kSeries = 32, kInGraph = 16, kReplays = 20;

  const CudaWorld& world_;
  Line& line_;
  Random random_;
  Stores stores_;
  OwnEngine engine_;
  std::vector<std::unique_ptr<CudaOutput>> outputs_;  // the output of each layer, in device memory
  std::vector<Plan> plans_;                           // the plan for each layer
  std::unique_ptr<atc::test::Executable> graph_;
  // the layers whose calls are in the graph; each layer at least once
  std::vector<std::size_t> in_graph_;
};

}  // namespace soak
