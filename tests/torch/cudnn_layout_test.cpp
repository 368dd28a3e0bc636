// Tests the rule by which the bridge predicts the memory layout of cuDNN's results. This test runs
// on the CPU, and compares the rule with the steps that LibTorch's own functions make.
// layout_test.cpp compares layouts on a device.
#include "cudnn_layout.hpp"

#include <ATen/Functions.h>
#include <ATen/native/ConvUtils.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

using at::MemoryFormat;
using atc_torch::format_by_cudnn;
using atc_torch::Tensors;

// Does the same as at::native::cudnn_conv_suggest_memory_format, which LibTorch only has if it was
// built with cuDNN.
MemoryFormat suggested(const at::Tensor& a, const at::Tensor& b) {
  const MemoryFormat last =
      a.dim() == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  return a.suggest_memory_format() == last || b.suggest_memory_format() == last
             ? last
             : MemoryFormat::Contiguous;
}

// Returns the layout of the result, computed in the same steps as in
// at::native::convolution_backward and in LibTorch's functions for cuDNN.
MemoryFormat by_steps(atc_direction direction, bool transposed, const Tensors& tensors) {
  const MemoryFormat format = suggested(tensors.x, tensors.w);
  if (direction == ATC_FORWARD) return suggested(tensors.x.contiguous(format), tensors.w);
  const at::Tensor x = tensors.x.contiguous(format);
  const at::Tensor y = transposed ? tensors.y.contiguous(x.suggest_memory_format())
                                  : tensors.y.to(x.suggest_memory_format());
  return direction == ATC_BACKWARD_DATA ? suggested(y, tensors.w) : suggested(x, y);
}

// Returns the tensor in several layouts: unchanged, with channels last, and with other strides in
// dimensions of extent 1.
std::vector<at::Tensor> in_all_layouts(const std::vector<std::int64_t>& shape) {
  const at::Tensor first = at::ones(shape);
  const MemoryFormat last =
      shape.size() == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  std::vector<at::Tensor> all{first,
                              at::empty(shape, at::TensorOptions(at::kFloat), last).fill_(1)};
  for (const std::int64_t stride : {1, 2, 1000}) {
    std::vector<std::int64_t> strides = first.strides().vec();
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i] == 1) strides[i] = stride;
    all.push_back(first.as_strided(shape, strides));
  }
  return all;
}

TEST(CudnnLayout, IsThatOfLibTorchsSteps) {
  int last = 0, all = 0;
  for (const bool volume : {false, true})
    for (const std::int64_t channels : {1, 3})
      for (const std::int64_t filters : {1, 2})
        for (const std::int64_t batch : {1, 2})
          for (const std::int64_t extent : {1, 3, 5})
            for (const std::int64_t kernel : {1, 3}) {
              if (kernel > extent) continue;
              const auto shape = [&](std::int64_t n, std::int64_t c, std::int64_t e) {
                std::vector<std::int64_t> of{n, c, e, e};
                if (volume) of.push_back(e);
                return of;
              };
              const auto ys = in_all_layouts(shape(batch, filters, extent - kernel + 1));
              for (const at::Tensor& x : in_all_layouts(shape(batch, channels, extent)))
                for (const at::Tensor& w : in_all_layouts(shape(filters, channels, kernel)))
                  for (const at::Tensor& y : ys)
                    for (const atc_direction direction :
                         {ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT})
                      for (const bool transposed : {false, true}) {
                        const Tensors tensors{x, w, y};
                        const MemoryFormat expected = by_steps(direction, transposed, tensors);
                        EXPECT_EQ(format_by_cudnn(direction, transposed, tensors, suggested(x, w)),
                                  expected)
                            << direction << (transposed ? " transposed" : "") << " of x "
                            << x.sizes() << x.strides() << ", w " << w.sizes() << w.strides()
                            << ", y " << y.sizes() << y.strides();
                        last += expected == MemoryFormat::Contiguous ? 0 : 1;
                        ++all;
                      }
            }
  EXPECT_GT(last, all / 10);
  EXPECT_LT(last, all - all / 10);
}

TEST(CudnnLayout, OfWeightsFollowsXAndNotTheWeights) {
  const at::Tensor x = at::ones({1, 1, 100, 100}), y = at::ones({1, 64, 98, 98});
  const at::Tensor w = at::ones({64, 1, 3, 3}).contiguous(MemoryFormat::ChannelsLast);
  const at::Tensor last =
      at::empty({64, 1, 3, 3}, at::TensorOptions(at::kFloat), MemoryFormat::ChannelsLast);
  for (const at::Tensor& weights : {w, last})
    EXPECT_EQ(format_by_cudnn(ATC_BACKWARD_WEIGHT, false, {x, weights, y}, suggested(x, weights)),
              MemoryFormat::Contiguous);
  EXPECT_EQ(suggested(x, last), MemoryFormat::ChannelsLast) << "there is nothing to see here";
}

}  // namespace
