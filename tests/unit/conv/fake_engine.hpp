// An engine whose behaviour is set by a test's script. It computes with the reference, so its
// results pass the gate (the check against the reference) unless the script changes the results.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conv/options.hpp"
#include "core/error.hpp"
#include "core/half.hpp"
#include "engines/engine.hpp"
#include "engines/reference/reference_engine.hpp"

namespace atc_test {

struct Script {
  std::string name = "fake", version = "1";
  std::vector<atc::Offer> offers;
  std::string unbuildable;    // the configuration that the engine refuses to prepare
  std::string tf32;           // the configuration that the engine offers only if TF32 is allowed
  std::string out_of_memory;  // the configuration for whose preparation there is not enough memory
  std::uint64_t workspace = 0;  // the workspace of every configuration, in bytes
  bool returns_output = false;
  bool coarse = false;   // true if the engine rounds its results to 11 bits
  bool spreads = false;  // true if an infinite weight makes each output NaN
  // A pause in each execution. It is so long that noise of the machine does not change the order of
  // the measured times.
  std::chrono::milliseconds pause{0};
  std::string slow;      // the configuration whose executions pause; "": all configurations
  std::string unsteady;  // the configuration whose executions do not all give the same bits
  // the compiled form of each prepared configuration (the result of Prepared::compiled)
  std::string compiled;
  // Returns whether a configuration leaves the last element of its output unwritten.
  std::function<bool(const atc::Problem&, const std::string& configuration)> skips;
  // Returns the number of the element that a configuration computes wrongly, or -1 if all elements
  // are right.
  std::function<std::int64_t(const atc::Problem&, const std::string& configuration)> wrong;
  mutable std::atomic<int> asked{0}, prepared{0}, executed{0};
  // The number of configurations that were prepared on another thread than `own`, the thread that
  // made the script.
  mutable std::atomic<int> prepared_beside{0};
  // The number of configurations that were prepared from a compiled text.
  mutable std::atomic<int> loaded{0};
  std::thread::id own = std::this_thread::get_id();
};

// Computes with the reference, and then changes the result as the script says.
class FakePrepared final : public atc::Prepared {
 public:
  FakePrepared(const atc::Problem& problem, std::unique_ptr<atc::Prepared> inner,
               const std::string& configuration, const Script& script)
      : problem_(problem),
        inner_(std::move(inner)),
        unsteady_(configuration == script.unsteady),
        skips_(script.skips && script.skips(problem, configuration)),
        wrong_(script.wrong ? script.wrong(problem, configuration) : -1),
        executed_(script.executed),
        workspace_(script.workspace),
        returns_output_(script.returns_output),
        coarse_(script.coarse),
        spreads_(script.spreads),
        compiled_(script.compiled),
        pause_(script.slow.empty() || configuration == script.slow ? script.pause
                                                                   : std::chrono::milliseconds(0)) {
  }
  std::uint64_t workspace_size() const override { return workspace_; }
  void set_weights(const void* w) override { inner_->set_weights(w); }
  void execute(const atc::Operands& operands, void*, atc::Stream stream) override {
    ++executed_;
    void* const output = atc::output_of(problem_, operands);
    const double last = skips_ ? atc::load_element(output, problem_.output().dtype, place()) : 0;
    inner_->execute(operands, nullptr, stream);
    if (skips_) atc::store_element(output, problem_.output().dtype, place(), last);
    if (wrong_ >= 0) move(output);
    if (coarse_) round(output);
    if (spreads_) spread(operands.w, output);
    if (unsteady_ && ++executions_ % 2 == 0) disturb(output);
    if (pause_.count() > 0) std::this_thread::sleep_for(pause_);
  }
  bool returns_output() const override { return returns_output_; }
  std::string compiled() const override { return compiled_; }

 private:
  // Changes the last bit of the first element of the output, unless this element is an integer. The
  // change is smaller than the error bound.
  void disturb(void* output) const {
    auto& value = static_cast<float*>(output)[0];
    if (value != std::floor(value)) value = std::nextafter(value, 2 * value);
  }
  void move(void* output) const {
    const atc::Tensor& tensor = problem_.output();
    const std::int64_t offset = tensor.offset_of(tensor.index_of(wrong_));
    atc::store_element(output, tensor.dtype, offset,
                       atc::load_element(output, tensor.dtype, offset) + 1);
  }
  std::int64_t place() const {  // the offset of the last element of the output
    const atc::Tensor& tensor = problem_.output();
    return tensor.offset_of(tensor.index_of(tensor.elements() - 1));
  }
  void round(void* output) const {
    const atc::Tensor& tensor = problem_.output();
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      const std::int64_t offset = tensor.offset_of(tensor.index_of(i));
      const double value = atc::load_element(output, tensor.dtype, offset);
      atc::store_element(output, tensor.dtype, offset, atc::round_to(atc::Dtype::f16, value));
    }
  }

