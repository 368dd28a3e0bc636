// Converts tensors of atc to memory descriptors of oneDNN.
#pragma once

#include <dnnl.hpp>
#include <string>

#include "core/problem.hpp"
#include "engines/onednn/configuration.hpp"

namespace atc::onednn {

dnnl::memory::data_type data_type_of(Dtype dtype);

// Returns the descriptor of x or y in a layout. If the layout is Layout::given or the layout that
// the tensor already has, the descriptor describes the caller's memory.
dnnl::memory::desc activation(const Tensor& tensor, Layout layout, Dtype dtype);

// Returns the descriptor of w in a layout. If there are several groups, the descriptor has a
// dimension for the groups. If `transposed` is true, input and output channels are exchanged, which
// oneDNN's deconvolution requires.
dnnl::memory::desc weights(const Problem& problem, Layout layout, Dtype dtype, bool transposed);

// Returns the descriptor of a tensor with the given extents and strides. If a dimension has one
// element, its stride has no effect on addresses. Such a stride is replaced by one with which the
// tensor passes oneDNN's check for overlapping elements.
dnnl::memory::desc strided(const dnnl::memory::dims& extents, dnnl::memory::dims strides,
                           Dtype dtype);

// Returns the layout in oneDNN's notation, such as "aBcd16b", for people.
std::string layout_text(const dnnl::memory::desc& desc);

}  // namespace atc::onednn
