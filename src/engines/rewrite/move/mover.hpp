// Objects that run moves on a device. A move (move.hpp) copies a tensor to another layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/device_type.hpp"
#include "engines/rewrite/move/move.hpp"

namespace atc::rewrite {

class Mover {
 public:
  virtual ~Mover() = default;
  // Enqueues the moves on the stream. Allocates no memory.
  virtual void run(const void* source, void* target, Stream stream) const = 0;
  // Runs the moves on CUDA's legacy stream and waits until they are complete. (On the CPU, just
  // runs them.)
  virtual void run_now(const void* source, void* target) const = 0;
};

// Describes what a Mover does: its moves, in the order in which they run. The addresses that are
// passed to run() must be multiples of `source_alignment` and `target_alignment` bytes.
struct MoverSpec {
  std::vector<Move> moves;
  int width = 4;  // the size of an element in bytes: 2 or 4
  std::size_t source_alignment = 1, target_alignment = 1;
};

// Runs two moves in one launch of a kernel. The memory of the two moves must not overlap.
class JointMover {
 public:
  struct Ends {
    const void* source = nullptr;
    void* target = nullptr;
  };
  virtual ~JointMover() = default;
  // Enqueues both moves on the stream. Allocates no memory.
  virtual void run(const Ends& first, const Ends& second, Stream stream) const = 0;
};

// Returns a Mover for a device, or null if there are no moves. On the CPU the Mover consists of
// loops. Throws Error(library) for a CUDA device in a build without device kernels.
std::unique_ptr<Mover> make_mover(const MoverSpec& spec, DeviceId device);

// Returns a JointMover that runs both lists of moves in one launch of a kernel. Returns null if
// this is impossible.
std::unique_ptr<JointMover> make_joint_mover(const MoverSpec& first, const MoverSpec& second,
                                             DeviceId device);

// Sets memory to zero. On CUDA the work is enqueued on the stream.
void fill_with_zeros(void* at, std::uint64_t bytes, DeviceId device, Stream stream);

// Returns why this build cannot move tensors on devices of this type. Returns "" if it can.
const char* moving_objection(DeviceType device);

namespace cuda_moves {

std::unique_ptr<Mover> make_mover(const MoverSpec& spec, int device_index);
std::unique_ptr<JointMover> make_joint_mover(const MoverSpec& first, const MoverSpec& second,
                                             int device_index);
void fill_with_zeros(void* at, std::uint64_t bytes, int device_index, Stream stream);
const char* objection();

}  // namespace cuda_moves

}  // namespace atc::rewrite
