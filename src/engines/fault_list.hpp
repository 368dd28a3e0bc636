// All known faults of the libraries that atc uses, for people and programs.
#pragma once

#include <string>

namespace atc {

// Returns a JSON array with an object for each row of the table of faults, and for each rule of
// cuDNN's errata file. All members are strings except "applies": whether the running version of the
// library has the fault on a device of this machine.
std::string fault_list();

}  // namespace atc
