// Kernels that fill, copy and check tensors.
#include "core/random.hpp"
#include "device/cuda/kernels/element.cuh"

namespace atc::cuda {

extern "C" __global__ void atc_fill(Layout layout, void* data, unsigned long long seed, int kind) {
  for (long long i = first_index(); i < layout.elements; i += index_step()) {
    const unsigned long long random = mix(seed, static_cast<unsigned long long>(i));
    store_element(data, layout.dtype, offset_of(layout, i),
                  kind == kFillTernary ? ternary(random) : normal(random));
  }
}

// Copies the elements of a tensor. The gaps between the elements are not written.
extern "C" __global__ void atc_copy(Layout layout, void* to, const void* from) {
  for (long long i = first_index(); i < layout.elements; i += index_step()) {
    const long long at = offset_of(layout, i);
    if (static_cast<Dtype>(layout.dtype) == Dtype::f32)
      static_cast<float*>(to)[at] = static_cast<const float*>(from)[at];
    else
      static_cast<unsigned short*>(to)[at] = static_cast<const unsigned short*>(from)[at];
  }
}

extern "C" __global__ void atc_gather(Layout layout, const void* data, const long long* offsets,
                                      long long count, double* values) {
  for (long long i = first_index(); i < count; i += index_step())
    values[i] = load_element(data, layout.dtype, offsets[i]);
}

// Checks that each element of the tensor is finite and was written, and then overwrites the element
// with the bit pattern that the whole buffer had at first. So if a word of the buffer still differs
// from the pattern afterwards, this word is outside of the tensor and was written wrongly.
// (atc_scan searches for such words.)
extern "C" __global__ void atc_take(Layout layout, void* data, unsigned short pattern,
                                    Findings* findings) {
  for (long long i = first_index(); i < layout.elements; i += index_step()) {
    const long long at = offset_of(layout, i);
    const double value = load_element(data, layout.dtype, at);
    bool unwritten;
    if (static_cast<Dtype>(layout.dtype) == Dtype::f32) {
      unsigned int* const words = static_cast<unsigned int*>(data);
      const unsigned int whole = pattern * 0x10001u;
      unwritten = words[at] == whole;
      words[at] = whole;
    } else {
      unsigned short* const words = static_cast<unsigned short*>(data);
      unwritten = words[at] == pattern;
      words[at] = pattern;
    }
    if (!isfinite(value))
      atomicMin(&findings->bad_element, 2 * static_cast<unsigned long long>(i) + unwritten);
  }
}

extern "C" __global__ void atc_scan(const unsigned short* words, long long count,
                                    unsigned short pattern, Findings* findings) {
  for (long long i = first_index(); i < count; i += index_step())
    if (words[i] != pattern) atomicMin(&findings->touched_word, static_cast<unsigned long long>(i));
}

// Finds the first element that is NaN, or that differs from the expected value by more than
// absolute + relative x |expected value|.
extern "C" __global__ void atc_compare(Layout layout, const void* data, const void* expected,
                                       double absolute, double relative, Found* found) {
  for (long long i = first_index(); i < layout.elements; i += index_step()) {
    const long long at = offset_of(layout, i);
    const double right = load_element(expected, layout.dtype, at);
    const double error = fabs(load_element(data, layout.dtype, at) - right);
    if (!(error <= absolute + relative * fabs(right)))
      atomicMin(&found->element, static_cast<unsigned long long>(i));
  }
}

// Computes a hash of the words: a sum that depends on the value and position of every word, but not
// on the order of the additions.
extern "C" __global__ void atc_fingerprint(const unsigned short* words, long long count,
                                           unsigned long long* sum) {
  unsigned long long own = 0;
  for (long long i = first_index(); i < count; i += index_step())
    own += mix(words[i], static_cast<unsigned long long>(i));
  for (int lane = 16; lane > 0; lane /= 2) own += __shfl_down_sync(0xffffffffu, own, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

}  // namespace atc::cuda
