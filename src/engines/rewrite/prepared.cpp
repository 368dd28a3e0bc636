#include "engines/rewrite/prepared.hpp"

#include <string>
#include <utility>

#include "core/allocator.hpp"
#include "engines/rewrite/move/mover.hpp"

namespace atc::rewrite {

namespace {

// An operand between the problem and the rest.
struct Station {
  bool passed_on = false;
  std::uint64_t offset = 0;                // in the workspace
  std::unique_ptr<Mover> inward, outward;  // null where nothing is moved
};

class RewrittenPrepared final : public Prepared {
 public:
  RewrittenPrepared(const Problem& problem, const Limits& limits, const Passage& passage,
                    std::unique_ptr<Prepared> rest)
      : direction_(problem.direction),
        device_(limits.device),
        weight_bytes_(passage.w.intermediate_bytes()),
        rest_(std::move(rest)) {
    const auto arrive = [&](Station& station, const Tensor& outer, const Crossing& crossing) {
      const bool written = &crossing == &passage.output();
      station.passed_on = crossing.passed_on;
      station.offset = intermediates_;
      if (crossing.passed_on) return;
      intermediates_ += aligned(crossing.intermediate_bytes());
      const int width = static_cast<int>(size_of(outer.dtype));
      const std::size_t between = device_.type == DeviceType::cuda ? kIntermediateAlignment : 64;
      if (!written || problem.accumulate)
        station.inward = make_mover({crossing.inward(), width, limits.alignment, between}, device_);
      if (written)
        station.outward = make_mover(
            {crossing.outward(problem.accumulate), width, between, limits.alignment}, device_);
    };
    arrive(x_, problem.x, passage.x);
    arrive(w_, problem.w, passage.w);
    arrive(y_, problem.y, passage.y);
  }

  std::uint64_t workspace_size() const override { return intermediates_ + rest_->workspace_size(); }

  // The rest keeps what it needs of weights that were moved for it alone.
  void set_weights(const void* w) override {
    if (w_.inward == nullptr) {
      rest_->set_weights(w);
      return;
    }
    const Allocation moved(weight_bytes_, device_);
    w_.inward->run_now(w, moved.data());
    rest_->set_weights(moved.data());
  }

  void execute(const Operands& given, void* workspace, Stream stream) override {
    auto* const base = static_cast<char*>(workspace);
    Operands inner = given;
    enter(x_, inner.x, base, stream);
    if (given.w != nullptr) enter(w_, inner.w, base, stream);
    enter(y_, inner.y, base, stream);
    rest_->execute(inner, base == nullptr ? nullptr : base + intermediates_, stream);
    const Station& output = direction_ == Direction::forward         ? y_
                            : direction_ == Direction::backward_data ? x_
                                                                     : w_;
    if (output.outward == nullptr) return;
    output.outward->run(base + output.offset,
                        direction_ == Direction::forward         ? given.y
                        : direction_ == Direction::backward_data ? given.x
                                                                 : given.w,
                        stream);
  }

  std::string compiled() const override { return rest_->compiled(); }

 private:
  static void enter(const Station& station, void*& operand, char* base, Stream stream) {
    if (station.passed_on) return;
    void* const between = base + station.offset;
    if (station.inward != nullptr) station.inward->run(operand, between, stream);
    operand = between;
  }

  Direction direction_;
  DeviceId device_;
  std::uint64_t weight_bytes_, intermediates_ = 0;
  Station x_, w_, y_;
  std::unique_ptr<Prepared> rest_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const Passage& passage, std::unique_ptr<Prepared> rest) {
  return std::make_unique<RewrittenPrepared>(problem, limits, passage, std::move(rest));
}

}  // namespace atc::rewrite
