#include "conv/choice.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace atc::conv {
namespace {

TEST(Choice, RoundTripsWithSeparatorsInsideTheConfiguration) {
  const Choice choice{"onednn", "3.2.0", "x=nhwc;impl=brgconv:avx512_core@2"};
  EXPECT_EQ(to_string(choice), "onednn@3.2.0:x=nhwc;impl=brgconv:avx512_core@2");
  EXPECT_EQ(parse_choice(to_string(choice)), choice);
}

TEST(Choice, TextsOfAnotherFormAreRefused) {
  for (const char* text : {"", "onednn", "onednn@3.2.0", "@3:x", "onednn:3.2.0"})
    EXPECT_THROW(parse_choice(text), Error) << text;
}

}  // namespace
}  // namespace atc::conv
