// A candidate for tests of the correctness gate. It computes with the reference, and then changes
// the result.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/reference/reference_engine.hpp"

namespace atc::test {

// Computes the right result, and then changes it.
class Spoiling final : public Prepared {
 public:
  using Change = std::function<void(const Operands&)>;
  Spoiling(const Problem& problem, Change change)
      : rest_(make_reference_engine()->prepare(problem, {}, "direct")),
        change_(std::move(change)) {}
  std::uint64_t workspace_size() const override { return rest_->workspace_size(); }
  void set_weights(const void* w) override { rest_->set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    rest_->execute(operands, workspace, stream);
    if (change_) change_(operands);
  }

 private:
  std::unique_ptr<Prepared> rest_;
  Change change_;
};

}  // namespace atc::test
