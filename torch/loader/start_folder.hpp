// The folder in which the process was when the bridge was loaded.
#pragma once

namespace atc_torch {

// A static text; "" where the system did not tell.
const char* start_folder() noexcept;

}  // namespace atc_torch
