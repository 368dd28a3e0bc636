// The struct behind the handle atc_conv_plan.
#pragma once

#include <memory>
#include <utility>

#include "conv/run/plan.hpp"
#include "conv/run/plan_cache.hpp"

struct atc_conv_plan {
  explicit atc_conv_plan(std::unique_ptr<atc::conv::Plan> plan) : lease(std::move(plan)) {}
  atc_conv_plan(const atc::conv::CallKey& key, const atc::conv::PlanLease::Make& make)
      : lease(key, make) {}

  atc::conv::PlanLease lease;

  atc::conv::Plan& plan() const { return lease.plan(); }
};
