#include "version.hpp"

namespace atc_torch {

std::string version_objection(const std::string& running, const std::string& built_for,
                              const std::string& file) {
  if (running == built_for) return "";
  return "libatc_torch was built for LibTorch " + built_for + ", " + file + " is " +
         (running.empty() ? "of an unknown version" : running) + ": use LibTorch " + built_for +
         ", or build atc against the one that is used";
}

}  // namespace atc_torch
