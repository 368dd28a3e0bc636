// Records the changes that libatc makes on the disk (effects), in their order. Changes that no
// power loss can undo are not recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc_sweep {

struct Effect {
  enum class What { made_folder, made_file, wrote, synced, renamed, linked, removed };

  What what{};
  std::uint64_t folder = 0;  // the number of the folder in which the effect changes a name
  std::uint64_t file = 0;  // the number of the file or folder that the effect made, wrote or synced
  std::string name;  // the name that the effect changes, in the folder with the number `folder`
  std::string to;    // the new name of the file after a rename or a link, in the same folder
  std::string data;  // the bytes that a write has appended to the file
};

// From now on, the effects of system calls of libatc below the folder `root` are appended to
// `effects`. In the effects, `root` is the folder with the number 0. If `effects` is null,
// recording ends.
void record(std::vector<Effect>* effects, const std::string& root);

}  // namespace atc_sweep
