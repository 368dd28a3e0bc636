// The version of the LibTorch for which this build of the bridge is compiled.
#pragma once

#if __has_include(<torch/headeronly/version.h>)
#include <torch/headeronly/version.h>
#else
#include <torch/version.h>  // LibTorch 2.9 and older versions have this header
#endif

#define ATC_LIBTORCH_IS_2_9 (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 9)
