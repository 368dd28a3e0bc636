#include "conv/choice.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace atc::conv {
namespace {

TEST(Choice, RoundTripsWithSeparatorsInsideTheConfiguration) {
  const Choice choice{"onednn", "3.2.0", "x=nhwc;impl=brgconv:avx512_core@2", {}};
  EXPECT_EQ(to_string(choice), "onednn@3.2.0:x=nhwc;impl=brgconv:avx512_core@2");
  EXPECT_EQ(parse_choice(to_string(choice)), choice);
}

TEST(Choice, AChainHasItsRewritesInFront) {
  const Choice choice{"cudnn", "9.19.0", "eng34_k2=5>6", {{"pad", "2", "8"}, {"nhwc", "1", ""}}};
  EXPECT_EQ(to_string(choice), "pad@2(8)>nhwc@1>cudnn@9.19.0:eng34_k2=5>6");
  EXPECT_EQ(parse_choice(to_string(choice)), choice);
  EXPECT_TRUE(names(choice, "nhwc"));
  EXPECT_TRUE(names(choice, "cudnn"));
  EXPECT_FALSE(names(choice, "8"));
}

TEST(Choice, TextsOfAnotherFormAreRefused) {
  for (const char* text :
       {"", "onednn", "onednn@3.2.0", "@3:x", "onednn:3.2.0", "nhwc>cudnn@9:x", "@1>cudnn@9:x",
        "nhwc@>cudnn@9:x", "nhwc@1()>cudnn@9:x", "nhwc@1(8>cudnn@9:x", "nhwc@1(8)x>cudnn@9:x",
        ">cudnn@9:x", "nhwc@1>@9:x"})
    EXPECT_THROW(parse_choice(text), Error) << text;
}

}  // namespace
}  // namespace atc::conv
