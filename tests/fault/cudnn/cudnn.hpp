// A library that replaces libcudnn.so.9 in tests (a stand-in). It has backend descriptors, and
// reports a misuse if they are used in the wrong order. Its engines are those of the test's script.
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

// Counts a call of a function of cuDNN, and returns the status with which the call must fail, or 0.
// If the status is not 0, the function must return it instead of doing its work. The name of a call
// contains the kind of its descriptor, as in "cudnnBackendFinalize plan".
Status entered(const std::string& name);
Status entered(const char* function, Kind kind);

// Returns the contents (Node) of the descriptor. If the descriptor was never created or is
// destroyed, notes a misuse and returns null.
Node* node_of(RawDescriptor descriptor);

}  // namespace atc::fault
