// The engine's configurations, and their text:
//
//   x=last;w=any;y=last;math=f32;algorithm=direct;impl=brgconv:avx512_core
//
// x, w, y: the layout in which the primitive reads or writes the operand. If the caller's layout is
// another one, a reorder runs before or after the primitive. math: the dtype of the products'
// factors; operands of another dtype are converted. impl is oneDNN's own name of the implementation
// and the rest of the text, so it may hold any character except ';'. Together with the problem, a
// configuration names one primitive. An index into a list is never part of it, because it would
// differ between versions.
#pragma once

#include <string>

#include "core/problem.hpp"

namespace atc::onednn {

enum class Layout {
  first,  // dense, N C spatial (weights: K C spatial)
  last,   // dense, N spatial C (weights: K spatial C)
  given,  // the caller's strides, which belong to none of the other two layouts
  any,    // a layout that oneDNN chooses for the implementation; often one with blocks of channels
};

enum class Algorithm {
  direct,         // oneDNN's convolution primitive for the direction
  deconvolution,  // backward-data as oneDNN's forward deconvolution, which can also apply bias,
                  // relu and sum
  matmul,         // a matrix product: for 1x1 kernels with stride 1, no padding and one group, on
                  // the caller's dense memory
};

struct Configuration {
  Layout x = Layout::any, w = Layout::any, y = Layout::any;
  Dtype math = Dtype::f32;
  Algorithm algorithm = Algorithm::direct;
  std::string implementation;
};

std::string to_text(const Configuration& configuration);

// Throws Error(unsupported) for a text that to_text would not write.
Configuration parse(const std::string& text);

// The layouts of the caller's tensors. A layout that is both `first` and `last` (one channel, or
// one position) always gets the same name. The reason: if two descriptors differ only in the stride
// of an extent of 1, oneDNN 3.2's cache of primitives takes them for equal, but its search for
// implementations does not. So the second name would get the implementations of the first.
struct Layouts {
  Layout x, w, y;
};
Layouts layouts_of(const Problem& problem);

}  // namespace atc::onednn
