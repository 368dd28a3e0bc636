// Replaces device_pass.cpp in a build without device kernels. In such a build a bias must be added
// by the library that computes the convolution.
#include "core/error.hpp"
#include "engines/epilogue/device_pass.hpp"

namespace atc {

namespace {

constexpr const char* kObjection =
    "this build has no device kernels, one of which would apply bias, scale, residual and "
    "activation: build atc with a CUDA compiler";

}  // namespace

std::string device_pass_objection(const Problem&) { return kObjection; }

bool bias_can_be_apart(const Problem&) { return false; }

void apply_post_ops_on_device(const Problem&, const Operands&, bool, cuda::Context, Stream) {
  fail(Status::unsupported, "{}", kObjection);
}
void apply_post_ops_on_device(const Problem&, const Operands&, bool, int, Stream) {
  fail(Status::unsupported, "{}", kObjection);
}

}  // namespace atc
