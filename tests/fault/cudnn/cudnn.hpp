// The stand-in for libcudnn.so.9: the backend descriptors, which must be used in the right order,
// and the engines of the test's script.
#pragma once

#include <string>

#include "fault/cudnn/node.hpp"
#include "fault/machine/machine.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace atc::fault {

using cudnn::RawDescriptor;
using cudnn::Status;

constexpr Status kBadParameter = 2000, kNotSupported = 3000;

// Sets the text of cudnnGetLastErrorString, and returns the status.
Status refuse(Status status, const std::string& why);

// Counts a call of a function of cuDNN, and returns the status that the script gives to this call.
// If the status is not 0, the function must return the status instead of doing its work. The name
// of a call contains the kind of its descriptor, as in "cudnnBackendFinalize plan".
Status entered(const std::string& name);
Status entered(const char* function, Kind kind);

// Returns the node of the descriptor. If the descriptor was never created or is destroyed, notes a
// misuse and returns null.
Node* node_of(RawDescriptor descriptor);

}  // namespace atc::fault
