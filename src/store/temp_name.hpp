// Names of temporary files. A name identifies the process that writes the file. So the file of a
// process that was killed can be distinguished from a file that a living process will soon rename.
#pragma once

#include <string>
#include <string_view>

namespace atc::store {

// Returns a new name. It is unique among all processes that share the directory.
std::string make_temp_name();

enum class TempState {
  not_temp,  // the name is not that of a temporary file
  // The file was made on another host or in another container. It is not known whether its writer
  // is alive.
  elsewhere,
  writing,    // the process that writes the file is alive
  abandoned,  // the process that wrote the file was on this host and is dead
};
TempState temp_state(std::string_view name);

}  // namespace atc::store
