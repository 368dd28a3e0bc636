// The key that a decision is remembered under.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "conv/options.hpp"

namespace atc::store {
struct Key;
}

namespace atc::conv {

// Environment: schema, device, versions of the libraries whose change makes old times meaningless.
// Problem: the problem with its strides, and the limits that decide which results are allowed.
// Without `from_transposed`: a transposed convolution has the record of its ordinary form.
store::Key key_for(const Problem& problem, const Request& request);
// A text that is equal for problems of records that differ only in the batch. Throws
// store::Json::exception if `problem` does not have a record's form.
std::string family_of(nlohmann::json problem);
store::Key key_for(DeviceId device, const Problem& problem, const PlanOptions& options);

}  // namespace atc::conv
