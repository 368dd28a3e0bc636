// The outcome of a call of LibTorch: tensors or an exception.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <exception>
#include <functional>
#include <string>
#include <typeinfo>
#include <vector>

namespace atc_torch_test {

struct Outcome {
  std::vector<at::Tensor> tensors;
  std::string exception;  // the type of the exception; "": no exception was thrown
  std::string text;
};

// Returns the text of an exception without the list of registered kernels at its end. This list
// differs with and without the bridge, because the bridge registers kernels.
inline std::string without_registrations(const std::string& text) {
  return text.substr(0, text.find("CPU: registered at"));
}

inline Outcome outcome_of(const std::function<std::vector<at::Tensor>()>& call) {
  Outcome outcome;
  try {
    outcome.tensors = call();
  } catch (const c10::Error& error) {
    outcome.exception = typeid(error).name();
    outcome.text = without_registrations(error.what_without_backtrace());
  } catch (const std::exception& error) {
    outcome.exception = typeid(error).name();
    outcome.text = error.what();
  }
  return outcome;
}

}  // namespace atc_torch_test
