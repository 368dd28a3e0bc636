// The stand-in for libcudnn.so.9: the backend's descriptors, strict about their order, over the
// engines of the script.
#pragma once

#include <string>

#include "fault/cudnn/node.hpp"
#include "fault/machine/machine.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace atc::fault {

using cudnn::RawDescriptor;
using cudnn::Status;

constexpr Status kBadParameter = 2000, kNotSupported = 3000;

// Sets what cudnnGetLastErrorString tells, and returns the status.
Status refuse(Status status, const std::string& why);

// What the call has to report instead of doing its work, or 0. The descriptor's kind is part of a
// call's name: "cudnnBackendFinalize plan".
Status entered(const std::string& name);
Status entered(const char* function, Kind kind);

// What a descriptor refers to; null, and a misuse, for what was not created or is destroyed.
Node* node_of(RawDescriptor descriptor);

}  // namespace atc::fault
