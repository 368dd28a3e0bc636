#include "models.hpp"

#include <cstddef>
#include <utility>

#include "engines/kernels/dense/backward_weight_plan.hpp"
#include "engines/kernels/dense/plan.hpp"
#include "engines/kernels/dense/pointwise_plan.hpp"
#include "engines/kernels/dense/pointwise_shape.hpp"
#include "engines/kernels/dense/pointwise_weight_plan.hpp"
#include "engines/kernels/first/plan.hpp"
#include "engines/kernels/implicit/plan.hpp"

namespace atc::fit {

namespace {

enum Index {
  kDense,
  kDenseWeight,
  kPointwise,
  kPointwiseWeight,
  kStrips,
  kRaster,
  kRasterGradient
};

template <class Costs>
struct Member {
  const char* name;
  double Costs::*member;
  bool is_free = true;
};

constexpr bool kFixed = false;

constexpr Member<dense::Costs> kDenseMembers[] = {
    {"products_per_cycle", &dense::Costs::products_per_cycle, kFixed},
    {"bytes_per_cycle", &dense::Costs::bytes_per_cycle},
    {"load", &dense::Costs::load},
    {"around", &dense::Costs::around},
    {"sum", &dense::Costs::sum},
    {"sum_bytes_per_cycle", &dense::Costs::sum_bytes_per_cycle},
    {"strip", &dense::Costs::strip}};
constexpr Member<dense::WeightCosts> kDenseWeightMembers[] = {
    {"products", &dense::WeightCosts::products},
    {"barrier", &dense::WeightCosts::barrier},
    {"block", &dense::WeightCosts::block},
    {"bytes_per_cycle", &dense::WeightCosts::bytes_per_cycle},
    {"sum_bytes_per_cycle", &dense::WeightCosts::sum_bytes_per_cycle},
    {"copy", &dense::WeightCosts::copy},
    {"shallow", &dense::WeightCosts::shallow}};
constexpr Member<dense::PointwiseCosts> kPointwiseMembers[] = {
    {"products_per_cycle", &dense::PointwiseCosts::products_per_cycle, kFixed},
    {"bytes_per_cycle", &dense::PointwiseCosts::bytes_per_cycle},
    {"chunk", &dense::PointwiseCosts::chunk},
    {"store", &dense::PointwiseCosts::store},
    {"around", &dense::PointwiseCosts::around}};
constexpr Member<dense::PointwiseWeightCosts> kPointwiseWeightMembers[] = {
    {"products_per_cycle", &dense::PointwiseWeightCosts::products_per_cycle, kFixed},
    {"bytes_per_cycle", &dense::PointwiseWeightCosts::bytes_per_cycle},
    {"chunk", &dense::PointwiseWeightCosts::chunk},
    {"copy", &dense::PointwiseWeightCosts::copy},
    {"block", &dense::PointwiseWeightCosts::block},
    {"sum_bytes_per_cycle", &dense::PointwiseWeightCosts::sum_bytes_per_cycle}};
constexpr Member<first::StripCosts> kStripMembers[] = {
    {"block", &first::StripCosts::block},     {"row", &first::StripCosts::row},
    {"product", &first::StripCosts::product}, {"load", &first::StripCosts::load},
    {"copy", &first::StripCosts::copy},       {"turn", &first::StripCosts::turn},
    {"store", &first::StripCosts::store},     {"shared", &first::StripCosts::shared}};
constexpr Member<implicit::RasterCosts> kRasterMembers[] = {
    {"products_per_cycle", &implicit::RasterCosts::products_per_cycle, kFixed},
    {"bytes_per_cycle", &implicit::RasterCosts::bytes_per_cycle},
    {"input_bytes_per_cycle", &implicit::RasterCosts::input_bytes_per_cycle},
    {"around", &implicit::RasterCosts::around},
    {"beside", &implicit::RasterCosts::beside}};
constexpr Member<implicit::RasterGradientCosts> kRasterGradientMembers[] = {
    {"products_per_cycle", &implicit::RasterGradientCosts::products_per_cycle, kFixed},
    {"bytes_per_cycle", &implicit::RasterGradientCosts::bytes_per_cycle},
    {"around", &implicit::RasterGradientCosts::around},
    {"block", &implicit::RasterGradientCosts::block},
    {"parts_per_cycle", &implicit::RasterGradientCosts::parts_per_cycle}};

template <class Costs, std::size_t kMembers>
Model model_of(const char* name, const Member<Costs> (&members)[kMembers]) {
  Model model;
  model.name = name;
  for (const Member<Costs>& one : members)
    model.constants.push_back({one.name, Costs().*one.member, one.is_free});
  return model;
}

template <class Costs, std::size_t kMembers>
Costs costs_of(const Member<Costs> (&members)[kMembers], const std::vector<double>& values) {
  Costs costs;
  for (std::size_t i = 0; i < kMembers; ++i) costs.*members[i].member = values.at(i);
  return costs;
}

}  // namespace

std::vector<Model> models() {
  return {model_of("dense, forward and backward-data", kDenseMembers),
          model_of("dense, backward-weight", kDenseWeightMembers),
          model_of("dense, pointwise, forward and backward-data", kPointwiseMembers),
          model_of("dense, pointwise, backward-weight", kPointwiseWeightMembers),
          model_of("first, backward-data in strips", kStripMembers),
          model_of("implicit, products of warpgroups, forward and backward-data", kRasterMembers),
          model_of("implicit, products of warpgroups, backward-weight", kRasterGradientMembers)};
}

bool add_sample(std::vector<Model>& models, const std::string& engine,
                const std::string& configuration, const Problem& problem, const Limits& limits,
                const kernels::Capacity& device, const std::string& cell, double ms) {
  const int multiprocessors = device.multiprocessors;
  const bool gradient = problem.direction == Direction::backward_weight;
  const auto add = [&](Index index, auto cost) {
    models[index].samples.push_back({cell, ms, std::move(cost)});
    return true;
  };
  using Values = std::vector<double>;
  if (engine == "dense" && dense::is_pointwise(problem) && gradient) {
    const auto c = dense::parse_pointwise_weight_configuration(configuration);
    if (dense::pointwise_weight_launch_plan(problem, limits, c).launches.empty()) return false;
    return add(kPointwiseWeight, [=](const Values& values) {
      return dense::pointwise_weight_cost(problem, c, multiprocessors,
                                          costs_of(kPointwiseWeightMembers, values));
    });
  }
  if (engine == "dense" && dense::is_pointwise(problem)) {
    const auto c = dense::parse_pointwise_configuration(configuration);
    if (dense::pointwise_launch_plan(problem, limits, c, multiprocessors).launches.empty())
      return false;
    return add(kPointwise, [=](const Values& values) {
      return dense::pointwise_cost(problem, c, multiprocessors,
                                   costs_of(kPointwiseMembers, values));
    });
  }
  if (engine == "dense" && gradient) {
    const auto c = dense::parse_weight_configuration(configuration);
    if (dense::weight_launch_plan(problem, limits, c).launches.empty()) return false;
    return add(kDenseWeight, [=](const Values& values) {
      return dense::weight_cost(problem, limits, c, multiprocessors,
                                costs_of(kDenseWeightMembers, values));
    });
  }
  if (engine == "dense") {
    const auto c = dense::parse_configuration(configuration);
    const dense::Plan plan = dense::find_plan(problem, limits, c, multiprocessors);
    return !plan.kernel.empty() && add(kDense, [=](const Values& values) {
      return dense::cost(plan, c, multiprocessors, costs_of(kDenseMembers, values));
    });
  }
  if (engine == "first") {
    const auto c = first::parse_configuration(configuration);
    if (!c.strips) return false;
    const first::Plan plan = first::find_plan(problem, limits, c, device);
    return !plan.kernel.empty() && add(kStrips, [=](const Values& values) {
      return first::strips_cost(plan, device, costs_of(kStripMembers, values));
    });
  }
  if (engine == "implicit") {
    const auto c = implicit::parse_configuration(configuration);
    if (c.parts == 0) return false;
    const implicit::Plan plan = implicit::find_plan(problem, limits, c);
    if (plan.kernel.empty()) return false;
    if (!gradient)
      return add(kRaster, [=](const Values& values) {
        return implicit::raster_cost(plan, c, multiprocessors, costs_of(kRasterMembers, values));
      });
    return add(kRasterGradient, [=](const Values& values) {
      return implicit::raster_gradient_cost(plan, c, multiprocessors,
                                            costs_of(kRasterGradientMembers, values));
    });
  }
  return false;
}

}  // namespace atc::fit
