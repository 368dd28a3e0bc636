// A plan: a decision that can be executed. Only one thread at a time may use it.
#pragma once

#include <memory>

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
  std::size_t alignment() const { return alignment_; }  // bytes that the engine relies on
  const Decision& decision() const { return *decided_.decision; }
  const std::string& choice() const { return choice_; }
  std::uint64_t workspace_size() const { return decided_.prepared->workspace_size(); }
  bool has_weights() const { return has_weights_; }
  std::uint64_t host_bytes() const;  // that the plan keeps; an estimate, without packed weights

  // Sets the allocator that provides the plan's memory from now on, in place of the process's
  // allocator. Null: the process's allocator.
  void use_allocator(std::shared_ptr<Allocator> allocator) { allocator_ = std::move(allocator); }

  const std::shared_ptr<Allocator>& allocator() const { return allocator_; }

  void set_weights(const void* w);
  // Executes the convolution. If `workspace` is null, the workspace comes from the plan's
  // allocator; if that is the process's and the plan is for the CPU, it comes from a pool. The
  // running trace counts the call.
  void execute(const Operands& operands, void* workspace, Stream stream);

 private:
  void run(const Operands& operands, void* workspace, Stream stream);

  Problem problem_;
  DeviceId device_;
  std::size_t alignment_;
  Decided decided_;
  std::string choice_;
  std::shared_ptr<Allocator> allocator_;
  bool has_weights_ = false;
  trace::Slot traced_;
};

}  // namespace atc::conv
