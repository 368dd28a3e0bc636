// The contenders. Each call of any side returns a new tensor from LibTorch's allocator, as in a
// program on LibTorch.
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
  std::size_t every = 1;          // takes part in every n-th round; this is n
  std::vector<double> cold, hot;  // seconds per call
};

// Returns a function that runs LibTorch's own convolution under the present switches.
std::function<at::Tensor(const Inputs&)> torch_convolution(const atc_conv_problem& problem);

// Returns a function that calls atc_convolution. atc_convolution keeps the plans itself, and has no
// option for constant weights.
std::function<at::Tensor(const Inputs&)> eager_convolution(const atc_conv_problem& problem,
                                                           const Target& target);

// Returns the first choice of atc's default engine, which runs without a decision and without a
// front end.
std::string default_choice(const atc_conv_problem& problem, const Target& target);

class Plan {
 public:
  // Makes a plan. If `choice` is empty, the store, the memory or a race of at most `budget` seconds
  // (0: no race) decides; otherwise the plan has that choice. LibTorch's own convolution takes part
  // in the race.
  Plan(const atc_conv_problem& problem, const Target& target, bool constant_weights, double budget,
       const std::string& choice = "");

  std::string choice() const;
  std::int32_t source() const;
  // Whether LibTorch's own convolution won the race. If it won, the benchmark calls LibTorch
  // directly and not run(), as the bridge does.
  bool is_torchs_own() const;
  // Returns the choices that took at most `factor` times the fastest candidate's time in the race,
  // the fastest first. The plan's own choice and LibTorch's own convolution are left out.
  std::vector<std::string> runners_up(double factor) const;

  void set_weights(const at::Tensor& w);
  at::Tensor run(const Inputs& inputs) const;
  // Runs the plan into an existing tensor, with an existing workspace.
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
