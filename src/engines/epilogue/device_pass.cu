// Applies bias and post-ops to the output of a convolution. The output must be dense.
//
// Contract
//   output         dense, f32, f16 or bf16
//   scale, bias    of output's type, `channels` elements; null if there is none
//   residual       of output's type, in the order of the output; null if there is none
//   alignment      16 bytes (output and residual) if `vectors` is true, else the size of an element
//   shared         none
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/dtype.hpp"
#include "device/cuda/kernels/element.cuh"
#include "device/cuda/kernels/float.cuh"
#include "engines/epilogue/activation.cuh"

namespace atc::cuda {

namespace {

// The operands besides the output, and the activation. The function of the activation is a template
// parameter, so that the loop over the elements does not branch.
template <typename Word, Function kFunction>
struct PostOps {
  using Element = Word;
  const Element *scale, *bias, *residual;
  float low, high, slope;

  // Replaces an element of the output, which is in `channel`.
  __device__ void apply(Element& element, Element residual_element, long long channel) const {
    float value = to_float(element);
    if (scale != nullptr) value *= to_float(scale[channel]);
    if (bias != nullptr) value += to_float(bias[channel]);
    if (residual != nullptr) value += to_float(residual_element);
    from_float(activated(Activation{kFunction, low, high, slope}, value), element);
  }
};

template <typename Element>
union Piece {
  uint4 words;
  Element values[16 / sizeof(Element)];
};

// Applies the post-ops to each element. In memory, `stride` elements of one channel are followed by
// `stride` elements of the next channel. After the last channel the first channel follows again.
template <typename Operations, typename Integer>
__device__ void apply_all(void* data, const Operations& post_ops, Integer elements, Integer stride,
                          Integer channels, bool vectors) {
  using Element = typename Operations::Element;
  auto* const output = static_cast<Element*>(data);
  constexpr Integer kWidth = 16 / sizeof(Element);
  const Integer pieces = vectors ? elements / kWidth : 0;
  for (Integer i = static_cast<Integer>(first_index()); i < pieces;
       i += static_cast<Integer>(index_step())) {
    const Integer block = i * kWidth / stride;
    Integer inner = i * kWidth - block * stride, channel = block % channels;
    Piece<Element> piece, residual;
    piece.words = reinterpret_cast<const uint4*>(output)[i];
    residual.words = post_ops.residual == nullptr
                         ? piece.words
                         : reinterpret_cast<const uint4*>(post_ops.residual)[i];
    for (Integer k = 0; k < kWidth; ++k) {
      post_ops.apply(piece.values[k], residual.values[k], channel);
      if (++inner == stride) {
        inner = 0;
        if (++channel == channels) channel = 0;
      }
    }
    reinterpret_cast<uint4*>(output)[i] = piece.words;
  }
  for (Integer i = pieces * kWidth + static_cast<Integer>(first_index()); i < elements;
       i += static_cast<Integer>(index_step()))
    post_ops.apply(output[i], post_ops.residual == nullptr ? output[i] : post_ops.residual[i],
                   i / stride % channels);
}

template <typename Operations>
__device__ void apply_any(void* output, const Operations& post_ops, unsigned long long elements,
                          long long stride, long long channels, bool vectors) {
  // Indices have 32 bits if possible, because a 32-bit division takes a fraction of the time of a
  // 64-bit division. The limit is 2^31 elements and not 2^32, so that the index does not overflow
  // in the last step of the loop.
  if (elements < 0x80000000ull)
    apply_all(output, post_ops, static_cast<unsigned>(elements), static_cast<unsigned>(stride),
              static_cast<unsigned>(channels), vectors);
  else
    apply_all(output, post_ops, elements, static_cast<unsigned long long>(stride),
              static_cast<unsigned long long>(channels), vectors);
}

// A function of an activation as a type, for generic lambdas.
template <Function kFunction>
struct Constant {
  static constexpr Function kValue = kFunction;
};

template <typename Apply>
__device__ void with_function(Function function, const Apply& apply) {
  switch (function) {
    case Function::none:
      return apply(Constant<Function::none>{});
    case Function::relu:
      return apply(Constant<Function::relu>{});
    case Function::clamp:
      return apply(Constant<Function::clamp>{});
    case Function::silu:
      return apply(Constant<Function::silu>{});
    case Function::gelu:
      return apply(Constant<Function::gelu>{});
    case Function::gelu_tanh:
      return apply(Constant<Function::gelu_tanh>{});
    case Function::hard_swish:
      return apply(Constant<Function::hard_swish>{});
    case Function::sigmoid:
      return apply(Constant<Function::sigmoid>{});
    case Function::leaky_relu:
      return apply(Constant<Function::leaky_relu>{});
  }
}

template <typename Apply>
__device__ void with_element(Dtype dtype, const Apply& apply) {
  switch (dtype) {
    case Dtype::f32:
      return apply(float{});
    case Dtype::f16:
      return apply(__half{});
    case Dtype::bf16:
      return apply(__nv_bfloat16{});
  }
}

}  // namespace

extern "C" __global__ void atc_apply_post_ops(void* output, const void* scale, const void* bias,
                                              const void* residual, unsigned long long elements,
                                              long long stride, long long channels, int dtype,
                                              Activation activation, int vectors) {
  with_element(static_cast<Dtype>(dtype), [&](auto zero) {
    using Element = decltype(zero);
    with_function(activation.function, [&](auto function) {
      const PostOps<Element, decltype(function)::kValue> post_ops{
          static_cast<const Element*>(scale),
          static_cast<const Element*>(bias),
          static_cast<const Element*>(residual),
          activation.low,
          activation.high,
          activation.slope};
      apply_any(output, post_ops, elements, stride, channels, vectors);
    });
  });
}

}  // namespace atc::cuda
