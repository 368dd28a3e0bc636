// These kernels compute backward-weight of pointwise convolutions of one group, channels first.
// They need compute capability 9.0a.
//
// The kernel computes:
//   partials[split][a][b] = sum over the split's pixels of A[a, pixel] * B[b, pixel]
//
// Operand A is x and operand B is dy, or A is dy and B is x. K is the pixels, which are contiguous
// in x and in dy. So tensor maps copy both operands in the order in which wgmma reads them, also
// for TF32. A block computes one tile for one split of the pixels of all images (split-K). The
// first two warpgroups are consumers: each multiplies kM64 * 64 rows of A by kN rows of B. The
// producer is one thread of the last warp or, if rows cannot be copied by tensor maps, the last
// warpgroup. pointwise_weight_sum.cu adds the partials.
//
// Contract
//   maps      tensor maps of A and B, with a swizzle of 128 bytes. A box has kRowBytes bytes of
//             each row and one image. Of A, it has kM64 * 128 rows divided by the blocks of a
//             cluster; of B, it has kN rows. For TF32, the maps have the data type that rounds fp32
//             to TF32
//   a, b      in place of maps if the bytes of a row are no multiple of 16: dense tensors; tensors
//             and rows are aligned to the size of a copy (4 or 8 bytes)
//   partials  fp32, [split][tile of A][tile of B][row][column]
//
// Shared memory, by offset in bytes
//   0                       the mbarriers: for each stage 8 bytes for its full barrier and 8 bytes
//                           for its empty barrier
//   kPointwiseBarrierBytes  g.stages stages of pointwise_stage_bytes: rows of A, then rows of B
#include "engines/kernels/dense/pointwise_weight_geometry.hpp"
#include "engines/kernels/ptx_sm90.cuh"

namespace atc::dense {

namespace {

using ptx::OperandType;

// The part of the sum that a block computes (its split): the chunks from `begin` to `end`. Chunks
// are numbered through all images; a chunk is kRowBytes bytes of each row.
struct Share {
  int begin, end;
};

__device__ __forceinline__ Share share_of(const PointwiseWeightGeometry& g, int split) {
  const long long chunks = static_cast<long long>(g.images) * g.chunks;
  return {static_cast<int>(chunks * split / g.splits),
          static_cast<int>(chunks * (split + 1) / g.splits)};
}

// The stage that is used next, and the parity of the phase of its full barrier that must be
// complete before.
struct PipelineState {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next(int stages) {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

__device__ __forceinline__ unsigned full_barrier(unsigned shared, int stage) {
  return shared + static_cast<unsigned>(stage) * 16;
}
// Returns the offset of a stage in shared memory, in bytes.
template <int kM64, int kN>
__device__ __forceinline__ unsigned stage_at(int stage) {
  return static_cast<unsigned>(kPointwiseBarrierBytes + stage * pointwise_stage_bytes(kM64, kN));
}
__device__ __forceinline__ unsigned empty_barrier(unsigned shared, int stage) {
  return shared + static_cast<unsigned>(stage) * 16 + 8;
}

// Producer with tensor maps: one thread calls this function. The blocks of a cluster need the same
// rows of A. So each block copies only a part of these rows, but into the shared memory of all
// blocks of the cluster.
template <int kM64, int kN, int kBlocks>
__device__ __forceinline__ void produce(const PointwiseWeightGeometry& g, const PointwiseMaps& maps,
                                        unsigned shared, int a_tile, int b_tile, Share share) {
  constexpr int kRows = pointwise_rows(kM64), kStageBytes = pointwise_stage_bytes(kM64, kN);
  constexpr int kPart = kRows / kBlocks;
  int image = share.begin / g.chunks, chunk = share.begin - image * g.chunks;
  const int own = kBlocks == 1 ? 0 : static_cast<int>(ptx::cluster_ctarank()) * kPart;
  PipelineState state;
  for (int at = share.begin; at < share.end; ++at) {
    ptx::mbarrier_try_wait(empty_barrier(shared, state.stage), state.parity ^ 1);
    const unsigned full = full_barrier(shared, state.stage);
    ptx::mbarrier_arrive_expect_tx(full, kStageBytes);
    const unsigned to = shared + stage_at<kM64, kN>(state.stage);
    const unsigned part = to + static_cast<unsigned>(own * kRowBytes);
    const int pixel = chunk * g.chunk, row = a_tile * kRows + own;
    if constexpr (kBlocks == 1)
      ptx::cp_async_bulk_tensor_3d(part, &maps.a, pixel, row, image, full);
    else
      ptx::cp_async_bulk_tensor_3d_multicast(part, &maps.a, pixel, row, image, full,
                                             (1U << kBlocks) - 1);
    ptx::cp_async_bulk_tensor_3d(to + kRows * kRowBytes, &maps.b, pixel, b_tile * kN, image, full);
    state.next(g.stages);
    if (++chunk == g.chunks) {
      chunk = 0;
      ++image;
    }
  }
}

// Producer without tensor maps: copies rows whose size is no multiple of 16 bytes. One instruction
// copies kCopy bytes. The threads of the producer copy kAtOnce rows at the same time. A thread
// copies the same kCopy bytes of every kAtOnce-th row.
template <OperandType kType, int kCopy>
class Rows {
 public:
  __device__ Rows(const PointwiseWeightGeometry& g, const void* tensor, int rows, int first)
      : tensor_(static_cast<const unsigned char*>(tensor)),
        row_bytes_(g.row_bytes),
        rows_(rows),
        left_(rows - first - own_row()),
        first_(first + own_row()) {}

