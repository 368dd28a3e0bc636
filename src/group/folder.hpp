// The shared store of keys, in a folder that all ranks can access. Each key is a file.
#pragma once

#include <string>

#include "group/transport.hpp"

namespace atc::group {

class FolderTransport : public Transport {
 public:
  // Uses the folder `path`, and makes the folder if it does not exist. Throws Error(io) if the
  // folder cannot be made.
  explicit FolderTransport(std::string path);

  std::string create(const std::string& key, const std::string& value) override;
  std::optional<std::string> get(const std::string& key, double seconds) override;
  double now() override;

 private:
  // Reads the file with this name once, without waiting. Returns nothing if the file does not
  // exist. Throws Error(io) if the file exists and cannot be read.
  std::optional<std::string> read(const std::string& name) const;

  const std::string path_;
};

}  // namespace atc::group
