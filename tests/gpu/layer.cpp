#include "layer.hpp"

#include "atc/atc.h"
#include "core/fill.hpp"
#include "engines/reference/position.hpp"

namespace atc::test {

Spec same_3x3(std::int64_t channels, std::int64_t side) {
  Spec spec;
  spec.batch = 4;
  spec.channels_in = spec.channels_out = channels;
  spec.in = {side, side, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  return spec;
}

Layer::Layer(const Spec& spec, int device) : device_(device), known_(build(spec)) {
  atc_conv_problem_init(&problem_, spec.spatial);
  problem_.direction = static_cast<std::int32_t>(spec.direction);
  problem_.batch = spec.batch;
  problem_.in_channels = spec.channels_in;
  problem_.out_channels = spec.channels_out;
  problem_.groups = spec.groups;
  problem_.layout =
      spec.x_memory == Memory::last ? ATC_LAYOUT_CHANNELS_LAST : ATC_LAYOUT_CHANNELS_FIRST;
  problem_.x_dtype = static_cast<std::int32_t>(spec.x);
  problem_.w_dtype = static_cast<std::int32_t>(spec.w);
  problem_.y_dtype = static_cast<std::int32_t>(spec.y);
  for (int i = 0; i < spec.spatial; ++i) {
    problem_.input[i] = spec.in[i];
    problem_.kernel[i] = spec.kernel[i];
    problem_.stride[i] = spec.stride[i];
    problem_.dilation[i] = spec.dilation[i];
    problem_.padding_low[i] = spec.pad_low[i];
    problem_.padding_high[i] = spec.pad_high[i];
  }
  x_host_.resize(known_.x.span_bytes());
  w_host_.resize(known_.w.span_bytes());
  y_host_.resize(known_.y.span_bytes());
  fill_ternary(known_.x, x_host_.data(), 1);
  fill_ternary(known_.w, w_host_.data(), 2);
  fill_ternary(known_.y, y_host_.data(), 3);
  x_ = std::make_unique<OnDevice>(x_host_.data(), x_host_.size(), device_);
  w_ = std::make_unique<OnDevice>(w_host_.data(), w_host_.size(), device_);
  y_ = std::make_unique<OnDevice>(y_host_.data(), y_host_.size(), device_);
  view(x_view_, known_.x, *x_);
  view(w_view_, known_.w, *w_);
  view(y_view_, known_.y, *y_);
  unwrite();
}

void Layer::view(atc_tensor_view& view, Tensor& tensor, const OnDevice& memory) {
  view = {};
  view.data = memory.data();
  view.device = device();
  view.ndim = tensor.rank;
  view.dtype.code = tensor.dtype == Dtype::bf16 ? 4 : 2;
  view.dtype.bits = static_cast<std::uint8_t>(8 * size_of(tensor.dtype));
  view.dtype.lanes = 1;
  view.shape = tensor.shape.data();
  view.strides = tensor.strides.data();
}

atc_status Layer::run(Stream stream) {
  return atc_convolution(&problem_, &x_view_, &w_view_, nullptr, &y_view_,
                         static_cast<atc_stream>(stream));
}

atc_status Layer::run(atc_conv_plan* plan, Stream stream) {
  return atc_conv_plan_execute(plan, &x_view_, &w_view_, nullptr, &y_view_, nullptr, 0,
                               static_cast<atc_stream>(stream));
}

void Layer::set_weights(atc_conv_plan* plan) {
  EXPECT_EQ(atc_conv_plan_set_weights(plan, &w_view_), ATC_OK) << atc_last_error();
}

atc_status Layer::run_with_set_weights(atc_conv_plan* plan, Stream stream) {
  return atc_conv_plan_execute(plan, &x_view_, nullptr, nullptr, &y_view_, nullptr, 0,
                               static_cast<atc_stream>(stream));
}

void Layer::unwrite() {
  const cuda::ContextScope scope(device_);
  Operands operands;
  operands.x = x_->data();
  operands.w = w_->data();
  operands.y = y_->data();
  cuda::set_bytes(output_of(known_, operands), 0xff, known_.output().span_bytes(), nullptr);
}

void Layer::fill_normal_numbers() {
  const auto fill = [](const Tensor& tensor, std::vector<unsigned char>& host, const OnDevice& to,
                       std::uint64_t seed) {
    fill_normal(tensor, host.data(), seed);
    to.write(host.data());
  };
  fill(known_.x, x_host_, *x_, 1);
  fill(known_.w, w_host_, *w_, 2);
  fill(known_.y, y_host_, *y_, 3);
}

std::vector<unsigned char> Layer::bits() const {
  atc_synchronize(device_);
  const OnDevice& output = known_.direction == Direction::backward_data     ? *x_
                           : known_.direction == Direction::backward_weight ? *w_
                                                                            : *y_;
  std::vector<unsigned char> bits(known_.output().span_bytes());
  output.read(bits.data());
  return bits;
}

void Layer::expect_right() {
  const std::vector<unsigned char> got = bits();
  Operands operands;
  operands.x = x_host_.data();
  operands.w = w_host_.data();
  for (std::int64_t i = 0; i < known_.y.elements(); i += 131)
    ASSERT_EQ(reinterpret_cast<const float*>(got.data())[i],
              reference::value_at(known_, operands, known_.y.index_of(i)).value)
        << "element " << i;
}

Layer::Decided Layer::decided() const {
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.alignment = 16;
  Decided decided;
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&plan, device(), &problem_, &options), ATC_OK) << atc_last_error();
  if (plan == nullptr) return decided;
  const char* choice = "";
  EXPECT_EQ(atc_conv_plan_source(&decided.source, plan), ATC_OK);
  EXPECT_EQ(atc_conv_plan_choice(&choice, plan), ATC_OK);
  decided.choice = choice;
  atc_conv_plan_destroy(plan);
  return decided;
}

}  // namespace atc::test
