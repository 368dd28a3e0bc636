// Changes the switches of the process while other threads convolve.
#pragma once

#include <string>
#include <vector>

#include "random.hpp"
#include "report.hpp"

namespace soak {

class Switches {
 public:
  // `pin_files`: one of these files is in force at a time ("" stands for none); at rests it is the
  // first one.
  Switches(Report& report, std::vector<std::string> pin_files, bool on_cuda);
  void toggle(Random& random) const;  // one of them
  void restore() const;               // sets all switches to the values that they had at first

 private:
  Report& report_;
  const std::vector<std::string> pin_files_;
  const bool on_cuda_;
  atc_settings first_;
};

}  // namespace soak
