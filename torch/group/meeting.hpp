// The place where the ranks of a job meet, read from a URL and from torchrun's variables.
#pragma once

#include <cstdint>
#include <string>

namespace atc_torch {

struct Meeting {
  std::string url;  // for texts
  std::uint32_t rank = 0, size = 0;
  std::string file;  // of a FileStore; "": a TCPStore at host and port
  std::string host;
  std::uint16_t port = 0;
  bool is_served_by_rank_0 = false;  // false: torchrun serves the TCPStore
  std::string prefix;                // of this job and this attempt to run it

  std::string address() const { return host + ":" + std::to_string(port); }
};

// Throws Failure(ATC_ERROR_INVALID_ARGUMENT), whose text names the wrong part. If the URL is env://
// and `size` is 0, rank and size are those of the variables RANK and WORLD_SIZE.
Meeting meeting_at(const std::string& url, std::uint32_t rank, std::uint32_t size);

}  // namespace atc_torch
