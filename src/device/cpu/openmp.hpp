// oneDNN's own OpenMP runtime, whichever it is: asked by name among the libraries oneDNN depends
// on, so that atc neither links a second runtime nor loads one.
#pragma once

namespace atc {

void* openmp_function(const char* name);  // null where there is no runtime

}  // namespace atc
