#include "problem_columns.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "core/json.hpp"
#include "core/printable.hpp"
#include "json_members.hpp"
#include "problem_names.hpp"

namespace atc::ffi {

namespace {

using Json = nlohmann::json;
using Row = nlohmann::ordered_json;
// The names of the columns for one property, such as the stride: for depth, height and width, in
// this order. A problem with fewer spatial dimensions uses the last of these names.
using DimNames = const char* const[3];

constexpr DimNames kInput = {"D", "H", "W"}, kKernel = {"T", "R", "S"},
                   kPadding = {"padD", "padH", "padW"},
                   kPaddingHigh = {"padHighD", "padHighH", "padHighW"},
                   kStride = {"strideD", "strideH", "strideW"},
                   kDilation = {"dilD", "dilH", "dilW"},
                   kOutputPadding = {"outpadD", "outpadH", "outpadW"};

// Returns the number of spatial dimensions that a reader of the JSON assumes if the column "dims"
// is missing: 3 if there is a depth (D is not 0), 1 if H and R are 1 and W or S is not 1, and 2 in
// all other cases.
std::int32_t assumed_dims(std::int64_t depth, std::int64_t height, std::int64_t kernel_height,
                          bool is_pixel) {
  if (depth != 0) return 3;
  return height == 1 && kernel_height == 1 && !is_pixel ? 1 : 2;
}

class ColumnsWriter {
 public:
  explicit ColumnsWriter(const atc_conv_problem& p) : p_(p) {
    json_["N"] = p.batch;
    json_["C"] = p.in_channels;
    extents(p.input, kInput);
    json_["K"] = p.out_channels;
    extents(p.kernel, kKernel);
    unless(0, p.padding_low, kPadding);
    if (!std::equal(p.padding_low, p.padding_low + p.spatial_dims, p.padding_high))
      for (int i = 0; i < p.spatial_dims; ++i) json_[name(kPaddingHigh, i)] = p.padding_high[i];
    unless(1, p.stride, kStride);
    if (std::equal(p.dilation + 1, p.dilation + p.spatial_dims, p.dilation)) {
      if (p.dilation[0] != 1) json_["dil"] = p.dilation[0];
    } else {
      unless(1, p.dilation, kDilation);
    }
    if (p.groups != 1) json_["groups"] = p.groups;
    const int width = p.spatial_dims - 1;
    const bool plane = p.spatial_dims == 2;
    if (p.spatial_dims != assumed_dims(p.spatial_dims == 3 ? p.input[0] : 0, plane ? p.input[0] : 1,
                                       plane ? p.kernel[0] : 1,
                                       p.input[width] == 1 && p.kernel[width] == 1))
      json_["dims"] = p.spatial_dims;
    if (p.accumulate != 0) json_["accumulate"] = true;
    if (p.epilogue == ATC_EPILOGUE_BIAS_RELU)
      json_["activation"] = name_of(ATC_ACTIVATION_RELU, kActivationNames);
    if (p.scale != 0) json_["scale"] = true;
    if (p.residual != 0) json_["residual"] = true;
    if (p.activation != ATC_ACTIVATION_NONE)
      json_["activation"] = name_of(p.activation, kActivationNames);
    if (p.activation == ATC_ACTIVATION_CLAMP) {
      json_["activationLow"] = p.activation_low;
      json_["activationHigh"] = p.activation_high;
    }
    if (p.activation == ATC_ACTIVATION_LEAKY_RELU) json_["activationSlope"] = p.activation_slope;
    if (p.w_dtype != p.x_dtype) json_["dtypeW"] = name_of(p.w_dtype, kDtypeNames);
    if (p.y_dtype != p.x_dtype) json_["dtypeY"] = name_of(p.y_dtype, kDtypeNames);
    if (p.transposed == 0) return;
    json_["transposed"] = true;
    unless(0, p.output_padding, kOutputPadding);
  }

  Row json() && { return std::move(json_); }

 private:
  const char* name(const DimNames& names, int dim) const {
    return names[3 - p_.spatial_dims + dim];
  }

  void extents(const std::int64_t* values, const DimNames& names) {
    if (p_.spatial_dims == 1) json_[names[1]] = 1;
    for (int i = 0; i < p_.spatial_dims; ++i) json_[name(names, i)] = values[i];
  }

  void unless(std::int64_t plain, const std::int64_t* values, const DimNames& names) {
    for (int i = 0; i < p_.spatial_dims; ++i)
      if (values[i] != plain) json_[name(names, i)] = values[i];
  }