  // Starts to copy one chunk (kRowBytes bytes) of kCount rows to the address `to`, with a swizzle
  // of 128 bytes. Rows after the last one, and bytes after the end of a row, become zeros.
  template <int kCount>
  __device__ __forceinline__ void copy(unsigned to, int image, int chunk) const {
    const int byte = chunk * kRowBytes + own_byte();
    const bool inside = byte < row_bytes_;
    const unsigned char* from =
        tensor_ + (static_cast<long long>(image) * rows_ + first_) * row_bytes_ + byte;
    const long long step = static_cast<long long>(kAtOnce) * row_bytes_;
#pragma unroll 8
    for (int i = 0; i < kCount / kAtOnce; ++i) {
      const bool valid = inside && i * kAtOnce < left_;
      ptx::cp_async<kCopy>(to + place(i), valid ? from : tensor_, valid);
      from += step;
    }
  }

  // Rounds to TF32 the elements that this thread has copied. `stage` is the address of the copied
  // elements. Their copies must be complete.
  template <int kCount>
  __device__ __forceinline__ void round(unsigned char* stage) const {
    static_assert(kCopy == 4);
#pragma unroll 8
    for (int i = 0; i < kCount / kAtOnce; ++i) {
      auto* const word = reinterpret_cast<float*>(stage + place(i));
      *word = __uint_as_float(ptx::cvt_rna_tf32(*word));
    }
  }

 private:
  // The number of copy instructions for one row.
  static constexpr int kOfRow = kRowBytes / kCopy;
  // The number of rows that are copied at the same time.
  static constexpr int kAtOnce = 128 / kOfRow;

  static __device__ __forceinline__ int own_row() { return threadIdx.x % 128 / kOfRow; }
  static __device__ __forceinline__ int own_byte() { return threadIdx.x % kOfRow * kCopy; }
  static __device__ __forceinline__ unsigned place(int i) {
    const int row = own_row() + i * kAtOnce, byte = own_byte();
    return static_cast<unsigned>(row * kRowBytes + ((byte / 16 ^ row % 8) * 16 + byte % 16));
  }

