// The ceilings of a device: the most bytes moved and products computed per second, measured once
// and kept. They are the roofs of the roofline model (work.hpp).
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
  std::optional<double> bytes_per_second;          // of a copy, read and written bytes together
  std::map<std::string, double> flops_per_second;  // of a product of matrices, by products_of
};

// The kind of products that a problem is made of: "f32", "tf32", "f16" or "bf16". Sums of few
// products, as with a group for each channel, cannot use units for products of matrices: they count
// as "f32" in every format.
std::string products_of(const Problem& problem, const Request& request);
// The same if `tf32` says whether f32 operands may be rounded to TF32.
std::string products_of(const Problem& problem, bool tf32);

// The ceilings that this process has measured, and those kept in the store, in the file
// <store>/ceilings-<16 hex: environment>.json for the device and library versions of a key's
// environment. A file that cannot be read counts as absent, with one warning.
Ceilings known_ceilings(const store::Json& environment, const Knowledge& knowledge);

// Those of the kind of products. Of a device on which a plan would run: of the environment and
// knowledge of its request.
Roof roof_of(const Ceilings& ceilings, const std::string& products);
Roof known_roof(const Problem& problem, const Request& request);

// Adds ceilings to those of this process and, if the store is open for writing, to the store's
// file. If the file cannot be written, a warning is logged.
void keep_ceilings(const store::Json& environment, const Knowledge& knowledge,
                   const Ceilings& measured);

}  // namespace atc::conv
