// The configurations of the engine `onednn`. A configuration is written as a text such as this:
//   x=last;w=any;y=last;math=f32;algorithm=direct;impl=brgconv:avx512_core
// The parts of the text: x, w, y: the layout in which oneDNN's primitive reads or writes the
// operand. If the caller's layout is another one, a reorder (a copy to another layout) runs before
// or after the primitive. math: the dtype in which the factors of products are multiplied; operands
// of another dtype are converted. impl: oneDNN's own name of the implementation, which may contain
// any character except ';'. Together with the problem, a configuration identifies one primitive.
// The index of an implementation in oneDNN's list is not part of the configuration, because the
// index differs between versions of oneDNN.
#pragma once

#include <string>

#include "core/problem.hpp"

namespace atc::onednn {

enum class Layout {
  first,  // dense memory in the order N, C, spatial (weights: K, C, spatial)
  last,   // dense memory in the order N, spatial, C (weights: K, spatial, C)
  given,  // the caller's strides, if they are neither those of `first` nor those of `last`
  any,    // a layout that oneDNN chooses for the implementation, often with blocks of channels
};

enum class Algorithm {
  direct,  // uses oneDNN's convolution primitive for the direction of the problem
  // Computes backward-data by oneDNN's forward deconvolution, which can also add a bias, apply a
  // ReLU and add to the old output.
  deconvolution,
  // Computes the convolution by matrix products on the caller's dense memory. Possible for 1x1
  // kernels with stride 1, no padding and one group.
  matmul,
};

struct Configuration {
  Layout x = Layout::any, w = Layout::any, y = Layout::any;
  Dtype math = Dtype::f32;
  Algorithm algorithm = Algorithm::direct;
  std::string implementation;
};

std::string to_text(const Configuration& configuration);

// Returns the configuration that a text describes. Throws Error(unsupported) if to_text() does not
// write exactly this text for any configuration.
Configuration parse(const std::string& text);

// The names of the layouts of the caller's tensors. If a tensor has one channel or one position,
// its memory fits both `first` and `last`. For such a tensor of a problem, atc always uses the same
// one of the two names. The reason is a fault of oneDNN 3.2. If two descriptors differ only in the
// stride of a dimension with one element, oneDNN's cache of primitives treats them as equal, but
// oneDNN's search for implementations does not. So if atc used both names, the second one would get
// the implementations of the first one from the cache.
struct Layouts {
  Layout x, w, y;
};
Layouts layouts_of(const Problem& problem);

}  // namespace atc::onednn
