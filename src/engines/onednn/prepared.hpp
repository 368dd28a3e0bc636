// Holds a sequence of oneDNN primitives (sequence.hpp) with their generated code and memory
// objects, and executes it.
#pragma once

#include <array>
#include <cstdint>
#include <dnnl.hpp>
#include <memory>
#include <vector>

#include "engines/engine.hpp"
#include "engines/onednn/sequence.hpp"

namespace atc::onednn {

class OnednnPrepared final : public Prepared {
 public:
  OnednnPrepared(const dnnl::engine& engine, const Problem& problem, Sequence sequence);

  std::uint64_t workspace_size() const override { return sequence_.workspace; }
  std::uint64_t host_bytes() const override;
  void set_weights(const void* w) override;
  void execute(const Operands& operands, void* workspace, Stream stream) override;

 private:
  // A primitive with its list of arguments, as oneDNN's C interface takes it. The list is made
  // once, so that an execution need not make it.
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> arguments;
    dnnl::memory scratchpad;
  };
  struct Free {
    void operator()(void* memory) const;
  };

  Step make_step(const dnnl::engine& engine, const dnnl::primitive_desc_base& descriptor,
                 const std::vector<std::pair<int, const dnnl::memory*>>& arguments);
  void run(const Step& step) const;

  Sequence sequence_;
  int threads_;  // the number of threads between which oneDNN divides the work
  bool writes_weights_;
  dnnl::stream stream_;
  std::array<dnnl::memory, kRoles> caller_, seen_;
  // The reorders (copies to another layout) before the primitive and after it. A step is empty if
  // the operand needs no reorder.
  std::array<Step, kRoles> in_, out_;
  Step operation_;
  // The weights that set_weights received, in the layout of the operation.
  std::unique_ptr<void, Free> packed_;
};

}  // namespace atc::onednn
