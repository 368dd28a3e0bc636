// The process's current folder at the time when the bridge was loaded.
#pragma once

namespace atc_torch {

// The text is never freed. It is "" if the system did not tell the folder.
const char* start_folder() noexcept;

}  // namespace atc_torch
