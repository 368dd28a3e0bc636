#include "problem_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "core/json.hpp"
#include "core/printable.hpp"

namespace atc::ffi {

namespace {

using Json = nlohmann::json;
using Row = nlohmann::ordered_json;
using Names = const char* const[3];  // names of up to three spatial dimensions, the last dimension
                                     // last

constexpr Names kInput = {"D", "H", "W"}, kKernel = {"T", "R", "S"},
                kPadding = {"padD", "padH", "padW"},
                kPaddingHigh = {"padHighD", "padHighH", "padHighW"},
                kStride = {"strideD", "strideH", "strideW"}, kDilation = {"dilD", "dilH", "dilW"},
                kOutputPadding = {"outpadD", "outpadH", "outpadW"};
constexpr std::array<std::string_view, 3> kOps = {"forward", "backward-data", "backward-weight"};
constexpr std::array<std::string_view, 3> kDtypes = {"f32", "bf16", "f16"};
constexpr std::array<std::string_view, 9> kActivations = {
    "relu", "relu6", "clamp", "silu", "gelu", "gelu-tanh", "hard-swish", "sigmoid", "leaky-relu"};
constexpr const char* kChannelsFirst = "channels-first";
constexpr const char* kChannelsLast = "channels-last";

struct Operand {
  const char* name;
  const std::int64_t* strides;
};

std::array<Operand, 3> operands_of(const atc_conv_problem& p) {
  return {{{"x", p.x_strides}, {"w", p.w_strides}, {"y", p.y_strides}}};
}

// The stride of an extent of 1 is never used, and not compared.
bool lies_as(const atc_conv_problem& problem, atc_layout layout) {
  if (problem.layout != ATC_LAYOUT_STRIDED) return problem.layout == layout;
  atc_conv_problem copy = problem;
  copy.layout = layout;
  Problem dense = to_problem(&copy);
  if (problem.transposed != 0) std::swap(dense.x, dense.y);
  const std::array<const Tensor*, 3> tensors = {&dense.x, &dense.w, &dense.y};
  const auto operands = operands_of(problem);
  for (std::size_t k = 0; k < tensors.size(); ++k)
    for (int i = 0; i < tensors[k]->rank; ++i)
      if (tensors[k]->shape[i] > 1 && tensors[k]->strides[i] != operands[k].strides[i])
        return false;
  return true;
}

// Returns the name of the layout that all three operands have, or else their strides.
Row layout_of(const atc_conv_problem& p) {
  if (lies_as(p, ATC_LAYOUT_CHANNELS_FIRST)) return kChannelsFirst;
  if (lies_as(p, ATC_LAYOUT_CHANNELS_LAST)) return kChannelsLast;
  Row strides;
  for (const Operand& operand : operands_of(p))
    strides[operand.name] =
        std::vector<std::int64_t>(operand.strides, operand.strides + p.spatial_dims + 2);
  return strides;
}

// The number of dimensions that a reader assumes without the column "dims": three with a depth, one
// where H and R are 1, but two where W and S are 1 as well.
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
    if (p.epilogue == ATC_EPILOGUE_BIAS_RELU) json_["relu"] = true;
    if (p.scale != 0) json_["scale"] = true;
    if (p.residual != 0) json_["residual"] = true;
    if (p.activation != ATC_ACTIVATION_NONE)
      json_["activation"] = kActivations[static_cast<std::size_t>(p.activation - 1)];
    if (p.activation == ATC_ACTIVATION_CLAMP) {
      json_["activationLow"] = p.activation_low;
      json_["activationHigh"] = p.activation_high;
    }
    if (p.activation == ATC_ACTIVATION_LEAKY_RELU) json_["activationSlope"] = p.activation_slope;
    if (p.w_dtype != p.x_dtype) json_["dtypeW"] = dtype_name(p.w_dtype);
    if (p.y_dtype != p.x_dtype) json_["dtypeY"] = dtype_name(p.y_dtype);
    if (p.transposed == 0) return;
    json_["transposed"] = true;
    unless(0, p.output_padding, kOutputPadding);
  }

  static std::string_view dtype_name(atc_dtype dtype) {
    return kDtypes[static_cast<std::size_t>(dtype - ATC_DTYPE_F32)];
  }

  Row json() && { return std::move(json_); }

 private:
  const char* name(const Names& names, int dim) const { return names[3 - p_.spatial_dims + dim]; }

  void extents(const std::int64_t* values, const Names& names) {
    if (p_.spatial_dims == 1) json_[names[1]] = 1;
    for (int i = 0; i < p_.spatial_dims; ++i) json_[name(names, i)] = values[i];
  }

  void unless(std::int64_t plain, const std::int64_t* values, const Names& names) {
    for (int i = 0; i < p_.spatial_dims; ++i)
      if (values[i] != plain) json_[name(names, i)] = values[i];
  }

  const atc_conv_problem& p_;
  Row json_;
};