  const unsigned char* tensor_;
  int row_bytes_, rows_, left_, first_;
};

// Producer without tensor maps: copies the rows of both operands into the stages. All threads of
// one warpgroup must call it.
template <OperandType kType, int kM64, int kN, int kCopy>
__device__ __forceinline__ void produce_by_copies(const PointwiseWeightGeometry& g, const void* a,
                                                  const void* b, unsigned char* bytes,
                                                  unsigned shared, int a_tile, int b_tile,
                                                  Share share) {
  constexpr int kRows = pointwise_rows(kM64);
  // The number of stages whose copies may still run.
  constexpr int kBehind = 2;
  const Rows<kType, kCopy> a_tensor(g, a, g.a_rows, a_tile * kRows);
  const Rows<kType, kCopy> b_tensor(g, b, g.b_rows, b_tile * kN);
  int image = share.begin / g.chunks, chunk = share.begin - image * g.chunks;
  PipelineState state, done;
  for (int at = share.begin; at < share.end + kBehind; ++at) {
    if (at < share.end) {
      ptx::mbarrier_try_wait(empty_barrier(shared, state.stage), state.parity ^ 1);
      const unsigned to = shared + stage_at<kM64, kN>(state.stage);
      a_tensor.template copy<kRows>(to, image, chunk);
      b_tensor.template copy<kN>(to + kRows * kRowBytes, image, chunk);
      state.next(g.stages);
      if (++chunk == g.chunks) {
        chunk = 0;
        ++image;
      }
    }
    ptx::cp_async_commit_group();
    if (at < share.begin + kBehind) continue;
    ptx::cp_async_wait_group<kBehind>();
    if constexpr (kType == OperandType::tf32) {
      unsigned char* const stage = bytes + stage_at<kM64, kN>(done.stage);
      a_tensor.template round<kRows>(stage);
      b_tensor.template round<kN>(stage + kRows * kRowBytes);
    }
    ptx::fence_proxy_async();
    ptx::mbarrier_arrive(full_barrier(shared, done.stage));
    done.next(g.stages);
  }
}

template <OperandType kType, int kM64, int kN>
__device__ __forceinline__ void multiply_step(float (&accum)[kM64][kN / 2], std::uint64_t a,
                                              std::uint64_t b) {
  constexpr unsigned kNextM64 = kPointwiseM64 * kRowBytes / 16;
#pragma unroll
  for (int m = 0; m < kM64; ++m)
    ptx::wgmma_mma_async_ss<kType, kN>(accum[m], a + static_cast<unsigned>(m) * kNextM64, b);
}

// Reports that this warpgroup has read a stage. With clusters, the producers of all blocks of the
// cluster write into the stage, so the warpgroup arrives at the stage's empty barrier in each of
// these blocks.
template <int kBlocks>
__device__ __forceinline__ void release(unsigned shared, int stage) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  if constexpr (kBlocks == 1) {
    if (thread == 0) ptx::mbarrier_arrive(empty_barrier(shared, stage));
  } else {
    if (thread == 0) {
#pragma unroll
      for (unsigned i = 0; i < kBlocks; ++i)
        ptx::mbarrier_arrive_cluster(empty_barrier(shared, stage), i);
    }
  }
}

template <OperandType kType, int kM64, int kN, int kBlocks>
__device__ __forceinline__ void consume(const PointwiseWeightGeometry& g, unsigned shared,
                                        Share share, float* partials) {
  constexpr int kRows = pointwise_rows(kM64);
  constexpr int kSteps = kRowBytes / kStepBytes;
  constexpr unsigned kNextStep = kStepBytes / 16;
  const int thread = static_cast<int>(threadIdx.x), warpgroup = thread / 128;
  float accum[kM64][kN / 2] = {};
  int chunk = share.begin % g.chunks;
  PipelineState state, before;
  for (int at = share.begin; at < share.end; ++at) {
    ptx::mbarrier_try_wait(full_barrier(shared, state.stage), state.parity);
    const unsigned stage = shared + stage_at<kM64, kN>(state.stage);
    const std::uint64_t a = ptx::make_swizzled_descriptor(
        stage + static_cast<unsigned>(warpgroup * kM64 * kPointwiseM64 * kRowBytes));
    const std::uint64_t b = ptx::make_swizzled_descriptor(stage + kRows * kRowBytes);
    if (chunk + 1 != g.chunks || g.tail_steps == kSteps) {
      ptx::wgmma_fence();
#pragma unroll
      for (int step = 0; step < kSteps; ++step)
        multiply_step<kType, kM64, kN>(accum, a + static_cast<unsigned>(step) * kNextStep,
                                       b + static_cast<unsigned>(step) * kNextStep);
      ptx::wgmma_commit_group();
      // The wgmma instructions that read the previous stage are complete now.
      ptx::wgmma_wait_group<1>();
    } else {
      // At the beginning of this branch, the kernel waits for all earlier wgmma instructions. If
      // some of them were still running here, the compiler ptxas would make every wgmma of the
      // kernel wait for the one before.
      ptx::wgmma_wait_group<0>();
#pragma unroll 1
      for (int step = 0; step < g.tail_steps; ++step) {
        ptx::wgmma_fence();
        multiply_step<kType, kM64, kN>(accum, a + static_cast<unsigned>(step) * kNextStep,
                                       b + static_cast<unsigned>(step) * kNextStep);
        ptx::wgmma_commit_group();
        ptx::wgmma_wait_group<0>();
      }
    }
    if (at != share.begin) release<kBlocks>(shared, before.stage);
    before = state;
    state.next(g.stages);
    if (++chunk == g.chunks) chunk = 0;
  }
  ptx::wgmma_wait_group<0>();
  const int warp = thread % 128 / 32, lane = thread % 32;
  float* const to =
      partials + (warpgroup * kM64 * kPointwiseM64 + warp * 16 + lane / 4) * kN + lane % 4 * 2;
#pragma unroll
  for (int m = 0; m < kM64; ++m)
#pragma unroll
    for (int j = 0; j < kN / 8; ++j) {
      float* const at = to + m * kPointwiseM64 * kN + j * 8;
      *reinterpret_cast<float2*>(at) = make_float2(accum[m][4 * j], accum[m][4 * j + 1]);
      *reinterpret_cast<float2*>(at + 8 * kN) =
          make_float2(accum[m][4 * j + 2], accum[m][4 * j + 3]);
    }
}

// The work of a block: one tile of the partials, for one part of the pixels (split). `a_tile` is
// the number of the tile along A's rows, and `b_tile` is its number along B's rows. `share` is the
// part: the chunks of pixels over which the block sums.
struct Work {
  int a_tile, b_tile;
  Share share;
};

__device__ __forceinline__ Work work_of(const PointwiseWeightGeometry& g) {
  const int tiles = g.a_tiles * g.b_tiles, block = static_cast<int>(blockIdx.x);
  const int split = block / tiles, tile = block - split * tiles;
  const int a_tile = tile / g.b_tiles;
  return {a_tile, tile - a_tile * g.b_tiles, share_of(g, split)};
}

// Initializes the barriers of all stages. `producers` is the number of arrivals that open a full
// barrier, `readers` the number of arrivals that open an empty barrier.
__device__ __forceinline__ void init_barriers(const PointwiseWeightGeometry& g, unsigned shared,
                                              int producers, int readers) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < g.stages; ++i) {
    ptx::mbarrier_init(full_barrier(shared, i), producers);
    ptx::mbarrier_init(empty_barrier(shared, i), readers);
  }
  ptx::fence_mbarrier_init();
}

template <int kM64, int kN>
__device__ __forceinline__ float* partials_of_block(float* partials) {
  return partials + static_cast<long long>(blockIdx.x) * (pointwise_rows(kM64) * kN);
}

template <OperandType kType, int kM64, int kN, int kBlocks>
__device__ __forceinline__ void sum_products(const PointwiseWeightGeometry& g,
                                             const PointwiseMaps& maps, float* partials) {
  const unsigned shared = ptx::shared_address(ptx::dynamic_shared());
  const int thread = static_cast<int>(threadIdx.x);
  init_barriers(g, shared, 1, kPointwiseConsumers * kBlocks);
  if constexpr (kBlocks == 1)
    __syncthreads();
  else
    ptx::barrier_cluster();
  const Work work = work_of(g);
  if (thread >= kPointwiseConsumerThreads) {
    if (thread == kPointwiseConsumerThreads)
      produce<kM64, kN, kBlocks>(g, maps, shared, work.a_tile, work.b_tile, work.share);
  } else {
    consume<kType, kM64, kN, kBlocks>(g, shared, work.share, partials_of_block<kM64, kN>(partials));
  }
  // A block must not end before the other blocks of the cluster, because they may still write into
  // its shared memory.
  if constexpr (kBlocks > 1) {
    __syncwarp();
    ptx::barrier_cluster();
  }
}

template <OperandType kType, int kM64, int kN, int kCopy>
__device__ __forceinline__ void sum_copied(const PointwiseWeightGeometry& g, const void* a,
                                           const void* b, float* partials) {
  unsigned char* const bytes = ptx::dynamic_shared();
  const unsigned shared = ptx::shared_address(bytes);
  const int thread = static_cast<int>(threadIdx.x);
  init_barriers(g, shared, 128, kPointwiseConsumers);
  __syncthreads();
  const Work work = work_of(g);
  if (thread >= kPointwiseConsumerThreads)
    produce_by_copies<kType, kM64, kN, kCopy>(g, a, b, bytes, shared, work.a_tile, work.b_tile,
                                              work.share);
  else
    consume<kType, kM64, kN, 1>(g, shared, work.share, partials_of_block<kM64, kN>(partials));
}

}  // namespace

