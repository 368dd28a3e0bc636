// A store of its own for a test, whose records choose what the test wants to see running: which
// engine wins a race on a busy machine is chance.
#pragma once

#include <string>

#include "atc/store.h"
#include "support/temp_folder.hpp"

namespace atc_torch_test {

class Records {
 public:
  Records();   // an empty store in use, open for writing
  ~Records();  // none in use
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  void use(atc_store_mode mode) const;
  // Lets every record choose `engine` where that passed the gate and was timed; the number of
  // records that do. More than one configuration: which one depends on the problem alone.
  std::size_t prefer(const std::string& engine) const;
  // All entries, a JSON array.
  std::string list() const;

 private:
  const atc::test::TempFolder folder_;
};

}  // namespace atc_torch_test
