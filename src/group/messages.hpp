// The values of the keys. Each rank reads values that other programs may have written, so every
// `decode` checks what it reads and throws Error(bad_record).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atc::group {

// The first value of a rank: who it is, and hashes of what it brings.
struct Hello {
  std::string nonce;  // a random text that identifies this attempt of this process
  std::uint64_t size = 0;
  std::string environment, pins, device, list;  // hashes
};
std::string encode(const Hello& hello);
Hello decode_hello(std::string_view bytes);

// Texts, one after the other: the hellos of all ranks, a list of problems, the orders of decisions.
std::string encode(const std::vector<std::string>& texts);
std::vector<std::string> decode_texts(std::string_view bytes);

// A line of the log, which all ranks read in the same order.
struct Line {
  enum class Kind : std::uint64_t { beat, decided, failed, left };  // left: to the default
  Kind kind = Kind::beat;
  std::uint64_t rank = 0, number = 0;  // the rank that wrote the line, and the number of the line
                                       // among those of this rank
  std::uint64_t team = 0;              // whose problems they are
  std::vector<std::pair<std::uint64_t, std::string>> problems;  // decisions, or reasons
};
std::string encode(const Line& line);
Line decode_line(std::string_view bytes);

// The lines of the log that a rank has read, and the problems whose decisions it cannot use, with
// the reasons.
struct Vote {
  std::string digest;
  std::vector<std::pair<std::uint64_t, std::string>> refused;
};
std::string encode(const Vote& vote);
Vote decode_vote(std::string_view bytes);

struct Verdict {
  bool commits = false;
  // Of a refusal.
  std::uint64_t rank = 0;
  std::string reason;
  // The parts of a commit: the hash of the roll, and a vote for each team, which joins the votes of
  // its ranks.
  std::string roll;
  std::vector<std::string> teams;
};
std::string encode(const Verdict& verdict);
Verdict decode_verdict(std::string_view bytes);

}  // namespace atc::group
