// A plan: a decision that can be executed. Only one thread at a time may use it.
#pragma once

#include <memory>

#include "conv/beside/layer.hpp"
#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "core/allocator.hpp"
#include "trace/call.hpp"

namespace atc::conv {

class Plan {
 public:
  Plan(Problem problem, const Request& request, Decided decided);

  const Problem& problem() const { return problem_; }
  DeviceId device() const { return device_; }
  // The alignment, in bytes, that the engine expects of the operands.
  std::size_t alignment() const { return alignment_; }
  const Decision& decision() const { return *decided_.decision; }
  const std::string& choice() const { return choice_; }
  std::uint64_t workspace_size() const { return decided_.prepared->workspace_size(); }
  bool has_weights() const { return has_weights_; }
  std::uint64_t host_bytes() const;  // an estimate of the bytes that the plan keeps, without
                                     // packed weights

  // Sets the allocator that provides the plan's memory from now on, in place of the process's
  // allocator. Null: the process's allocator.
  void use_allocator(std::shared_ptr<Allocator> allocator) { allocator_ = std::move(allocator); }

  const std::shared_ptr<Allocator>& allocator() const { return allocator_; }

  // Takes the layer that the calls of this plan explore; null if there is none.
  std::shared_ptr<beside::Layer> take_layer() { return std::move(layer_); }
  // Takes the decision out. The plan cannot be used any more.
  Decided release() { return std::move(decided_); }
  // The executions of a call that explores.
  struct Watch {
    CallTimer* timer = nullptr;  // null: they are not timed
    Plan* fallback = nullptr;    // runs if this plan cannot; null: the call fails then
    std::size_t executions = 0;
    bool failed = false;  // true if an execution has thrown
  };
  // Watches the executions from now on. Null: ends watching.
  void use_watch(Watch* watch) { watch_ = watch; }

  // Begins a run of the choice that the front end itself executes. Returns whether the run is
  // timed.
  bool begin_own_run(Stream stream);
  void end_own_run(Stream stream);

  void set_weights(const void* w);
  // Executes the convolution. If `workspace` is null, the workspace comes from the plan's
  // allocator; if that is the process's and the plan is for the CPU, it comes from a pool. The
  // running trace counts the call.
  void execute(const Operands& operands, void* workspace, Stream stream);

 private:
  void execute_watched(const Operands& operands, void* workspace, Stream stream);
  void execute_traced(const Operands& operands, void* workspace, Stream stream);
  void run(const Operands& operands, void* workspace, Stream stream);

  Problem problem_;
  DeviceId device_;
  std::size_t alignment_;
  Decided decided_;
  std::string choice_;
  std::shared_ptr<Allocator> allocator_;
  bool has_weights_ = false;
  trace::Slot traced_;
  std::shared_ptr<beside::Layer> layer_;
  Watch* watch_ = nullptr;
};

}  // namespace atc::conv
