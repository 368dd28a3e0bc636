// Whether a LibTorch is the one the bridge was built for.
#pragma once

#include <string>

namespace atc_torch {

// Empty where `running` (of `file`) is the version the bridge was built for; else a sentence.
std::string version_objection(const std::string& running, const std::string& built_for,
                              const std::string& file);

}  // namespace atc_torch
