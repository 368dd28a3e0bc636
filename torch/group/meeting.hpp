// Describes the key-value store through which the ranks of a job exchange values. The description
// is read from a URL and from the environment variables that torchrun sets.
#pragma once

#include <cstdint>
#include <string>

namespace atc_torch {

struct Meeting {
  std::string url;  // for messages
  std::uint32_t rank = 0, size = 0;
  // the file of LibTorch's FileStore; "": the ranks use a TCPStore at `host` and `port`
  std::string file;
  std::string host;
  std::uint16_t port = 0;
  // whether rank 0 is the server of the TCPStore; false: torchrun is the server
  bool is_served_by_rank_0 = false;
  // All keys of this job begin with this prefix. Each attempt to run the job has another prefix.
  std::string prefix;

  std::string address() const { return host + ":" + std::to_string(port); }
};

// Reads the URL. If the URL is env:// and `size` is 0, rank and size are read from the variables
// RANK and WORLD_SIZE. Throws Failure(ATC_ERROR_INVALID_ARGUMENT), whose text names the wrong part.
Meeting meeting_at(const std::string& url, std::uint32_t rank, std::uint32_t size);

}  // namespace atc_torch
