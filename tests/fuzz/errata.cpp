// Fuzzes errata files of cuDNN's frontend (lists of known faults of cuDNN). A file of arbitrary
// bytes is either refused by an Error(invalid_argument), or gives rules. Each rule can be compared
// with any use of cuDNN.
#include <string>
#include <vector>

#include "core/error.hpp"
#include "engines/faults/errata.hpp"
#include "mutate_json.hpp"
#include "require.hpp"
#include "support/problems.hpp"

namespace {

using namespace atc;

void check(const faults::Errata& errata) {
  test::Spec backward, bias;
  backward.direction = Direction::backward_data;
  backward.spatial = 1;
  bias.epilogue = Epilogue::bias_relu;
  bias.spatial = 3;
  for (const test::Spec& spec : {test::Spec(), backward, bias}) {
    const Problem problem = test::build(spec);
    faults::Use use(problem);
    use.knobs = {{2, 3}};
    use.device = {9, 0};
    for (const faults::ErrataRule& rule : errata.rules) {
      use.engine = rule.engine;
      const bool concerned = faults::concerns(rule, 91900, use);
      REQUIRE(!concerned || !faults::blocked(errata, 91900, use).empty());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check({"errata.json", "", faults::parse_errata(std::string(fuzz::text_of(data, size)))});
  } catch (const Error& error) {
    REQUIRE_OR_TELL(error.status() == Status::invalid_argument, error.what());
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return fuzz::give_back(fuzz::changed_json(fuzz::text_of(data, size), seed), data, most);
}
