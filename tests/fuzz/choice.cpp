// Fuzzes the texts of choices and of engines' configurations. If a text is accepted, writing the
// parsed choice must give the same text. Otherwise the text must be refused by an Error. If this
// machine has the engine of a choice, a plan for the choice must be built, or the choice must be
// refused by an Error.
#include <string>

#include "conv/chain.hpp"
#include "core/error.hpp"
#include "engines/cublaslt/configuration.hpp"
#include "engines/cudnn/configuration.hpp"
#include "engines/kernels/dense/configuration.hpp"
#include "engines/kernels/first/configuration.hpp"
#include "engines/kernels/grouped/configuration.hpp"
#include "engines/kernels/implicit/configuration.hpp"
#include "engines/onednn/configuration.hpp"
#include "require.hpp"
#include "support/problems.hpp"

namespace {

using namespace atc;

// If `read` accepts `text`, `write` must give the same text again. If `read` throws an Error, its
// status must be `refusal`.
template <typename Read, typename Write>
void check(const std::string& text, Status refusal, Read read, Write write) {
  try {
    const std::string again = write(read(text));
    REQUIRE_OR_TELL(again == text, again.c_str());
  } catch (const Error& error) {
    REQUIRE_OR_TELL(error.status() == refusal, error.what());
  }
}

#define CHECK_TEXT(refusal, read, write)                               \
  check(                                                               \
      text, refusal, [](const std::string& one) { return read(one); }, \
      [](const auto& one) { return write(one); })

void check_configurations(const std::string& text) {
  CHECK_TEXT(Status::unsupported, cudnn::parse_configuration, cudnn::to_string);
  CHECK_TEXT(Status::unsupported, cublaslt::parse_configuration, cublaslt::to_string);
  CHECK_TEXT(Status::unsupported, dense::parse_configuration, dense::to_string);
  CHECK_TEXT(Status::unsupported, first::parse_configuration, first::to_string);
  CHECK_TEXT(Status::unsupported, grouped::parse_configuration, grouped::to_string);
  CHECK_TEXT(Status::unsupported, implicit::parse_configuration, implicit::to_string);
  CHECK_TEXT(Status::unsupported, onednn::parse, onednn::to_text);
}

void build(const conv::Choice& choice) {
  std::string why_not;
  const auto chain = conv::find_chain(choice, DeviceType::cpu, why_not);
  if (!chain) {
    REQUIRE(!why_not.empty());
    return;
  }
  test::Spec strided, grouped;
  strided.x_memory = strided.y_memory = test::Memory::strided;
  grouped.groups = 2;
  grouped.batch = 3;
  Limits limits;
  limits.workspace = std::uint64_t{1} << 20;
  for (const test::Spec& spec : {test::Spec(), strided, grouped}) {
    try {
      const auto prepared = conv::build(*chain, choice, test::build(spec), limits);
      REQUIRE(prepared->workspace_size() <= limits.workspace);
    } catch (const Error& error) {
      REQUIRE_OR_TELL(error.status() == Status::unsupported, error.what());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CHECK_TEXT(Status::invalid_argument, conv::parse_link, conv::to_string);
  CHECK_TEXT(Status::invalid_argument, conv::parse_choice, conv::to_string);
  check_configurations(text);
  try {
    const conv::Choice choice = conv::parse_choice(text);
    check_configurations(choice.configuration);
    build(choice);
  } catch (const Error& error) {
    REQUIRE_OR_TELL(error.status() == Status::invalid_argument, error.what());
  }
  return 0;
}
