// The ceilings of a device: its highest rates, in bytes moved and products computed per second.
// They are measured once and kept. The roofline model (work.hpp) uses them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "conv/memory.hpp"
#include "conv/options.hpp"
#include "conv/race/work.hpp"
#include "core/problem.hpp"
#include "store/store.hpp"

namespace atc::conv {

struct Ceilings {
  // The speed of a copy; bytes that are read and bytes that are written both count.
  std::optional<double> bytes_per_second;
  // The speed of a product of matrices, for each kind of products that products_of names.
  std::map<std::string, double> flops_per_second;
};

// The kind of products that a problem consists of: "f32", "tf32", "f16" or "bf16". If a sum has few
// products, as with a group for each channel, units for matrix products cannot be used. Such
// problems count as "f32" in every format.
std::string products_of(const Problem& problem, const Request& request);
// The kind of products of a problem, if `tf32` says whether f32 operands may be rounded to TF32.
std::string products_of(const Problem& problem, bool tf32);

// The ceilings that this process has measured, and those in the store. The store keeps them in the
// file <store>/ceilings-<16 hex: environment>.json, for the device and library versions of a key's
// environment. If the file cannot be read, it is ignored, with one warning.
Ceilings known_ceilings(const store::Json& environment, const Knowledge& knowledge);

// The ceilings for the kind of products of a problem, on the device on which a plan would run: that
// of the request's environment and knowledge.
Roof roof_of(const Ceilings& ceilings, const std::string& products);
Roof known_roof(const Problem& problem, const Request& request);

// Adds ceilings to those of this process. If the store is open for writing, they are also added to
// the store's file. If the file cannot be written, a warning is logged.
void keep_ceilings(const store::Json& environment, const Knowledge& knowledge,
                   const Ceilings& measured);

}  // namespace atc::conv
