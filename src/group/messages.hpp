// The values that ranks write to their shared store of keys, and the encoding of these values as
// bytes. Other programs may have written the values that a rank reads, so every decode function
// checks its input and throws Error(bad_record).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atc::group {

// The first value that a rank writes: its identity, and hashes of the data that it contributes.
struct Hello {
  std::string nonce;  // a random text that identifies this attempt of this process
  std::uint64_t size = 0;
  // `pins` is the text Member::pins itself. `environment`, `device` and `list` (of the rank's
  // problems) are hashes.
  std::string environment, pins, device, list;
};
std::string encode(const Hello& hello);
Hello decode_hello(std::string_view bytes);

// Encode and decode a list of texts. Such lists are the hellos of all ranks, the problems of a
// rank, and the texts by which known decisions are compared (Work::order).
std::string encode(const std::vector<std::string>& texts);
std::vector<std::string> decode_texts(std::string_view bytes);

// One line of the log. All ranks read the lines of the log in the same order.
struct Line {
  // `beat` shows that the rank still works. `decided` contains decisions. `failed` means that this
  // rank cannot decide the problem. `left` means that no rank can decide the problem, so that the
  // default is used.
  enum class Kind : std::uint64_t { beat, decided, failed, left };
  Kind kind = Kind::beat;
  // The rank that wrote the line, and the number of the line among the lines of this rank.
  std::uint64_t rank = 0, number = 0;
  std::uint64_t team = 0;  // the team to which the problems belong
  // For each problem: its number, and its decision or the reason of the failure.
  std::vector<std::pair<std::uint64_t, std::string>> problems;
};
std::string encode(const Line& line);
Line decode_line(std::string_view bytes);

// The vote of a rank: a hash of the decisions that the rank has read in the log, and the numbers of
// the problems whose decisions it cannot use, each with the reason.
struct Vote {
  std::string digest;
  std::vector<std::pair<std::uint64_t, std::string>> refused;
};
std::string encode(const Vote& vote);
Vote decode_vote(std::string_view bytes);

struct Verdict {
  bool commits = false;
  // Set if the verdict (the result of a call) is a refusal: the rank that caused it, and the
  // reason.
  std::uint64_t rank = 0;
  std::string reason;
  // Set if the verdict (the result of a call) is a commit (the ranks agree): the hash of the roll
  // (the hellos of all ranks), and for each team one encoded Vote. This Vote has the common digest
  // of the team's ranks, and all problems that one of these ranks refused.
  std::string roll;
  std::vector<std::string> teams;
};
std::string encode(const Verdict& verdict);
Verdict decode_verdict(std::string_view bytes);

}  // namespace atc::group