  const atc_conv_problem& p_;
  Row json_;
};

class ColumnsReader {
 public:
  ColumnsReader(const Json& columns, std::string name) : columns_(columns), name_(std::move(name)) {
    if (!columns.is_object())
      fail(Status::invalid_argument, "{} is missing or no object: it has N, C, H, W, K, R and S",
           name_);
  }

  void read(atc_conv_problem& p) {
    p.batch = required_integer("N");
    p.in_channels = required_integer("C");
    p.out_channels = required_integer("K");
    const std::int64_t height = required_integer("H"), width = required_integer("W");
    const std::int64_t kernel_height = required_integer("R"), kernel_width = required_integer("S");
    const std::int64_t input[3] = {integer("D", 0), height, width};
    const std::int64_t kernel[3] = {integer("T", 0), kernel_height, kernel_width};
    const std::int64_t dims = integer(
        "dims", assumed_dims(input[0], height, kernel_height, width == 1 && kernel_width == 1));
    if (dims < 1 || dims > kMaxSpatial)
      fail(Status::invalid_argument, "{}.dims is {}: use 1 to {}", name_, dims, kMaxSpatial);
    p.spatial_dims = static_cast<std::int32_t>(dims);
    const std::int64_t dilation = integer("dil", 1);
    p.groups = integer("groups", 1);
    p.transposed = flag("transposed") ? 1 : 0;
    for (int i = 0; i < kMaxSpatial; ++i) {
      const int dim = i - (kMaxSpatial - p.spatial_dims);
      // The members for depth and height are also read if the problem does not have these
      // dimensions. A member that was never read counts as unknown and is refused below.
      const std::int64_t low = integer(kPadding[i], 0), high = integer(kPaddingHigh[i], low);
      const std::int64_t stride = integer(kStride[i], 1), dil = integer(kDilation[i], dilation);
      const std::int64_t more = integer(kOutputPadding[i], 0);
      if (dim < 0) continue;
      p.input[dim] = input[i];
      p.kernel[dim] = kernel[i];
      p.padding_low[dim] = low;
      p.padding_high[dim] = high;
      p.stride[dim] = stride;
      p.dilation[dim] = dil;
      p.output_padding[dim] = more;
    }
    p.accumulate = flag("accumulate") ? 1 : 0;
    if (flag("relu")) p.epilogue = ATC_EPILOGUE_BIAS_RELU;
    p.scale = flag("scale") ? 1 : 0;
    p.residual = flag("residual") ? 1 : 0;
    p.activation = place("activation", ATC_ACTIVATION_NONE, kActivationNames);
    p.activation_low = number("activationLow");
    p.activation_high = number("activationHigh");
    p.activation_slope = number("activationSlope");
    p.w_dtype = place("dtypeW", p.x_dtype, kDtypeNames);
    p.y_dtype = place("dtypeY", p.x_dtype, kDtypeNames);
    for (const auto& [member, value] : columns_.items())
      if (std::find(known_.begin(), known_.end(), member) == known_.end())
        fail(Status::invalid_argument, "{} has the member \"{}\", which this atc does not know",
             name_, shown(member, 60));
  }

 private:
  std::int64_t integer(const char* member, std::int64_t absent) {
    known_.emplace_back(member);
    return integer_from_json(columns_, member, absent, name_);
  }
  std::int64_t required_integer(const char* member) {
    if (!columns_.contains(member))
      fail(Status::invalid_argument, "{}.{} is missing: give a whole number", name_, member);
    return integer(member, 0);
  }
  float number(const char* member) {
    known_.emplace_back(member);
    return number_from_json(columns_, member, name_);
  }
  bool flag(const char* member) {
    known_.emplace_back(member);
    return flag_from_json(columns_, member, name_);
  }
  std::int32_t place(const char* member, std::int32_t absent, Names names) {
    known_.emplace_back(member);
    return place_from_json(columns_, member, absent, names, name_);
  }

  const Json& columns_;
  const std::string name_;
  std::vector<std::string_view> known_;
};

}  // namespace

Row columns_to_json(const atc_conv_problem& problem) { return ColumnsWriter(problem).json(); }

void read_columns(atc_conv_problem& problem, const Json& columns, const std::string& name) {
  ColumnsReader(columns, name).read(problem);
}

}  // namespace atc::ffi
