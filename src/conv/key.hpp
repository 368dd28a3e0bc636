// Makes the key under which a decision is remembered.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "conv/options.hpp"

namespace atc::store {
struct Key;
}

namespace atc::conv {

// The key has two parts. The environment has the schema, the device, and the versions of the
// libraries whose change makes old times meaningless. The problem has the problem with its strides,
// and the limits that decide which results are allowed. `from_transposed` is not part of the key: a
// transposed convolution uses the record of its ordinary form.
store::Key key_for(const Problem& problem, const Request& request);
// The environment of the keys of a device. Throws like require_device.
nlohmann::json environment_of(DeviceId device);
// Reads the problem from a record's key: the inverse of key_for. But the stride of an extent of 1
// is 0, and extents may be larger than those of any problem. Throws Error(bad_record) or
// store::Json::exception if `problem` does not have a record's form.
Problem problem_from_key(const nlohmann::json& problem);
// A text that is equal for two problems of records if they differ only in the batch. Throws
// store::Json::exception if `problem` does not have a record's form.
std::string family_of(nlohmann::json problem);
store::Key key_for(DeviceId device, const Problem& problem, const PlanOptions& options);

}  // namespace atc::conv
