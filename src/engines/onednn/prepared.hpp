// A sequence (sequence.hpp) with its generated code and memory objects, ready to run.
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
  // One primitive with its arguments in oneDNN's C form. The arguments are made once, so that a
  // call builds nothing.
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
  int threads_;  // number of threads among which oneDNN has divided the work
  bool writes_weights_;
  dnnl::stream stream_;
  std::array<dnnl::memory, kRoles> caller_, seen_;
  std::array<Step, kRoles> in_, out_;  // empty where the sequence has none
  Step operation_;
  std::unique_ptr<void, Free> packed_;  // weights from set_weights as the operation sees them
};

}  // namespace atc::onednn
