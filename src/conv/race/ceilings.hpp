// The ceilings of a device: the highest rates at which it moves bytes and computes. They are
// measured once and stored. The roofline model (work.hpp) uses them.
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
  // The bytes that a copy moves per second. A byte that is read and a byte that is written both
  // count.
  std::optional<double> bytes_per_second;
  // The arithmetic operations per second of a product of matrices. The key is a number format, such
  // as "tf32" (products_of()).
  std::map<std::string, double> flops_per_second;
};

// Returns the kind of products that a problem computes: "f32", "tf32", "f16" or "bf16". If each sum
// has few products, as in a depthwise convolution, units for matrix products cannot be used. Then
// the kind is "f32" for every format.
std::string products_of(const Problem& problem, const Request& request);
// Returns the kind of products of a problem. `tf32` says whether f32 operands may be rounded to
// TF32.
std::string products_of(const Problem& problem, bool tf32);

// Returns the ceilings that are known for an environment (device and library versions of a key):
// those that this process has measured, and those in the store. The store keeps them in the file
// <store>/ceilings-<16 hex: environment>.json. If the file cannot be read, it is ignored and one
// warning is logged.
Ceilings known_ceilings(const store::Json& environment, const Knowledge& knowledge);

// roof_of() returns those of the ceilings that hold for one kind of products. known_roof() returns
// the known ceilings for the problem on the request's device.
Roof roof_of(const Ceilings& ceilings, const std::string& products);
Roof known_roof(const Problem& problem, const Request& request);

// Adds ceilings to those of this process. If the store is open for writing, the ceilings are also
// written to the store's file. If the file cannot be written, a warning is logged.
void keep_ceilings(const store::Json& environment, const Knowledge& knowledge,
                   const Ceilings& measured);

}  // namespace atc::conv
