#include <ATen/Context.h>
#include <atc/base.h>

namespace atc_torch {

// Holds the place until the bridge has sources: what is linked is LibTorch and libatc.
bool links();
bool links() { return at::globalContext().benchmarkCuDNN() && atc_abi_version() != 0; }

}  // namespace atc_torch
