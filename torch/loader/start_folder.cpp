#include "start_folder.hpp"

#include <unistd.h>

#include <array>
#include <climits>

namespace atc_torch {

namespace {

class Folder {
 public:
  Folder() noexcept {
    if (getcwd(text_.data(), text_.size()) == nullptr) text_.front() = '\0';
  }
  const char* text() const noexcept { return text_.data(); }

 private:
  std::array<char, PATH_MAX> text_{};
};

const Folder folder;

}  // namespace

const char* start_folder() noexcept { return folder.text(); }

}  // namespace atc_torch