// With tensor maps, the kernels' names are atc_pointwise_weight_<type of the operands>_<rows of
// A>x<rows of B>_c<blocks of a cluster>.
#define ATC_POINTWISE(type, m64, rows, n, blocks)                            \
  extern "C" __global__ void __cluster_dims__(blocks, 1, 1)                  \
      __launch_bounds__(kPointwiseMapThreads, 1)                             \
          atc_pointwise_weight_##type##_##rows##x##n##_c##blocks(            \
              const __grid_constant__ PointwiseWeightGeometry g,             \
              const __grid_constant__ PointwiseMaps maps, float* partials) { \
    sum_products<OperandType::type, m64, n, blocks>(g, maps, partials);      \
  }
// Without tensor maps, the kernels' names are atc_pointwise_weight_<type of the operands>_<rows of
// A>x<rows of B>_by<bytes of a copy>.
#define ATC_POINTWISE_COPIED(type, m64, rows, n, copy)                                     \
  extern "C" __global__ void __launch_bounds__(kPointwiseCopyThreads, 1)                   \
      atc_pointwise_weight_##type##_##rows##x##n##_by##copy(                               \
          const __grid_constant__ PointwiseWeightGeometry g, const void* a, const void* b, \
          float* partials) {                                                               \
    sum_copied<OperandType::type, m64, n, copy>(g, a, b, partials);                        \
  }
