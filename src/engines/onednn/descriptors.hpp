// atc's tensors as oneDNN's memory descriptors.
#pragma once

#include <dnnl.hpp>
#include <string>

#include "core/problem.hpp"
#include "engines/onednn/configuration.hpp"

namespace atc::onednn {

dnnl::memory::data_type data_type_of(Dtype dtype);

// Returns the descriptor of x or y in a layout. `given`, and the layout that the tensor already
// has, describe the caller's memory.
dnnl::memory::desc activation(const Tensor& tensor, Layout layout, Dtype dtype);

// Returns the descriptor of w in a layout. If there are several groups, the groups are a dimension
// of their own. `transposed` swaps input and output channels, as a deconvolution requires.
dnnl::memory::desc weights(const Problem& problem, Layout layout, Dtype dtype, bool transposed);

// Returns the descriptor of explicit extents and strides. The stride of an extent of 1 has no
// meaning. It is replaced by one that passes oneDNN's check for overlap.
dnnl::memory::desc strided(const dnnl::memory::dims& extents, dnnl::memory::dims strides,
                           Dtype dtype);

// "aBcd16b": oneDNN's notation, for people.
std::string layout_text(const dnnl::memory::desc& desc);

}  // namespace atc::onednn
