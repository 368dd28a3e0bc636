// A library that replaces libcuda.so.1 in tests (a stand-in). Its device memory is memory of the
// host. A stream does its work at once. atc's kernels are compiled for the host and run there.
#pragma once

#include "fault/machine/machine.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace atc::fault {

// Values of CUresult.
constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kInvalidHandle = 400,
              kNotFound = 500, kNotReady = 600;

inline int entered(const char* name) { return machine().entered(Part::driver, name); }

bool has_context();  // whether the calling thread has a current CUDA context

// If the stream is being captured, counts an allocation in the graph of the capture. In CUDA a
// graph with such an allocation would allocate memory at each launch.
void note_if_captured(const void* stream);

constexpr int kMultiprocessors = 4;

}  // namespace atc::fault
