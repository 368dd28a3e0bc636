// The changes that a process makes on the disk, in their order, as far as a power loss may undo
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc_sweep {

struct Effect {
  enum class What { made_folder, made_file, wrote, synced, renamed, linked, removed };

  What what{};
  std::uint64_t folder = 0;  // where names change
  std::uint64_t file = 0;    // the number of the file or folder that was made, written or synced
  std::string name;          // in `folder`
  std::string to;            // for a rename or a link: the new name, in the same folder
  std::string data;          // wrote: the bytes, appended
};

// Effects of calls inside of libatc are appended to `effects` from now on, until it is null. `root`
// is the folder below which they happen and has the number 0.
void record(std::vector<Effect>* effects, const std::string& root);

}  // namespace atc_sweep
