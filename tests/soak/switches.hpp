// Changes the switches of the process while other threads convolve.
#pragma once

#include <string>
#include <vector>

#include "random.hpp"
#include "report.hpp"

namespace soak {

class Switches {
 public:
  // At any time, one of `pin_files` is the pin file of the process (its rules force or bar
  // choices). The text "" stands for no file. restore() sets the first of `pin_files`.
  Switches(Report& report, std::vector<std::string> pin_files, bool on_cuda);
  void toggle(Random& random) const;  // changes one random switch of the process
  void restore() const;               // sets all switches of the process to their initial values

 private:
  Report& report_;
  const std::vector<std::string> pin_files_;
  const bool on_cuda_;
  atc_settings first_;
};

}  // namespace soak
