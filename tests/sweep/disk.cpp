#include "disk.hpp"

#include <fstream>

namespace atc_sweep {

const char* name_of(Loss loss) {
  switch (loss) {
    case Loss::nothing:
      return "nothing";
    case Loss::all:
      return "all that is not synced";
    case Loss::bytes:
      return "bytes that are not synced";
    case Loss::half_the_bytes:
      return "half of the bytes that are not synced";
    case Loss::names:
      return "names that are not synced";
  }
  return "?";
}

void Disk::apply(const Effect& effect) {
  Names& names = nodes_[effect.folder].names;
  switch (effect.what) {
    case Effect::What::made_folder:
    case Effect::What::made_file:
      names[effect.name] = effect.file;
      nodes_[effect.file].folder = effect.what == Effect::What::made_folder;
      break;
    case Effect::What::wrote:
      nodes_[effect.file].bytes += effect.data;
      break;
    case Effect::What::synced: {
      Node& node = nodes_[effect.file];
      node.synced_bytes = node.bytes;
      node.synced_names = node.names;
      break;
    }
    case Effect::What::linked:
      names[effect.to] = names.at(effect.name);
      break;
    case Effect::What::renamed:
      names[effect.to] = names.at(effect.name);
      names.erase(effect.name);
      break;
    case Effect::What::removed:
      names.erase(effect.name);
      break;
  }
}

std::vector<std::string> Disk::write_out(const std::filesystem::path& into, Loss loss) const {
  std::vector<std::string> damaged;
  write_out(nodes_.at(0), into, loss, damaged);
  return damaged;
}

void Disk::write_out(const Node& node, const std::filesystem::path& at, Loss loss,
                     std::vector<std::string>& damaged) const {
  if (node.folder) {
    std::filesystem::create_directory(at);
    const bool keeps_names = loss != Loss::all && loss != Loss::names;
    for (const auto& [name, number] : keeps_names ? node.names : node.synced_names)
      write_out(nodes_.at(number), at / name, loss, damaged);
    return;
  }
  std::string bytes = node.synced_bytes;
  if (loss == Loss::nothing || loss == Loss::names) bytes = node.bytes;
  if (loss == Loss::half_the_bytes)
    bytes = node.bytes.substr(0, (node.synced_bytes.size() + node.bytes.size()) / 2);
  std::ofstream(at, std::ios::binary) << bytes;
  if (bytes != node.bytes) damaged.push_back(at.string());
}

}  // namespace atc_sweep
