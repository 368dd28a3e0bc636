// The contenders: the ways to run a convolution that the benchmark compares. Each call of a
// contender returns a new tensor from LibTorch's allocator, as in a program on LibTorch.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atc/conv.h"
#include "operands.hpp"
#include "target.hpp"

struct Contender {
  std::string name;
  std::function<at::Tensor(const Inputs&)> run;
  std::size_t every = 1;          // n, if the contender is timed in every n-th round
  std::vector<double> cold, hot;  // seconds per call
};

// Returns a function that runs LibTorch's own convolution. The function obeys the values that
// LibTorch's switches have when it runs.
std::function<at::Tensor(const Inputs&)> torch_convolution(const atc_conv_problem& problem);

// Returns a function that calls atc_convolution. atc_convolution keeps the plans itself, and has no
// option for constant weights.
std::function<at::Tensor(const Inputs&)> eager_convolution(const atc_conv_problem& problem,
                                                           const Target& target);

// Returns the first choice of atc's default engine. atc runs this choice if nothing is known about
// the problem and no front end (such as the bridge to LibTorch) names a default of its own.
std::string default_choice(const atc_conv_problem& problem, const Target& target);

class Plan {
 public:
  // Makes a plan. If `choice` is empty, the decision comes from the store, from the memory of the
  // process, or from a race of at most `budget` seconds (0: no race). Otherwise the plan runs
  // `choice`. LibTorch's own convolution takes part in the race.
  Plan(const atc_conv_problem& problem, const Target& target, bool constant_weights, double budget,
       const std::string& choice = "");

  std::string choice() const;
  std::int32_t source() const;
  // Returns whether LibTorch's own convolution won the race. If it won, the benchmark calls
  // LibTorch directly and does not call run(). The bridge does the same.
  bool is_torchs_own() const;
  // Returns the choices that took at most `factor` times the fastest candidate's time in the race,
  // the fastest first. The plan's own choice and LibTorch's own convolution are left out.
  std::vector<std::string> runners_up(double factor) const;

  void set_weights(const at::Tensor& w);
  at::Tensor run(const Inputs& inputs) const;
  // Runs the plan. The caller provides the memory of the output and of the workspace.
  void run_into(const Inputs& inputs, const at::Tensor& output, const at::Tensor& workspace) const;
  std::uint64_t workspace_size() const;

 private:
  struct Destroy {
    void operator()(atc_conv_plan* plan) const { atc_conv_plan_destroy(plan); }
  };
  atc_conv_problem problem_;
  Target target_;
  bool constant_weights_;
  std::unique_ptr<atc_conv_plan, Destroy> plan_;
};
