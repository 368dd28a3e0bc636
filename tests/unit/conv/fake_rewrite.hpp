// A rewrite (which lets an engine compute another problem in place of the given one) whose
// behaviour is set by a test's script. It hands the problem unchanged to an engine. The engine
// computes into a buffer, which the rewrite copies to the output.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "engines/registry.hpp"
#include "engines/rewrite.hpp"

namespace atc_test {

struct RewriteScript {
  std::string version = "1";
  // The configurations that the rewrite offers. If there are none, the rewrite applies to no
  // problem.
  std::vector<std::string> configurations;
};

class CopyingPrepared final : public atc::Prepared {
 public:
  CopyingPrepared(atc::Problem problem, std::uint64_t between, std::unique_ptr<atc::Prepared> rest)
      : problem_(std::move(problem)), between_(between), rest_(std::move(rest)) {}
  std::uint64_t workspace_size() const override { return between_ + rest_->workspace_size(); }
  void set_weights(const void* w) override { rest_->set_weights(w); }
  void execute(const atc::Operands& operands, void* workspace, atc::Stream stream) override {
    atc::Operands inner = operands;
    output_of(problem_, inner) = workspace;
    rest_->execute(inner, static_cast<std::byte*>(workspace) + between_, stream);
    std::memcpy(output_of(problem_, operands), workspace, problem_.output().span_bytes());
  }

 private:
  atc::Problem problem_;
  std::uint64_t between_;
  std::unique_ptr<atc::Prepared> rest_;
};

class FakeRewrite final : public atc::Rewrite {
 public:
  explicit FakeRewrite(std::shared_ptr<const RewriteScript> script) : script_(std::move(script)) {}

  std::string name() const override { return "detour"; }
  std::string version() const override { return script_->version; }
  // If the script has no configurations, the rewrite supports no device. So the rewrite has no
  // effect on other tests.
  bool serves(atc::DeviceType device) const override {
    return device == atc::DeviceType::cpu && !script_->configurations.empty();
  }
  std::vector<atc::Rewriting> rewritings(const atc::Problem& problem, const atc::Limits& limits,
                                         std::string&) const override {
    std::vector<atc::Rewriting> ways;
    for (const std::string& configuration : script_->configurations) {
      atc::Rewriting way;
      way.configuration = configuration;
      way.problem = problem;
      way.workspace = between(problem);
      way.alignment = limits.alignment;
      ways.push_back(std::move(way));
    }
    return ways;
  }
  std::unique_ptr<atc::Prepared> prepare(const atc::Problem& problem, const atc::Limits&,
                                         const atc::Rewriting&,
                                         std::unique_ptr<atc::Prepared> rest) const override {
    return std::make_unique<CopyingPrepared>(problem, between(problem), std::move(rest));
  }

  static std::uint64_t between(const atc::Problem& problem) {
    return (problem.output().span_bytes() + 63) / 64 * 64;
  }

 private:
  std::shared_ptr<const RewriteScript> script_;
};

// Returns the script of the registered rewrite. All tests of the program share it, because a
// rewrite cannot be unregistered.
inline RewriteScript& rewrite_script() {
  static const auto script = [] {
    auto made = std::make_shared<RewriteScript>();
    atc::EngineRegistry::instance().add(std::make_shared<FakeRewrite>(made));
    return made;
  }();
  return *script;
}

}  // namespace atc_test
