// Lists all known faults of the libraries that atc uses, for people and programs.
#pragma once

#include <string>

namespace atc {

// Returns a JSON array with an object for each row of the table of faults and for each rule of
// cuDNN's errata file. The member "applies" is a boolean: whether the loaded version of the library
// has the fault on a device of this machine. All other members are strings.
std::string fault_list();

}  // namespace atc
