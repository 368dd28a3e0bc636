// Names of files that are being written. A name identifies the process that writes the file. So a
// file that a killed process left can be distinguished from a file that a living process is about
// to rename.
#pragma once

#include <string>
#include <string_view>

namespace atc::store {

// Returns a new name. It is unique in this process and among all processes that share the
// directory.
std::string make_temp_name();

enum class TempState {
  not_temp,   // some other name
  elsewhere,  // the file was made on another host or in another container, so its writer may be
              // alive or dead
  writing,    // its writer lives
  abandoned,  // the file's writer was on this host and is dead
};
TempState temp_state(std::string_view name);

}  // namespace atc::store
