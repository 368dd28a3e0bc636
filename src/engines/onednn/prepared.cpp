#include "engines/onednn/prepared.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "core/error.hpp"
#include "device/cpu/live_pool.hpp"
#include "engines/onednn/errors.hpp"
#include "engines/weights.hpp"

namespace atc::onednn {

namespace {

void* allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded ? rounded : kAlignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void point(const dnnl::memory& memory, const void* address) {
  dnnl::error::wrap_c_api(dnnl_memory_set_data_handle(memory.get(), const_cast<void*>(address)),
                          "could not set the address of an operand");
}

}  // namespace

// An estimate of the host memory of a prepared convolution, generated code included, in bytes.
// docs/threading.md describes how it was measured.
constexpr std::uint64_t kPlanBytes = std::uint64_t{128} << 10;

void OnednnPrepared::Free::operator()(void* memory) const { std::free(memory); }

OnednnPrepared::OnednnPrepared(const dnnl::engine& engine, const Problem& problem,
                               Sequence sequence)
    : sequence_(std::move(sequence)),
      threads_(team_size()),
      writes_weights_(problem.direction == Direction::backward_weight),
      stream_(engine) {
  std::vector<std::pair<int, const dnnl::memory*>> arguments;
  for (int role = 0; role < kRoles; ++role) {
    const ReorderedOperand& reordered = sequence_.operands[role];
    if (!reordered.present) continue;
    caller_[role] = dnnl::memory(reordered.operand.caller, engine, DNNL_MEMORY_NONE);
    seen_[role] = dnnl::memory(reordered.operand.seen, engine, DNNL_MEMORY_NONE);
    arguments.emplace_back(reordered.operand.argument, &seen_[role]);
    if (reordered.in)
      in_[role] = make_step(engine, *reordered.in,
                            {{DNNL_ARG_FROM, &caller_[role]}, {DNNL_ARG_TO, &seen_[role]}});
    if (reordered.out)
      out_[role] = make_step(engine, *reordered.out,
                             {{DNNL_ARG_FROM, &seen_[role]}, {DNNL_ARG_TO, &caller_[role]}});
  }
  operation_ = make_step(engine, sequence_.operation.descriptor, arguments);
}

OnednnPrepared::Step OnednnPrepared::make_step(
    const dnnl::engine& engine, const dnnl::primitive_desc_base& descriptor,
    const std::vector<std::pair<int, const dnnl::memory*>>& arguments) {
  Step step;
  step.primitive = dnnl::primitive(descriptor.get());
  step.scratchpad = dnnl::memory(descriptor.scratchpad_desc(), engine, DNNL_MEMORY_NONE);
  for (const auto& [argument, memory] : arguments)
    step.arguments.push_back({argument, memory->get()});
  step.arguments.push_back({DNNL_ARG_SCRATCHPAD, step.scratchpad.get()});
  return step;
}

void OnednnPrepared::run(const Step& step) const {
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(step.primitive.get(), stream_.get(),
                             static_cast<int>(step.arguments.size()), step.arguments.data()),
      "could not execute a primitive");
}

std::uint64_t OnednnPrepared::host_bytes() const { return kPlanBytes; }

void OnednnPrepared::set_weights(const void* w) {
  if (writes_weights_)
    fail(Status::invalid_argument,
         "set_weights on a backward-weight problem: its weights are the result");
  translate_errors("set_weights", [&] {
    const ReorderedOperand& reordered = sequence_.operands[role_w];
    std::unique_ptr<void, Free> packed(allocate(reordered.operand.seen.get_size()));
    if (reordered.in) {
      const std::size_t scratch_bytes = in_[role_w].scratchpad.get_desc().get_size();
      std::unique_ptr<void, Free> scratch(allocate(scratch_bytes));
      point(caller_[role_w], w);
      point(seen_[role_w], packed.get());
      point(in_[role_w].scratchpad, scratch.get());
      with_team_of(threads_, [&] { run(in_[role_w]); });
    } else {
      std::memcpy(packed.get(), w, reordered.operand.seen.get_size());
    }
    packed_ = std::move(packed);
  });
}

void OnednnPrepared::execute(const Operands& operands, void* workspace, Stream) {
  require_weights(operands.w ? operands.w : packed_.get());
  const bool packed = !operands.w;
  const std::array<const void*, kRoles> addresses{operands.x, operands.w, operands.y, operands.bias,
                                                  operands.residual};
  const auto base =
      (reinterpret_cast<std::uintptr_t>(workspace) + kAlignment - 1) / kAlignment * kAlignment;
  const auto place = [&](std::uint64_t offset) {
    return reinterpret_cast<void*>(base + static_cast<std::uintptr_t>(offset));
  };
  const auto run_all = [&] {
    for (int role = 0; role < kRoles; ++role) {
      const ReorderedOperand& reordered = sequence_.operands[role];
      if (!reordered.present) continue;
      if (role == role_w && packed) {
        point(seen_[role], packed_.get());
        continue;
      }
      point(seen_[role], reordered.offset ? place(*reordered.offset) : addresses[role]);
      if (!reordered.offset) continue;
      point(caller_[role], addresses[role]);
      if (!reordered.in) continue;
      point(in_[role].scratchpad, place(sequence_.scratchpad));
      run(in_[role]);
    }
    point(operation_.scratchpad, place(sequence_.scratchpad));
    run(operation_);
    for (int role = 0; role < kRoles; ++role) {
      if (!sequence_.operands[role].out) continue;
      point(out_[role].scratchpad, place(sequence_.scratchpad));
      run(out_[role]);
    }
    dnnl::error::wrap_c_api(dnnl_stream_wait(stream_.get()), "could not finish");
  };
  translate_errors("execute", [&] {
    if (sequence_.operation.without_signals)
      without_signals([&] { run_all(); }, threads_);
    else
      with_team_of(threads_, [&] { run_all(); });
  });
}

}  // namespace atc::onednn
