// A plan: a decision whose choice is built and can be executed. A plan may be used by one thread at
// a time.
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
  // An estimate of the bytes of host memory that the plan keeps, without packed weights.
  std::uint64_t host_bytes() const;

  // Sets the allocator that provides the plan's memory from now on. Null: the process's allocator
  // provides it.
  void use_allocator(std::shared_ptr<Allocator> allocator) { allocator_ = std::move(allocator); }

  const std::shared_ptr<Allocator>& allocator() const { return allocator_; }

  // Returns the layer, which the plan then no longer has; null if there is none. (A layer is a
  // problem whose candidates are tried by the calls of this plan, beside/layer.hpp.)
  std::shared_ptr<beside::Layer> take_layer() { return std::move(layer_); }
  // Moves the decision out of the plan. After this call the plan must not be used any more.
  Decided release() { return std::move(decided_); }
  // Watches the executions of one call that explores (beside/layer.hpp).
  struct Watch {
    CallTimer* timer = nullptr;  // null: the executions of the call are not timed
    // The plan that is executed if this plan fails. Null: an error of this plan is an error of the
    // call.
    Plan* fallback = nullptr;
    std::size_t executions = 0;
    bool failed = false;  // true if an execution of the call has thrown an exception
  };
  // Sets the watch of the following executions. Null ends watching.
  void use_watch(Watch* watch) { watch_ = watch; }

  // Call these functions before and after an execution that the front end (such as LibTorch) runs
  // by itself, without execute(). begin_own_run starts to time this execution, and returns false if
  // it is not timed. Call end_own_run only if begin_own_run has returned true.
  bool begin_own_run(Stream stream);
  void end_own_run(Stream stream);

  void set_weights(const void* w);
  // Executes the convolution. If `workspace` is null, the plan provides the workspace. It is
  // allocated by the plan's allocator if there is one, else on CUDA by the process's allocator, and
  // on the CPU it is taken from a pool. If a trace is running, the trace counts the call.
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
