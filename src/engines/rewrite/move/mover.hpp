// Moves made ready to run on a device.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/device_type.hpp"
#include "engines/rewrite/move/move.hpp"

namespace atc::rewrite {

class Mover {
 public:
  virtual ~Mover() = default;
  // Allocates nothing.
  virtual void run(const void* source, void* target, Stream stream) const = 0;
  // In the order of the legacy stream; complete when it returns.
  virtual void run_now(const void* source, void* target) const = 0;
};

// What is moved, in order. Alignments are promises about the addresses that `run` gets, in bytes.
struct MoverSpec {
  std::vector<Move> moves;
  int width = 4;  // bytes of an element: 2 or 4
  std::size_t source_alignment = 1, target_alignment = 1;
};

// Two moves at once, of memory that does not overlap.
class JointMover {
 public:
  struct Ends {
    const void* source = nullptr;
    void* target = nullptr;
  };
  virtual ~JointMover() = default;
  // As Mover::run.
  virtual void run(const Ends& first, const Ends& second, Stream stream) const = 0;
};

// Plain loops on the CPU. Null where there is nothing to move. Throws Error(library) for CUDA in a
// build without device kernels.
std::unique_ptr<Mover> make_mover(const MoverSpec& spec, DeviceId device);

// Null where both together are not a single launch.
std::unique_ptr<JointMover> make_joint_mover(const MoverSpec& first, const MoverSpec& second,
                                             DeviceId device);

// Empty, or why nothing can be moved there.
const char* moving_objection(DeviceType device);

namespace cuda_moves {

std::unique_ptr<Mover> make_mover(const MoverSpec& spec, int device_index);
std::unique_ptr<JointMover> make_joint_mover(const MoverSpec& first, const MoverSpec& second,
                                             int device_index);
const char* objection();

}  // namespace cuda_moves

}  // namespace atc::rewrite