#define ATC_POINTWISE_TYPE(type)      \
  ATC_POINTWISE(type, 1, 128, 64, 1)  \
  ATC_POINTWISE(type, 1, 128, 128, 1) \
  ATC_POINTWISE(type, 2, 256, 64, 1)  \
  ATC_POINTWISE(type, 2, 256, 128, 1) \
  ATC_POINTWISE(type, 1, 128, 128, 2) \
  ATC_POINTWISE(type, 2, 256, 128, 2)
#define ATC_POINTWISE_COPIED_TYPE(type, copy)   \
  ATC_POINTWISE_COPIED(type, 1, 128, 128, copy) \
  ATC_POINTWISE_COPIED(type, 2, 256, 128, copy)
ATC_POINTWISE_TYPE(f16)
ATC_POINTWISE_TYPE(bf16)
ATC_POINTWISE_TYPE(tf32)
ATC_POINTWISE_COPIED_TYPE(f16, 8)
ATC_POINTWISE_COPIED_TYPE(bf16, 8)
ATC_POINTWISE_COPIED_TYPE(tf32, 4)

#undef ATC_POINTWISE_COPIED_TYPE
#undef ATC_POINTWISE_TYPE
#undef ATC_POINTWISE_COPIED
#undef ATC_POINTWISE

}  // namespace atc::dense
