// atc's tensors as oneDNN's memory descriptors.
#pragma once

#include <dnnl.hpp>
#include <string>

#include "core/problem.hpp"
#include "engines/onednn/configuration.hpp"

namespace atc::onednn {

dnnl::memory::data_type data_type_of(Dtype dtype);

// x or y in a layout. `given`, and the layout that the tensor already has, describe the caller's
// memory.
dnnl::memory::desc activation(const Tensor& tensor, Layout layout, Dtype dtype);

// w in a layout. If there are several groups, the group is a dimension of its own. `transposed`
// swaps input and output channels, as a deconvolution requires.
dnnl::memory::desc weights(const Problem& problem, Layout layout, Dtype dtype, bool transposed);

// Explicit extents and strides. Strides of extents of 1 have no meaning, and are replaced by
// strides that pass oneDNN's check for overlap.
dnnl::memory::desc strided(const dnnl::memory::dims& extents, dnnl::memory::dims strides,
                           Dtype dtype);

// "aBcd16b": oneDNN's notation, for people.
std::string layout_text(const dnnl::memory::desc& desc);

}  // namespace atc::onednn
