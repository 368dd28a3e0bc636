// Turns oneDNN's exceptions into atc's.
#pragma once

#include <dnnl.hpp>

#include "core/error.hpp"

namespace atc::onednn {

inline Status status_of(const dnnl::error& error) {
  switch (error.status) {
    case dnnl_out_of_memory:
      return Status::out_of_memory;
    case dnnl_unimplemented:
      return Status::unsupported;
    default:
      return Status::internal;
  }
}

// Calls f. If oneDNN throws, throws an Error whose text contains `during`.
template <typename F>
decltype(auto) translate_errors(const char* during, F&& f) {
  try {
    return f();
  } catch (const dnnl::error& error) {
    fail(status_of(error), "oneDNN failed in {}: {} (dnnl_status {})", during, error.what(),
         static_cast<int>(error.status));
  }
}

}  // namespace atc::onednn
