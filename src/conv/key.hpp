// What a decision is remembered under.
#pragma once

#include "conv/options.hpp"
#include "store/store.hpp"

namespace atc::conv {

// Throws Error(library) for a device that no decision can be made for.
void require_device(DeviceId device);

// Environment: schema, device, versions of the libraries whose change makes old times meaningless.
// Problem: the problem with its strides, and what was allowed. `from_transposed` is left out: a
// transposed convolution shares its record with the direction it is the adjoint of.
store::Key key_for(const Problem& problem, const Request& request);
// What a record's problem has in common with those that differ from it in the batch alone. Throws
// store::Json::exception when the problem is not of this form.
std::string family_of(store::Json problem);
store::Key key_for(DeviceId device, const Problem& problem, const PlanOptions& options);

}  // namespace atc::conv
