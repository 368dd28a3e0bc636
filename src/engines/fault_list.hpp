// All known faults of the libraries that atc uses, for people and programs.
#pragma once

#include <string>

namespace atc {

// A JSON array with an object for each row of the table of faults and for each rule of cuDNN's
// errata file. All members are strings, but for "applies": whether the running version of the
// library, on a device of this machine, has the fault.
std::string fault_list();

}  // namespace atc
