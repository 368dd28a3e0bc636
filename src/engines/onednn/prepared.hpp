// A sequence of oneDNN primitives (sequence.hpp) with generated code and memory objects, ready for
// execution.
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
  // A primitive with its arguments in the form of oneDNN's C interface. The arguments are made
  // once, so that an execution does not build them.
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
  // The reorders before and after the primitive. A step is empty if the operand needs no reorder.
  std::array<Step, kRoles> in_, out_;
  Step operation_;
  // The weights that set_weights received, in the layout of the operation.
  std::unique_ptr<void, Free> packed_;
};

}  // namespace atc::onednn
