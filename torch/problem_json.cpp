#include "problem_json.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "guard.hpp"

namespace atc_torch {

namespace {

using Json = nlohmann::ordered_json;

const char* op_of(atc_direction direction) {
  if (direction == ATC_BACKWARD_DATA) return "backward-data";
  return direction == ATC_BACKWARD_WEIGHT ? "backward-weight" : "forward";
}

const char* dtype_of(atc_dtype dtype) {
  if (dtype == ATC_DTYPE_BF16) return "bf16";
  return dtype == ATC_DTYPE_F16 ? "f16" : "f32";
}

struct Operand {
  const char* name;
  std::int32_t which;
  const std::int64_t* strides;
};

std::vector<Operand> operands_of(const atc_conv_problem& p) {
  return {{"x", ATC_OPERAND_X, p.x_strides},
          {"w", ATC_OPERAND_W, p.w_strides},
          {"y", ATC_OPERAND_Y, p.y_strides}};
}

// The stride of an extent of 1 is never used, so it is not compared.
bool lies_as(const atc_conv_problem& problem, atc_layout layout) {
  atc_conv_problem dense = problem;
  dense.layout = layout;
  for (const Operand& operand : operands_of(problem)) {
    std::int64_t shape[5], strides[5];
    check(atc_conv_operand_shape(shape, strides, &dense, operand.which));
    for (int i = 0; i < problem.spatial_dims + 2; ++i)
      if (shape[i] > 1 && strides[i] != operand.strides[i]) return false;
  }
  return true;
}

// Returns the name of the layout if all three operands have the same one; otherwise their strides.
Json layout_of(const atc_conv_problem& p) {
  if (lies_as(p, ATC_LAYOUT_CHANNELS_FIRST)) return "channels-first";
  if (lies_as(p, ATC_LAYOUT_CHANNELS_LAST)) return "channels-last";
  Json strides;
  for (const Operand& operand : operands_of(p))
    strides[operand.name] =
        std::vector<std::int64_t>(operand.strides, operand.strides + p.spatial_dims + 2);
  return strides;
}

class Columns {
 public:
  explicit Columns(const atc_conv_problem& p) : p_(p) {
    json_["N"] = p.batch;
    json_["C"] = p.in_channels;
    extents(p.input, {"D", "H", "W"});
    json_["K"] = p.out_channels;
    extents(p.kernel, {"T", "R", "S"});
    unless(0, p.padding_low, {"padD", "padH", "padW"});
    unless(1, p.stride, {"strideD", "strideH", "strideW"});
    if (std::equal(p.dilation + 1, p.dilation + p.spatial_dims, p.dilation)) {
      if (p.dilation[0] != 1) json_["dil"] = p.dilation[0];
    } else {
      unless(1, p.dilation, {"dilD", "dilH", "dilW"});
    }
    if (p.groups != 1) json_["groups"] = p.groups;
    if (p.spatial_dims != told_dims()) json_["dims"] = p.spatial_dims;
    if (p.transposed == 0) return;
    json_["transposed"] = true;
    unless(0, p.output_padding, {"outpadD", "outpadH", "outpadW"});
  }

  Json json() && { return std::move(json_); }

 private:
  using Names = const char* const (&)[3];

  void extents(const std::int64_t* values, Names names) {
    if (p_.spatial_dims == 1) json_[names[1]] = 1;
    unless(0, values, names);
  }

  // The last of `names` belongs to the last dimension.
  void unless(std::int64_t plain, const std::int64_t* values, Names names) {
    for (int i = 0; i < p_.spatial_dims; ++i)
      if (values[i] != plain) json_[names[3 - p_.spatial_dims + i]] = values[i];
  }

  // Returns the number of dimensions that a reader assumes if "dims" is absent: 1 if H and R are 1,
  // except if W and S are 1 as well, which means 2.
  std::int32_t told_dims() const {
    if (p_.spatial_dims == 3) return 3;
    const int width = p_.spatial_dims - 1;
    const bool flat = width == 0 || (p_.input[0] == 1 && p_.kernel[0] == 1);
    return flat && !(p_.input[width] == 1 && p_.kernel[width] == 1) ? 1 : 2;
  }

  const atc_conv_problem& p_;
  Json json_;
};

}  // namespace

Json to_json(const atc_conv_problem& problem) {
  Json row;
  row["op"] = op_of(problem.direction);
  row["dtype"] = dtype_of(problem.x_dtype);
  row["layout"] = layout_of(problem);
  if (problem.epilogue == ATC_EPILOGUE_BIAS) row["bias"] = true;
  row["columns"] = Columns(problem).json();
  return row;
}

}  // namespace atc_torch
