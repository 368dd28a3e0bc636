// Tests that texts from files are shortened in messages, and that control characters are removed
// from them.
#include "core/printable.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"

namespace atc {
namespace {

using namespace std::string_literals;

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("\x1b[31m\n\t"), "\\x1b[31m\\x0a\\x09");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
}

TEST(Printable, ShowsTheBeginningOfALongText) {
  EXPECT_EQ(shown("abc", 3), "abc");
  EXPECT_EQ(shown("abcd", 3), "abc… (4 bytes)");
  EXPECT_EQ(shown("ab\xc3\xbc", 3), "ab… (4 bytes)");
  EXPECT_LT(shown(std::string(1 << 20, '\x1b')).size(), 400u);
}

// A NUL in an error text would end the text for callers in C.
TEST(Error, HasNoControlCharacters) {
  try {
    fail(Status::bad_record, "the name {} is wrong: choose another", "a\0\x1b]0;b"s);
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the name a\\x00\\x1b]0;b is wrong: choose another");
  }
}

}  // namespace
}  // namespace atc
