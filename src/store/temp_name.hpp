// Names of files that are being written. A name identifies the process that writes the file. So a
// file that a killed process left can be distinguished from a file that a living process is about
// to rename.
#pragma once

#include <string>
#include <string_view>

namespace atc::store {

// A new name, unique in this process and among all processes that share the directory.
std::string make_temp_name();

enum class TempState {
  not_temp,   // some other name
  elsewhere,  // of another host or container: nothing is known of its writer
  writing,    // its writer lives
  abandoned,  // its writer, of this host, is dead
};
TempState temp_state(std::string_view name);

}  // namespace atc::store
