// Fuzzes pin files (files in which a user sets the choices of problems). A file of arbitrary bytes
// is either refused by an Error(invalid_argument) whose text begins with the file's path, or is
// accepted. The patterns of an accepted file name only fields that exist.
#include <string>
#include <vector>

#include "conv/pins/pin_file.hpp"
#include "conv/pins/pin_pattern.hpp"
#include "core/error.hpp"
#include "mutate_json.hpp"
#include "require.hpp"
#include "support/problems.hpp"

namespace {

using namespace atc;

const std::vector<nlohmann::json>& fields_of_problems() {
  static const std::vector<nlohmann::json> all = [] {
    test::Spec backward, bias;
    backward.direction = Direction::backward_data;
    backward.spatial = 1;
    backward.x = backward.w = backward.y = Dtype::bf16;
    bias.epilogue = Epilogue::bias_relu;
    bias.spatial = 3;
    bias.groups = 2;
    std::vector<nlohmann::json> fields;
    for (const test::Spec& spec : {test::Spec(), backward, bias})
      fields.push_back(conv::pattern_fields(test::build(spec), {}));
    return fields;
  }();
  return all;
}

void check(const conv::PinFile& file) {
  REQUIRE(file.hash != 0);
  std::size_t number = 0;
  for (const conv::Pin& pin : file.pins) {
    REQUIRE(pin.number == ++number);
    REQUIRE(pin.line >= 1);
    REQUIRE(pin.choice.has_value() == (pin.barred_names.empty() && pin.barred_choices.empty()));
    REQUIRE(file.place(pin).find("pins.json:") == 0);
  }
  for (const nlohmann::json& fields : fields_of_problems()) {
    const conv::MatchingPins matching = conv::matching(file, fields);
    REQUIRE(matching.choice == nullptr || matching.bars.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(conv::parse_pin_file(fuzz::text_of(data, size), "pins.json"));
  } catch (const Error& error) {
    REQUIRE_OR_TELL(error.status() == Status::invalid_argument, error.what());
    REQUIRE(std::string(error.what()).find("pins.json:") == 0);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return fuzz::give_back(fuzz::changed_json(fuzz::text_of(data, size), seed), data, most);
}
