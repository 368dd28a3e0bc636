// A thread of the soak on CUDA. It shares its stream with other threads.
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

// A stream that is locked while a thread queues calls that belong together. Otherwise work of
// another thread would become part of a capture, or write an output that is being compared.
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

// All convolutions so far.
std::uint64_t convolutions(const Report& report);

// Makes a race of the layer in a little time, with options that never change, so that later races
// find the code of all candidates loaded. `store`: null for the store in use.
void race_on_cuda(Report& report, const CudaLayer& layer, double seconds, const atc_store* store);

class CudaWorker {
 public:
  CudaWorker(const CudaWorld& world, std::size_t number, Line& line);

  void run(Rest& rest);
  // Called by the main thread while the workers rest.
  void at_rest() { engine_.remove_at_rest(); }

  static constexpr std::size_t kRacedOneIn = 4;  // layers

 private:
  void warm_up();
  void act();
  void eager(CudaOutput& output);
  void execute(atc_conv_plan* plan, CudaOutput& output, Kind kind);
  void clear();  // clears the cache, and frees the memory that this thread keeps
  Plan plan(const CudaLayer& layer);
  void repeat();      // makes a series of calls; the host does not wait for their results
  void fresh_plan();  // made, executed, destroyed
  void capture();     // captures a new graph in place of the present one
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
  std::vector<std::unique_ptr<CudaOutput>> outputs_;  // by layer
  std::vector<Plan> plans_;                           // by layer
  std::unique_ptr<atc::test::Executable> graph_;
  std::vector<std::size_t> in_graph_;  // layers, each once at least
};

}  // namespace soak
