// The OpenMP runtime that oneDNN uses. Its functions are looked up by name among the libraries that
// oneDNN depends on, so that atc neither links nor loads a second runtime.
#pragma once

namespace atc {

void* openmp_function(const char* name);  // null where there is no runtime

}  // namespace atc
