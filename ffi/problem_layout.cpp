#include "problem_layout.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "core/json.hpp"
#include "json_members.hpp"

namespace atc::ffi {

namespace {

using Json = nlohmann::json;
using Row = nlohmann::ordered_json;

constexpr const char* kChannelsFirst = "channels-first";
constexpr const char* kChannelsLast = "channels-last";

struct Operand {
  const char* name;
  const std::int64_t* strides;
};

std::array<Operand, 3> operands_of(const atc_conv_problem& p) {
  return {{{"x", p.x_strides}, {"w", p.w_strides}, {"y", p.y_strides}}};
}

// Whether x, w and y all have this layout. The stride of a dimension with one element is never
// used, so it is not compared.
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

}  // namespace

Row layout_to_json(const atc_conv_problem& p) {
  if (lies_as(p, ATC_LAYOUT_CHANNELS_FIRST)) return kChannelsFirst;
  if (lies_as(p, ATC_LAYOUT_CHANNELS_LAST)) return kChannelsLast;
  Row strides;
  for (const Operand& operand : operands_of(p))
    strides[operand.name] =
        std::vector<std::int64_t>(operand.strides, operand.strides + p.spatial_dims + 2);
  return strides;
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
         shown_value(*layout), kChannelsFirst, kChannelsLast);
  p.layout = ATC_LAYOUT_STRIDED;
  const int rank = p.spatial_dims + 2;
  read_strides(p.x_strides, *layout, "x", rank, name);
  read_strides(p.w_strides, *layout, "w", rank, name);
  read_strides(p.y_strides, *layout, "y", rank, name);
}

}  // namespace atc::ffi
