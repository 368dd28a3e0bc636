// A store of the test. The test changes the records in the store so that they choose a given
// engine. It does not rely on the winners of the races, because on a busy machine they depend on
// chance.
#pragma once

#include <string>

#include "atc/store.h"
#include "support/temp_folder.hpp"

namespace atc_torch_test {

class Records {
 public:
  Records();   // makes an empty store, opens it for writing and makes the process use it
  ~Records();  // makes the process use no store
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  void use(atc_store_mode mode) const;
  // Changes each record so that it chooses `engine`, if this engine passed the gate (the check of
  // its results) and was timed. Returns the number of changed records. If several configurations of
  // the engine passed and were timed, the problem alone determines which of them is chosen.
  std::size_t prefer(const std::string& engine) const;
  // Returns all entries of the test's store as a JSON array.
  std::string list() const;

 private:
  const atc::test::TempFolder folder_;
};

}  // namespace atc_torch_test
