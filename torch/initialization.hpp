// The bridge's one-time set-up.
#pragma once

namespace atc_torch {

void initialize();  // once; throws Failure
bool is_initialized();

}  // namespace atc_torch
