#include "engines/rewrite/prepared.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/allocator.hpp"
#include "engines/rewrite/move/mover.hpp"

namespace atc::rewrite {

namespace {

// Says how one operand is converted between the problem and the rest of the chain (further rewrites
// and the engine).
struct Station {
  bool passed_on = false;
  // The offset of the converted operand in the workspace, in bytes.
  std::uint64_t offset = 0;
  // Copy the operand before and after the convolution. Null if no copy is needed.
  std::unique_ptr<Mover> inward, outward;
};

constexpr std::size_t kX = 0, kW = 1, kY = 2;  // indices of stations_

class RewrittenPrepared final : public Prepared {
 public:
  RewrittenPrepared(const Problem& problem, const Limits& limits, const Passage& passage,
                    std::unique_ptr<Prepared> rest)
      : output_(problem.direction == Direction::forward         ? kY
                : problem.direction == Direction::backward_data ? kX
                                                                : kW),
        device_(limits.device),
        weight_bytes_(passage.w.intermediate_bytes()),
        rest_(std::move(rest)) {
    std::vector<std::pair<std::size_t, MoverSpec>> inward;
    const auto arrive = [&](std::size_t i, const Tensor& outer, const Crossing& crossing) {
      Station& station = stations_[i];
      station.passed_on = crossing.passed_on;
      station.offset = intermediates_;
      if (crossing.passed_on) return;
      intermediates_ += aligned(crossing.intermediate_bytes());
      const int width = static_cast<int>(size_of(outer.dtype));
      const std::size_t between = device_.type == DeviceType::cuda ? kIntermediateAlignment : 64;
      if (i != output_ || problem.accumulate) {
        inward.push_back({i, {crossing.inward(), width, limits.alignment, between}});
        station.inward = make_mover(inward.back().second, device_);
      }
      if (i == output_)
        station.outward = make_mover(
            {crossing.outward(problem.accumulate), width, between, limits.alignment}, device_);
    };
    arrive(kX, problem.x, passage.x);
    arrive(kW, problem.w, passage.w);
    arrive(kY, problem.y, passage.y);
    if (inward.size() < 2) return;
    joint_ = make_joint_mover(inward[0].second, inward[1].second, device_);
    joined_ = {inward[0].first, inward[1].first};
  }

  std::uint64_t workspace_size() const override { return intermediates_ + rest_->workspace_size(); }
  std::uint64_t host_bytes() const override { return Prepared::host_bytes() + rest_->host_bytes(); }

  // The converted weights are freed when the function returns. rest_->set_weights() keeps its own
  // copy if it needs them later.
  void set_weights(const void* w) override {
    const Mover* const inward = stations_[kW].inward.get();
    if (inward == nullptr) {
      rest_->set_weights(w);
      return;
    }
    const Allocation moved(weight_bytes_, device_);
    inward->run_now(w, moved.data());
    rest_->set_weights(moved.data());
  }

  void execute(const Operands& given, void* workspace, Stream stream) override {
    auto* const base = static_cast<char*>(workspace);
    Operands inner = given;
    enter({&inner.x, &inner.w, &inner.y}, base, stream);
    rest_->execute(inner, base == nullptr ? nullptr : base + intermediates_, stream);
    const Station& output = stations_[output_];
    if (output.outward == nullptr) return;
    void* const outer[] = {given.x, given.w, given.y};
    output.outward->run(base + output.offset, outer[output_], stream);
  }

  std::string compiled() const override { return rest_->compiled(); }

 private:
  // Converts the operands for the rest of the chain, and changes the pointers in `operands` to the
  // converted operands. The pointer to the weights is null if they were set by set_weights(); then
  // they are already converted.
  void enter(const std::array<void**, 3>& operands, char* base, Stream stream) const {
    std::array<JointMover::Ends, 3> ends;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (stations_[i].passed_on || *operands[i] == nullptr) continue;
      ends[i] = {*operands[i], base + stations_[i].offset};
      *operands[i] = ends[i].target;
    }
    const auto [one, other] = joined_;
    const bool jointly =
        joint_ != nullptr && ends[one].source != nullptr && ends[other].source != nullptr;
    if (jointly) joint_->run(ends[one], ends[other], stream);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Mover* const inward = stations_[i].inward.get();
      if (inward == nullptr || ends[i].source == nullptr) continue;
      if (!jointly || (i != one && i != other)) inward->run(ends[i].source, ends[i].target, stream);
    }
  }

  std::size_t output_;
  DeviceId device_;
  std::uint64_t weight_bytes_, intermediates_ = 0;
  std::array<Station, 3> stations_;
  // Copies two operands in one launch of a kernel. Null if fewer than two operands are converted
  // before the convolution, or if one launch cannot copy both.
  std::unique_ptr<JointMover> joint_;
  // The indices, in stations_, of the two operands that joint_ copies.
  std::pair<std::size_t, std::size_t> joined_;
  std::unique_ptr<Prepared> rest_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const Passage& passage, std::unique_ptr<Prepared> rest) {
  return std::make_unique<RewrittenPrepared>(problem, limits, passage, std::move(rest));
}

}  // namespace atc::rewrite
