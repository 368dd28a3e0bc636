// Replaces the CUDA part of the moves in a build without device kernels. Such a build cannot move
// tensors on CUDA.
#include "core/error.hpp"
#include "engines/rewrite/move/mover.hpp"

namespace atc::rewrite::cuda_moves {

std::unique_ptr<Mover> make_mover(const MoverSpec&, int) {
  fail(Status::library, "{}", objection());
}

std::unique_ptr<JointMover> make_joint_mover(const MoverSpec&, const MoverSpec&, int) {
  return nullptr;
}

void fill_with_zeros(void*, std::uint64_t, int, Stream) {
  fail(Status::library, "{}", objection());
}

const char* objection() {
  return "this build has no device kernels: build atc with a CUDA compiler";
}

}  // namespace atc::rewrite::cuda_moves
