// Movers: they copy a tensor to another layout (a move) on a device, and are ready to run.
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
  // Allocates nothing.
  virtual void run(const void* source, void* target, Stream stream) const = 0;
  // Runs on the legacy stream. The move is complete when the function returns.
  virtual void run_now(const void* source, void* target) const = 0;
};

// The moves of a Mover, in order. The addresses that `run` gets must have these alignments, in
// bytes.
struct MoverSpec {
  std::vector<Move> moves;
  int width = 4;  // bytes of an element: 2 or 4
  std::size_t source_alignment = 1, target_alignment = 1;
};

// Makes two moves in one launch. The memory of one move must not overlap that of the other.
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

// Returns a Mover; null if there is nothing to move. On the CPU it consists of plain loops. Throws
// Error(library) for CUDA in a build without device kernels.
std::unique_ptr<Mover> make_mover(const MoverSpec& spec, DeviceId device);

// Returns null if the two cannot be one launch.
std::unique_ptr<JointMover> make_joint_mover(const MoverSpec& first, const MoverSpec& second,
                                             DeviceId device);

// Sets bytes to 0. On CUDA the work is put on the stream.
void fill_with_zeros(void* at, std::uint64_t bytes, DeviceId device, Stream stream);

// Returns why this build cannot move tensors on such devices, or "".
const char* moving_objection(DeviceType device);

namespace cuda_moves {

std::unique_ptr<Mover> make_mover(const MoverSpec& spec, int device_index);
std::unique_ptr<JointMover> make_joint_mover(const MoverSpec& first, const MoverSpec& second,
                                             int device_index);
void fill_with_zeros(void* at, std::uint64_t bytes, int device_index, Stream stream);
const char* objection();

}  // namespace cuda_moves

}  // namespace atc::rewrite
