// A model of a disk. The model applies a sequence of recorded effects (writes, renames and other
// changes), and writes the files that may exist after a power loss into a folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "effects.hpp"

namespace atc_sweep {

// The kinds of power loss. Each kind takes away another part of the changes that were not synced.
// POSIX does not promise that any of these changes survives, and file systems differ.
enum class Loss {
  nothing,  // all changes survive, as if the process was only killed
  all,      // neither the names nor the bytes of unsynced files survive
  bytes,    // the names of unsynced files survive and their bytes do not, so the files are empty
  half_the_bytes,  // the names of unsynced files survive, and the first half of their bytes
  names,           // the bytes of unsynced files survive and their names do not
};
inline constexpr Loss kLosses[] = {Loss::nothing, Loss::all, Loss::bytes, Loss::half_the_bytes,
                                   Loss::names};
const char* name_of(Loss loss);

class Disk {
 public:
  void apply(const Effect& effect);
  // Writes the files that survive the power loss into the empty folder `into`. Returns the names of
  // those files that have lost bytes.
  std::vector<std::string> write_out(const std::filesystem::path& into, Loss loss) const;

 private:
  using Names = std::map<std::string, std::uint64_t>;
  struct Node {
    bool folder = false;
    std::string bytes, synced_bytes;
    Names names, synced_names;
  };
  void write_out(const Node& node, const std::filesystem::path& at, Loss loss,
                 std::vector<std::string>& damaged) const;

  std::map<std::uint64_t, Node> nodes_ = {{0, {true, {}, {}, {}, {}}}};
};

}  // namespace atc_sweep
