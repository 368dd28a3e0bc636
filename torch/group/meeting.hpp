// The key-value store at which the ranks of a job meet. The store is described by a URL and by the
// environment variables of torchrun.
#pragma once

#include <cstdint>
#include <string>

namespace atc_torch {

struct Meeting {
  std::string url;  // for messages
  std::uint32_t rank = 0, size = 0;
  std::string file;  // the file of a FileStore; "": a TCPStore at `host` and `port`
  std::string host;
  std::uint16_t port = 0;
  bool is_served_by_rank_0 = false;  // false: torchrun is the server of the TCPStore
  // The prefix of the keys of this job and of this attempt to run it.
  std::string prefix;

  std::string address() const { return host + ":" + std::to_string(port); }
};

// Reads the URL. If the URL is env:// and `size` is 0, rank and size are read from the variables
// RANK and WORLD_SIZE. Throws Failure(ATC_ERROR_INVALID_ARGUMENT), whose text names the wrong part.
Meeting meeting_at(const std::string& url, std::uint32_t rank, std::uint32_t size);

}  // namespace atc_torch
