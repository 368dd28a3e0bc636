// A test's own store, whose records the test changes to choose an engine, because the winner of a
// race on a busy machine is chance.
#pragma once

#include <string>

#include "atc/store.h"
#include "support/temp_folder.hpp"

namespace atc_torch_test {

class Records {
 public:
  Records();   // puts an empty store into use, open for writing
  ~Records();  // none in use
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  void use(atc_store_mode mode) const;
  // Makes every record choose `engine` if it passed the gate and was timed; returns the number of
  // such records. Among several configurations the one taken depends on the problem alone.
  std::size_t prefer(const std::string& engine) const;
  // All entries, a JSON array.
  std::string list() const;

 private:
  const atc::test::TempFolder folder_;
};

}  // namespace atc_torch_test
