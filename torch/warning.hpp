// Prints warnings through LibTorch's own handler. Each text is printed at most once.
#pragma once

#include <string>

namespace atc_torch {

void warn_once(const std::string& text);

}  // namespace atc_torch
