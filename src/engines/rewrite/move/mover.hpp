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

// Plain loops on the CPU. Null where there is nothing to move. Throws Error(library) for CUDA in a
// build without device kernels.
std::unique_ptr<Mover> make_mover(const MoverSpec& spec, DeviceId device);

// Empty, or why nothing can be moved there.
const char* moving_objection(DeviceType device);

namespace cuda_moves {

std::unique_ptr<Mover> make_mover(const MoverSpec& spec, int device_index);
const char* objection();

}  // namespace cuda_moves

}  // namespace atc::rewrite
