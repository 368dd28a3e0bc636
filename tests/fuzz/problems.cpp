// Fuzzes the JSON of a list of problems. A text of arbitrary bytes is either refused by
// ATC_ERROR_INVALID_ARGUMENT or ATC_ERROR_UNSUPPORTED, or is accepted. A refused text adds no
// problem to the list. The problems of an accepted text can be written as JSON, and reading this
// JSON gives the same list.
#include <string>
#include <string_view>

#include "atc/problems.h"
#include "mutate_json.hpp"
#include "require.hpp"

namespace {

class List {
 public:
  List() { REQUIRE(atc_problems_create(&problems_) == ATC_OK); }
  ~List() { atc_problems_destroy(problems_); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  atc_status add(std::string_view text) {
    return atc_problems_add_json(problems_, text.data(), text.size());
  }
  std::size_t count() const {
    std::size_t count = 0;
    REQUIRE(atc_problems_count(&count, problems_) == ATC_OK);
    return count;
  }
  std::string json() const {
    atc_bytes* bytes = nullptr;
    REQUIRE_OR_TELL(atc_problems_json(&bytes, problems_) == ATC_OK, atc_last_error());
    std::string text(atc_bytes_data(bytes), atc_bytes_size(bytes));
    atc_bytes_destroy(bytes);
    return text;
  }

 private:
  atc_problems* problems_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  List list;
  const atc_status status = list.add(fuzz::text_of(data, size));
  if (status != ATC_OK) {
    REQUIRE_OR_TELL(status == ATC_ERROR_INVALID_ARGUMENT || status == ATC_ERROR_UNSUPPORTED,
                    atc_last_error());
    REQUIRE(list.count() == 0);
    return 0;
  }
  const std::string written = list.json();
  List again;
  REQUIRE_OR_TELL(again.add(written) == ATC_OK, atc_last_error());
  REQUIRE_OR_TELL(again.json() == written, written.c_str());
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return fuzz::give_back(fuzz::changed_json(fuzz::text_of(data, size), seed), data, most);
}