// Returns the number of a member's value among `known`, counted from 1.
template <std::size_t N>
std::int32_t number_of(const Json& object, const char* member, std::int32_t absent,
                       const std::array<std::string_view, N>& known, const std::string& name) {
  const std::string value = text_from_json(object, member, name);
  if (value.empty() && !object.contains(member)) return absent;
  for (std::size_t i = 0; i < N; ++i)
    if (value == known[i]) return static_cast<std::int32_t>(i) + 1;
  std::string names;
  for (const std::string_view one : known)
    names.append(names.empty() ? "" : ", ").append("\"").append(one).append("\"");
  fail(Status::invalid_argument, "{}.{} is \"{}\": use one of {}", name, member, shown(value, 60),
       names);
}

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
      // These members are read in any case, so that they count as known.
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
    known_.emplace_back("activation");
    p.activation = number_of(columns_, "activation", ATC_ACTIVATION_NONE, kActivations, name_);
    p.activation_low = number("activationLow");
    p.activation_high = number("activationHigh");
    p.activation_slope = number("activationSlope");
    p.w_dtype = dtype("dtypeW", p.x_dtype);
    p.y_dtype = dtype("dtypeY", p.x_dtype);
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
    const auto found = columns_.find(member);
    if (found == columns_.end()) return 0;
    const double value = found->is_number() ? found->get<double>() : INFINITY;
    if (!(std::fabs(value) <= std::numeric_limits<float>::max()))
      fail(Status::invalid_argument, "{}.{} is {}: use a number within the range of fp32", name_,
           member, shown(found->dump(-1, ' ', false, Json::error_handler_t::replace), 60));
    return static_cast<float>(value);
  }
  bool flag(const char* member) {
    known_.emplace_back(member);
    return flag_from_json(columns_, member, name_);
  }
  atc_dtype dtype(const char* member, atc_dtype absent) {
    known_.emplace_back(member);
    return number_of(columns_, member, absent, kDtypes, name_);
  }

  const Json& columns_;
  const std::string name_;
  std::vector<std::string_view> known_;
};

void read_strides(std::int64_t (&out)[kMaxRank], const Json& strides, const char* operand, int rank,
                  const std::string& name) {
  const auto found = strides.find(operand);
  const bool is_list = found != strides.end() && found->is_array() &&
                       found->size() == static_cast<std::size_t>(rank);
  const auto is_integer = [](const Json& value) { return value.is_number_integer(); };
  if (!is_list || !std::all_of(found->begin(), found->end(), is_integer))
    fail(Status::invalid_argument, "{}.layout.{} is no list of {} whole numbers: give the strides",
         name, operand, rank);
  for (int i = 0; i < rank; ++i) out[i] = (*found)[static_cast<std::size_t>(i)].get<std::int64_t>();
}

void read_layout(atc_conv_problem& p, const Json& row, const std::string& name) {
  const auto layout = row.find("layout");
  p.layout = ATC_LAYOUT_CHANNELS_FIRST;
  if (layout == row.end() || *layout == kChannelsFirst) return;
  if (*layout == kChannelsLast) {
    p.layout = ATC_LAYOUT_CHANNELS_LAST;
    return;
  }
  if (!layout->is_object())
    fail(Status::invalid_argument,
         "{}.layout is {}: use \"{}\", \"{}\" or an object with the strides of x, w and y", name,
         shown(layout->dump(-1, ' ', false, Json::error_handler_t::replace), 60), kChannelsFirst,
         kChannelsLast);
  p.layout = ATC_LAYOUT_STRIDED;
  const int rank = p.spatial_dims + 2;
  read_strides(p.x_strides, *layout, "x", rank, name);
  read_strides(p.w_strides, *layout, "w", rank, name);
  read_strides(p.y_strides, *layout, "y", rank, name);
}

}  // namespace

std::int64_t integer_from_json(const Json& object, const char* member, std::int64_t absent,
                               const std::string& name) {
  const auto found = object.find(member);
  if (found == object.end()) return absent;
  const bool fits = found->is_number_integer() &&
                    !(found->is_number_unsigned() && found->get<std::uint64_t>() > INT64_MAX);
  if (!fits)
    fail(Status::invalid_argument, "{}.{} is {}: use a whole number", name, member,
         shown(found->dump(-1, ' ', false, Json::error_handler_t::replace), 60));
  return found->get<std::int64_t>();
}

bool flag_from_json(const Json& object, const char* member, const std::string& name) {
  const auto found = object.find(member);
  if (found == object.end()) return false;
  if (!found->is_boolean())
    fail(Status::invalid_argument, "{}.{} is {}: use true or false", name, member,
         shown(found->dump(-1, ' ', false, Json::error_handler_t::replace), 60));
  return found->get<bool>();
}

std::string text_from_json(const Json& object, const char* member, const std::string& name) {
  const auto found = object.find(member);
  if (found == object.end()) return "";
  if (!found->is_string())
    fail(Status::invalid_argument, "{}.{} is {}: use a text", name, member,
         shown(found->dump(-1, ' ', false, Json::error_handler_t::replace), 60));
  return found->get<std::string>();
}

Row to_json(const atc_conv_problem& problem) {
  Row row;
  row["op"] = kOps[static_cast<std::size_t>(problem.direction - ATC_FORWARD)];
  row["dtype"] = ColumnsWriter::dtype_name(problem.x_dtype);
  row["layout"] = layout_of(problem);
  if (problem.epilogue != ATC_EPILOGUE_NONE) row["bias"] = true;
  row["columns"] = ColumnsWriter(problem).json();
  return row;
}

atc_conv_problem problem_from_json(const Json& row, const std::string& name) {
  if (!row.is_object()) fail(Status::invalid_argument, "{} is no object", name);
  atc_conv_problem p{};
  p.struct_size = sizeof(p);
  p.direction = number_of(row, "op", ATC_FORWARD, kOps, name);
  p.x_dtype = number_of(row, "dtype", ATC_DTYPE_F32, kDtypes, name);
  p.epilogue = flag_from_json(row, "bias", name) ? ATC_EPILOGUE_BIAS : ATC_EPILOGUE_NONE;
  const auto columns = row.find("columns");
  ColumnsReader(columns == row.end() ? Json() : *columns, name + ".columns").read(p);
  read_layout(p, row, name);
  return p;
}

}  // namespace atc::ffi
