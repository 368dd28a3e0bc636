// The stand-in for libcudnn.so.9: backend descriptors, which must be used in the right order, and
// the engines of the script.
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

// The status that the call must return instead of doing its work, or 0. A call's name contains the
// descriptor's kind: "cudnnBackendFinalize plan".
Status entered(const std::string& name);
Status entered(const char* function, Kind kind);

// The node of a descriptor; null, and a misuse is noted, if it was not created or is destroyed.
Node* node_of(RawDescriptor descriptor);

}  // namespace atc::fault
