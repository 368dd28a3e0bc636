// Names of files that are being written. They carry who writes them, so that what a killed process
// left can be told from what a living one is about to rename.
#pragma once

#include <string>
#include <string_view>

namespace atc::store {

// Unique in this process and, by process and host, among all that share the directory.
std::string make_temp_name();

enum class TempState {
  not_temp,   // some other name
  elsewhere,  // of another host or container: nothing is known of its writer
  writing,    // its writer lives
  abandoned,  // its writer, of this host, is dead
};
TempState temp_state(std::string_view name);

}  // namespace atc::store
