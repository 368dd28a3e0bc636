// Adds a bias to the output of a convolution and applies a ReLU. The output must be dense.
//
// Contract
//   output   dense, f32, f16 or bf16; aligned to 16 bytes if `vectors` is true, else to the size
//            of an element
//   bias     of output's type, `channels` elements
//   shared   none
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/dtype.hpp"
#include "device/cuda/kernels/element.cuh"
#include "device/cuda/kernels/float.cuh"

namespace atc::cuda {

namespace {

template <typename Element>
__device__ inline void add(Element& element, Element bias, bool relu) {
  const float sum = to_float(element) + to_float(bias);
  // The ReLU is not computed by fmaxf, because fmaxf would turn a NaN into 0. Here a NaN remains
  // NaN.
  from_float(relu && sum < 0 ? 0.0f : sum, element);
}

// Adds the bias of its channel to each element. In memory, `stride` elements of one channel are
// followed by `stride` elements of the next channel. After the last channel the first channel
// follows again.
template <typename Element, typename Integer>
__device__ void add_all(Element* output, const Element* bias, Integer elements, Integer stride,
                        Integer channels, bool relu, bool vectors) {
  constexpr Integer kWidth = 16 / sizeof(Element);
  const Integer pieces = vectors ? elements / kWidth : 0;
  for (Integer i = static_cast<Integer>(first_index()); i < pieces;
       i += static_cast<Integer>(index_step())) {
    const Integer block = i * kWidth / stride;
    Integer inner = i * kWidth - block * stride, channel = block % channels;
    union {
      uint4 words;
      Element values[kWidth];
    } piece;
    piece.words = reinterpret_cast<const uint4*>(output)[i];
    for (Integer k = 0; k < kWidth; ++k) {
      add(piece.values[k], bias[channel], relu);
      if (++inner == stride) {
        inner = 0;
        if (++channel == channels) channel = 0;
      }
    }
    reinterpret_cast<uint4*>(output)[i] = piece.words;
  }
  for (Integer i = pieces * kWidth + static_cast<Integer>(first_index()); i < elements;
       i += static_cast<Integer>(index_step()))
    add(output[i], bias[i / stride % channels], relu);
}

template <typename Element>
__device__ void add_any(void* output, const void* bias, unsigned long long elements,
                        long long stride, long long channels, bool relu, bool vectors) {
  auto* const to = static_cast<Element*>(output);
  const auto* const from = static_cast<const Element*>(bias);
  // Indices have 32 bits if possible, because a 32-bit division takes a fraction of the time of a
  // 64-bit division. The limit is 2^31 elements and not 2^32, so that the index does not overflow
  // in the last step of the loop.
  if (elements < 0x80000000ull)
    add_all<Element, unsigned>(to, from, static_cast<unsigned>(elements),
                               static_cast<unsigned>(stride), static_cast<unsigned>(channels), relu,
                               vectors);
  else
    add_all<Element, unsigned long long>(to, from, elements,
                                         static_cast<unsigned long long>(stride),
                                         static_cast<unsigned long long>(channels), relu, vectors);
}

}  // namespace

extern "C" __global__ void atc_add_bias(void* output, const void* bias, unsigned long long elements,
                                        long long stride, long long channels, int dtype, int relu,
                                        int vectors) {
  switch (static_cast<Dtype>(dtype)) {
    case Dtype::f32:
      return add_any<float>(output, bias, elements, stride, channels, relu, vectors);
    case Dtype::f16:
      return add_any<__half>(output, bias, elements, stride, channels, relu, vectors);
    case Dtype::bf16:
      return add_any<__nv_bfloat16>(output, bias, elements, stride, channels, relu, vectors);
  }
}

}  // namespace atc::cuda
