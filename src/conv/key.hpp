// Makes the key under which the decision about a problem is stored.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "conv/options.hpp"

namespace atc::store {
struct Key;
}

namespace atc::conv {

// Returns the key of a problem. The key has two parts:
// - The environment: the number of the key's format (schema), the device, and the versions of the
//   libraries whose change makes old times meaningless.
// - The problem: its shape, its strides, and the limits that decide which results are allowed.
//
// `from_transposed` is not part of the key: a transposed convolution uses the record of the
// convolution that computes it.
store::Key key_for(const Problem& problem, const Request& request);
// Returns the environment part (device and library versions), which all keys of a device have in
// common. Throws what require_device throws.
nlohmann::json environment_of(DeviceId device);
// Returns the environment without the versions of the default engines (cuDNN on CUDA, oneDNN on the
// CPU). The rest describes the device and the number of the key's format. It is equal for two
// environments of a device model that differ in nothing but these versions.
nlohmann::json without_versions(nlohmann::json environment, DeviceType device);
// Reads the problem from a record's key. This is the inverse of key_for, with two differences: the
// stride of an extent of 1 is 0, and extents may be larger than those of a valid problem. Throws
// Error(bad_record) or store::Json::exception if `problem` does not have the form that key_for
// writes.
Problem problem_from_key(const nlohmann::json& problem);
// Returns a text that is equal for two problems of records if they differ only in the size of the
// batch. Throws store::Json::exception if `problem` does not have the form that key_for writes.
std::string family_of(nlohmann::json problem);
store::Key key_for(DeviceId device, const Problem& problem, const PlanOptions& options);

}  // namespace atc::conv