  // Adds each weight times 0 to each output, so an infinite weight makes each output NaN. A kernel
  // that multiplies the weights by zeros of the padding has the same effect.
  void spread(const void* w, void* output) const {
    double sum = 0;
    const atc::Tensor& weights = problem_.w;
    for (std::int64_t i = 0; i < weights.elements(); ++i)
      sum += 0 * atc::load_element(w, weights.dtype, weights.offset_of(weights.index_of(i)));
    const atc::Tensor& tensor = problem_.output();
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      const std::int64_t offset = tensor.offset_of(tensor.index_of(i));
      atc::store_element(output, tensor.dtype, offset,
                         atc::load_element(output, tensor.dtype, offset) + sum);
    }
  }

  atc::Problem problem_;
  std::unique_ptr<atc::Prepared> inner_;
  bool unsteady_;
  int executions_ = 0;
  bool skips_;
  std::int64_t wrong_;
  std::atomic<int>& executed_;
  std::uint64_t workspace_;
  bool returns_output_, coarse_, spreads_;
  std::string compiled_;
  std::chrono::milliseconds pause_;
};

class FakeEngine final : public atc::Engine {
 public:
  explicit FakeEngine(std::shared_ptr<const Script> script)
      : script_(std::move(script)), reference_(atc::make_reference_engine()) {}

  std::string name() const override { return script_->name; }
  std::string version() const override { return script_->version; }
  bool serves(atc::DeviceType device) const override { return device == atc::DeviceType::cpu; }
  std::vector<atc::Offer> offers(const atc::Problem&, const atc::Limits& limits,
                                 std::string& why_not) const override {
    ++script_->asked;
    if (script_->offers.empty()) why_not = "scripted to decline";
    std::vector<atc::Offer> offers;
    for (const atc::Offer& one : script_->offers)
      if (limits.allow_tf32 || script_->tf32.empty() || one.configuration != script_->tf32)
        offers.push_back(one);
    return offers;
  }
  std::unique_ptr<atc::Prepared> prepare(const atc::Problem& problem, const atc::Limits& limits,
                                         const std::string& configuration) const override {
    if (configuration == script_->unbuildable)
      atc::fail(atc::Status::unsupported, "scripted not to build {}", configuration);
    if (configuration == script_->out_of_memory)
      atc::fail(atc::Status::out_of_memory, "scripted to have no memory for {}", configuration);
    ++script_->prepared;
    script_->prepared_beside += std::this_thread::get_id() != script_->own;
    return std::make_unique<FakePrepared>(problem, reference_->prepare(problem, limits, "direct"),
                                          configuration, *script_);
  }

  std::unique_ptr<atc::Prepared> prepare_from(const atc::Problem& problem,
                                              const atc::Limits& limits,
                                              const std::string& configuration,
                                              const std::string& compiled) const override {
    script_->loaded += compiled == script_->compiled;
    return prepare(problem, limits, configuration);
  }

 private:
  std::shared_ptr<const Script> script_;
  std::unique_ptr<atc::Engine> reference_;
};

inline atc::Offer offer(const std::string& configuration) {
  atc::Offer made;
  made.configuration = configuration;
  return made;
}

// Returns a small dense forward problem. Each `width` gives another problem.
inline atc::Problem problem_of(std::int64_t width, std::int64_t batch = 2) {
  atc::Problem problem;
  problem.x = {atc::Dtype::f32, 4, {batch, 3, 5, width}, {15 * width, 5 * width, width, 1}};
  problem.w = {atc::Dtype::f32, 4, {4, 3, 1, 1}, {3, 1, 1, 1}};
  problem.y = {atc::Dtype::f32, 4, {batch, 4, 5, width}, {20 * width, 5 * width, width, 1}};
  return problem;
}

}  // namespace atc_test
