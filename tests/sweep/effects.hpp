// Records the changes that a process makes on the disk, in their order. Changes that no power loss
// can undo are not recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc_sweep {

struct Effect {
  enum class What { made_folder, made_file, wrote, synced, renamed, linked, removed };

  What what{};
  std::uint64_t folder = 0;  // the number of the folder in which a name changes
  std::uint64_t file = 0;    // the number of the file or folder that was made, written or synced
  std::string name;          // the name of the file in `folder`
  std::string to;            // the new name after a rename or a link, in the same folder
  std::string data;          // the bytes that were appended
};

// From now on the effects of calls inside of libatc are appended to `effects`. If `effects` is
// null, recording ends. `root` is the folder that has the number 0. Only effects below `root` are
// recorded.
void record(std::vector<Effect>* effects, const std::string& root);

}  // namespace atc_sweep
