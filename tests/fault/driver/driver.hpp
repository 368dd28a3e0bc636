// The stand-in for libcuda.so.1: device memory is the host's, streams do their work at once, atc's
// kernels run on the host.
#pragma once

#include "fault/machine/machine.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace atc::fault {

// CUresult
constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kInvalidHandle = 400,
              kNotFound = 500, kNotReady = 600;

inline int entered(const char* name) { return machine().entered(Part::driver, name); }

bool has_context();  // of the calling thread

// Records an allocation on a stream that is being captured: the graph makes it each time it runs.
void note_if_captured(const void* stream);

constexpr int kMultiprocessors = 4;

}  // namespace atc::fault
