// Wraps a candidate that is built and can be executed. If one execution takes too long, the
// candidate is not executed again.
#pragma once

#include "conv/race/site.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

// Thrown in place of an execution if the previous execution took too long.
struct TookTooLong {
  double seconds;  // the time, in seconds, of the execution that took too long
};

class SingleExecution final : public Prepared {
 public:
  // `most` is a time in seconds. If an execution takes longer than `most`, the candidate is not
  // executed again. Each call waits for the end of its execution.
  SingleExecution(Prepared& inner, Site& site, double most)
      : inner_(inner), site_(site), most_(most) {}

  std::uint64_t workspace_size() const override { return inner_.workspace_size(); }
  void set_weights(const void* w) override { inner_.set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    if (took_ > most_) throw TookTooLong{took_};
    site_.wait();
    const double began = site_.device().now();
    inner_.execute(operands, workspace, stream);
    site_.wait();
    took_ = site_.device().now() - began;
  }
  const void* result() const override { return inner_.result(); }
  bool returns_output() const override { return inner_.returns_output(); }

 private:
  Prepared& inner_;
  Site& site_;
  const double most_;
  double took_ = 0;
};

}  // namespace atc::conv
