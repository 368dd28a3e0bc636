// The rewrite "split" divides the batch into equal parts and computes one part after the other. The
// tensors of a part are small enough for 32-bit indices. An engine that copies or transforms whole
// tensors also needs less workspace for a part.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/format.hpp"
#include "engines/rewrite/move/mover.hpp"
#include "engines/rewrite/rewrites.hpp"

namespace atc {

namespace {

constexpr std::int64_t kMostElements =
    std::int64_t{1} << 31;  // The number of elements that a signed 32-bit index can address.

Problem part_of(const Problem& problem, std::int64_t parts) {
  Problem part = problem;
  part.x.shape[0] = part.y.shape[0] = problem.batch() / parts;
  // The gradient of the weights is a sum over all images. So the result of each part is added to w
  // (`accumulate`).
  if (problem.direction == Direction::backward_weight) part.accumulate = true;
  return part;
}

// Returns the distance in bytes from a part of the tensor to the next part.
std::uint64_t step(const Tensor& tensor, std::int64_t parts) {
  return static_cast<std::uint64_t>(tensor.shape[0] / parts * tensor.strides[0]) *
         size_of(tensor.dtype);
}

bool reaches(const Problem& problem) {
  return problem.x.span() <= kMostElements && problem.y.span() <= kMostElements;
}

bool fits(const Problem& problem, std::uint64_t workspace) {
  return problem.x.span_bytes() + problem.y.span_bytes() <= workspace;
}

// Returns the smallest number of equal parts of the batch for which holds(part) returns true.
// Returns nullopt if there is none.
template <typename Holds>
std::optional<std::int64_t> least_parts(const Problem& problem, const Holds& holds) {
  for (std::int64_t parts = 1; parts <= problem.batch(); ++parts)
    if (problem.batch() % parts == 0 && holds(part_of(problem, parts))) return parts;
  return std::nullopt;
}

class SplitPrepared final : public Prepared {
 public:
  SplitPrepared(const Problem& problem, DeviceId device, std::int64_t parts,
                std::unique_ptr<Prepared> rest)
      : parts_(parts),
        x_step_(step(problem.x, parts)),
        y_step_(step(problem.y, parts)),
        device_(device),
        rest_(std::move(rest)) {
    if (problem.direction == Direction::backward_weight && !problem.accumulate)
      zeroed_bytes_ = problem.w.span_bytes();
  }

  std::uint64_t workspace_size() const override { return rest_->workspace_size(); }
  std::uint64_t host_bytes() const override { return sizeof(*this) + rest_->host_bytes(); }
  void set_weights(const void* w) override { rest_->set_weights(w); }
  std::string compiled() const override { return rest_->compiled(); }

  void execute(const Operands& given, void* workspace, Stream stream) override {
    if (zeroed_bytes_ != 0) rewrite::fill_with_zeros(given.w, zeroed_bytes_, device_, stream);
    Operands part = given;
    for (std::int64_t i = 0; i < parts_; ++i) {
      rest_->execute(part, workspace, stream);
      part.x = static_cast<char*>(part.x) + x_step_;
      part.y = static_cast<char*>(part.y) + y_step_;
    }
  }

 private:
  std::int64_t parts_;
  std::uint64_t x_step_, y_step_;
  // The number of bytes of w that are set to zero before the parts add their results to w.
  std::uint64_t zeroed_bytes_ = 0;
  DeviceId device_;
  std::unique_ptr<Prepared> rest_;
};

class BatchSplit final : public Rewrite {
 public:
  std::string name() const override { return "split"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cuda; }
  std::size_t places() const override { return 1; }

  std::vector<Rewriting> rewritings(const Problem& problem, const Limits& limits,
                                    std::string& why_not) const override {
    why_not = objection(problem, limits);
    if (!why_not.empty()) return {};
    // If even a single image is larger than the workspace, no split makes the parts fit into it. In
    // this case the parts only have to be small enough for 32-bit indices.
    auto parts = least_parts(problem, [&](const Problem& part) {
      return reaches(part) && fits(part, limits.workspace);
    });
    if (!parts) parts = least_parts(problem, reaches);
    if (!parts || *parts == 1) {
      why_not = "no number of equal parts has tensors that are small enough";
      return {};
    }
    Rewriting rewriting;
    rewriting.configuration = format("{}", *parts);
    rewriting.notes = format("{} parts of the batch", *parts);
    rewriting.problem = part_of(problem, *parts);
    const std::uint64_t steps = step(problem.x, *parts) | step(problem.y, *parts);
    // steps & (~steps + 1) is the largest power of two that divides the distances between the parts
    // of x and between the parts of y.
    rewriting.alignment = std::min<std::uint64_t>(limits.alignment, steps & (~steps + 1));
    return {std::move(rewriting)};
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const Rewriting& rewriting,
                                    std::unique_ptr<Prepared> rest) const override {
    const std::int64_t parts = problem.batch() / rewriting.problem.batch();
    return std::make_unique<SplitPrepared>(problem, limits.device, parts, std::move(rest));
  }

 private:
  // Returns why a split is impossible or useless. Returns "" if the rewrite can be used.
  static std::string objection(const Problem& problem, const Limits& limits) {
    if (const char* const why = rewrite::moving_objection(limits.device.type); *why != '\0')
      return why;
    if (problem.x.elements() == 0 || problem.w.elements() == 0 || problem.y.elements() == 0)
      return "a tensor is empty";
    if (problem.batch() == 1) return "the batch is 1";
    if (reaches(problem) && (limits.workspace == 0 || fits(problem, limits.workspace)))
      return "32-bit indices reach all elements, and x and y fit into the workspace";
    if (problem.direction != Direction::backward_weight) return "";
    if (problem.w.dtype != Dtype::f32) return "sums of parts would be rounded to 16 bits";
    if (problem.w.span() != problem.w.elements()) return "w is not dense";
    return "";
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_batch_split_rewrite() { return std::make_unique<BatchSplit>(); }

}  // namespace atc
