// Warnings through LibTorch's own handler. Each sentence is printed once.
#pragma once

#include <string>

namespace atc_torch {

void warn_once(const std::string& text);

}  // namespace atc_torch
