// Turns exceptions of oneDNN into exceptions of atc.
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

// Calls `f` and returns its result. If oneDNN throws, throws Error. `during` names the operation in
// the text of the error.
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
