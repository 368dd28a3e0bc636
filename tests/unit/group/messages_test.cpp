// Tests the decoding of the messages that the ranks of a group exchange. The bytes of a message may
// come from another program, so they may be invalid.
#include "group/messages.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace atc::group {
namespace {

template <typename Decode>
void expect_checked(const std::string& bytes, const Decode& decode) {
  EXPECT_NO_THROW(decode(bytes));
  EXPECT_THROW(decode(bytes + "x"), Error);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(decode(bytes.substr(0, size)), Error) << size;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    // If this byte is a part of a count or of a length, the number becomes very large.
    changed[at] = '\xff';
    try {
      decode(changed);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::bad_record);
    }
  }
}

TEST(Messages, AreReadAsTheyWereWrittenAndNeverBeyondTheirEnd) {
  const Hello hello{"nonce", 3, "environment", "pins", "device", "list"};
  EXPECT_EQ(encode(decode_hello(encode(hello))), encode(hello));
  expect_checked(encode(hello), decode_hello);
  const std::vector<std::string> texts{"", "one", std::string(1, '\0')};
  EXPECT_EQ(decode_texts(encode(texts)), texts);
  expect_checked(encode(texts), decode_texts);
  const Line line{Line::Kind::failed, 1, 2, 3, {{4, "reason"}, {5, ""}}};
  EXPECT_EQ(encode(decode_line(encode(line))), encode(line));
  expect_checked(encode(line), decode_line);
  const Vote vote{"digest", {{7, "reason"}}};
  EXPECT_EQ(encode(decode_vote(encode(vote))), encode(vote));
  expect_checked(encode(vote), decode_vote);
  const Verdict verdict{true, 1, "reason", "roll", {"a", "b"}};
  EXPECT_EQ(encode(decode_verdict(encode(verdict))), encode(verdict));
  expect_checked(encode(verdict), decode_verdict);
}

}  // namespace
}  // namespace atc::group
