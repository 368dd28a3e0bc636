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
// The problem of a record's key: the inverse of key_for, but strides of an extent of 1 are 0, and
// extents may be larger than any problem's. Throws Error(bad_record) or store::Json::exception if
// `problem` does not have a record's form.
Problem problem_from_key(const nlohmann::json& problem);
// A text that is equal for problems of records that differ only in the batch. Throws
// store::Json::exception if `problem` does not have a record's form.
std::string family_of(nlohmann::json problem);
store::Key key_for(DeviceId device, const Problem& problem, const PlanOptions& options);

}  // namespace atc::conv
