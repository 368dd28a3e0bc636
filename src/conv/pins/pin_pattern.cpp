#include "conv/pins/pin_pattern.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json_object.hpp"
#include "device/description.hpp"

namespace atc::conv {

using Json = nlohmann::json;

namespace {

enum class Kind { word, text, flag, number, extents };

struct Field {
  const char* name;
  Kind kind;
  std::int64_t least = 0;                   // the smallest valid number or extent
  std::array<const char*, 9> words = {{}};  // the valid words
};

constexpr std::array<Field, 29> kFields = {{
    {"device", Kind::word, 0, {"cpu", "cuda"}},
    {"device_name", Kind::text},
    {"direction", Kind::word, 0, {"forward", "backward-data", "backward-weight"}},
    {"transposed", Kind::flag},
    {"spatial_dims", Kind::number, 1},
    {"batch", Kind::number, 1},
    {"in_channels", Kind::number, 1},
    {"out_channels", Kind::number, 1},
    {"groups", Kind::number, 1},
    {"input", Kind::extents, 1},
    {"output", Kind::extents, 1},
    {"kernel", Kind::extents, 1},
    {"stride", Kind::extents, 1},
    {"dilation", Kind::extents, 1},
    {"padding", Kind::extents},
    {"padding_low", Kind::extents},
    {"padding_high", Kind::extents},
    {"dtype", Kind::word, 0, {"f32", "bf16", "f16"}},
    {"x_dtype", Kind::word, 0, {"f32", "bf16", "f16"}},
    {"w_dtype", Kind::word, 0, {"f32", "bf16", "f16"}},
    {"y_dtype", Kind::word, 0, {"f32", "bf16", "f16"}},
    {"layout", Kind::word, 0, {"channels-first", "channels-last", "strided"}},
    {"epilogue", Kind::word, 0, {"none", "bias", "bias-relu"}},
    {"scale", Kind::flag},
    {"residual", Kind::flag},
    {"activation",
     Kind::word,
     0,
     {"none", "relu", "clamp", "silu", "gelu", "gelu-tanh", "hard-swish", "sigmoid", "leaky-relu"}},
    {"accumulate", Kind::flag},
    {"constant_weights", Kind::flag},
    {"deterministic", Kind::flag},
}};

const Field* field_of(const std::string& name) {
  const auto* const found = std::find_if(kFields.begin(), kFields.end(),
                                         [&](const Field& field) { return field.name == name; });
  return found == kFields.end() ? nullptr : found;
}

std::vector<std::string> words_of(const Field& field) {
  std::vector<std::string> words;
  for (const char* const word : field.words)
    if (word != nullptr) words.emplace_back(word);
  return words;
}

// Whether the value is a JSON number without a fraction, from `least` to the largest extent.
bool is_number(const Json& value, std::int64_t least) {
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX} &&
           value.get<std::int64_t>() >= least;
  return value.is_number_integer() && value.get<std::int64_t>() >= least;
}

bool is_extents(const Json& value, std::int64_t least) {
  if (!value.is_array()) return is_number(value, least);
  return !value.empty() && value.size() <= kMaxSpatial &&
         std::all_of(value.begin(), value.end(),
                     [&](const Json& one) { return is_number(one, least); });
}

// Returns "" if `value` is valid for the field. Otherwise returns the valid values, as text for an
// error message.
std::string objection(const Field& field, const Json& value) {
  const std::vector<std::string> words = words_of(field);
  switch (field.kind) {
    case Kind::word:
      if (value.is_string() &&
          std::find(words.begin(), words.end(), value.get<std::string>()) != words.end())
        return "";
      return format("write \"{}\"", joined(words, "\" or \""));
    case Kind::text:
      return value.is_string() ? "" : "write a text";
    case Kind::flag:
      return value.is_boolean() ? "" : "write true or false";
    case Kind::number:
      return is_number(value, field.least) ? ""
                                           : format("write a whole number from {}", field.least);
    case Kind::extents:
      return is_extents(value, field.least)
                 ? ""
                 : format(
                       "write a whole number from {}, for every dimension, or a list of one to {} "
                       "of them",
                       field.least, kMaxSpatial);
  }
  return "";
}

// Whether `actual`, the value of a field for a problem, matches `wanted`, the value in the pattern.
// It does in three cases: both are equal; `actual` is a list of words (such as the layouts of a
// tensor), and `wanted` is one of them; `actual` has one number for each dimension, and all of
// these numbers equal `wanted`.
bool equals(const Json& wanted, const Json& actual) {
  if (!actual.is_array() || wanted.is_array()) return wanted == actual;
  if (wanted.is_number())
    return std::all_of(actual.begin(), actual.end(),
                       [&](const Json& extent) { return extent == wanted; });
  return std::find(actual.begin(), actual.end(), wanted) != actual.end();
}

Json list(const Extents& extents, int spatial) {
  return std::vector<std::int64_t>(extents.begin(), extents.begin() + spatial);
}

Json spatial_extents(const Tensor& tensor) {
  return std::vector<std::int64_t>(tensor.shape.begin() + 2, tensor.shape.begin() + tensor.rank);
}

// Returns the layouts of the tensors. If a tensor has only one channel or only one position, it is
// channels-first and channels-last at once.
Json layouts_of(const Problem& problem) {
  const Tensor* const tensors[] = {&problem.x, &problem.w, &problem.y};
  const auto all = [&](bool (Tensor::*lies)() const) {
    return std::all_of(std::begin(tensors), std::end(tensors),
                       [&](const Tensor* tensor) { return (tensor->*lies)(); });
  };
  Json layouts = Json::array();
  if (all(&Tensor::channels_first)) layouts.push_back("channels-first");
  if (all(&Tensor::channels_last)) layouts.push_back("channels-last");
  if (layouts.empty()) layouts.push_back("strided");
  return layouts;
}

Direction callers_direction(const Problem& problem) {
  if (!problem.from_transposed || problem.direction == Direction::backward_weight)
    return problem.direction;
  return problem.direction == Direction::forward ? Direction::backward_data : Direction::forward;
}

}  // namespace

void check_pattern(const Json& pattern) {
  if (!pattern.is_object())
    fail(Status::invalid_argument, "match is {}: write an object", pattern.dump());
  for (const auto& [name, value] : pattern.items()) {
    const Field* const field = field_of(name);
    if (field == nullptr)
      fail(Status::invalid_argument, "match.{} is no field of a problem: use {}",
           name.substr(0, 40), joined(pattern_field_names(), ", "));
    if (const std::string valid = objection(*field, value); !valid.empty())
      fail(Status::invalid_argument, "match.{} is {}: {}", name, value.dump().substr(0, 80), valid);
  }
}

Json pattern_fields(const Problem& problem, const Request& request) {
  const int spatial = problem.spatial;
  const bool turned = problem.from_transposed;
  const Tensor& x = turned ? problem.y : problem.x;
  const Tensor& y = turned ? problem.x : problem.y;
  Json fields = json_object(
      {{"device", request.device.type == DeviceType::cuda ? "cuda" : "cpu"},
       {"device_name", device_name(request.device)},
       {"direction", name_of(callers_direction(problem))},
       {"transposed", turned},
       {"spatial_dims", spatial},
       {"batch", problem.batch()},
       {"in_channels", x.shape[1]},
       {"out_channels", y.shape[1]},
       {"groups", problem.groups},
       {"input", spatial_extents(x)},
       {"output", spatial_extents(y)},
       {"kernel", spatial_extents(problem.w)},
       {"stride", list(problem.stride, spatial)},
       {"dilation", list(problem.dilation, spatial)},
       {"padding_low", list(problem.pad_low, spatial)},
       {"padding_high", list(problem.pad_high, spatial)},
       {"x_dtype", name_of(x.dtype)},
       {"w_dtype", name_of(problem.w.dtype)},
       {"y_dtype", name_of(y.dtype)},
       {"layout", layouts_of(problem)},
       {"epilogue",
        problem.epilogue == Epilogue::bias_relu ? "bias-relu" : name_of(problem.epilogue)},
       {"scale", problem.post_ops.scale},
       {"residual", problem.post_ops.residual},
       {"activation", name_of(problem.post_ops.activation.function)},
       {"accumulate", problem.accumulate},
       {"constant_weights", request.limits.constant_weights},
       {"deterministic", request.limits.deterministic}});
  // The fields "padding" and "dtype" are null if their parts differ (the two sides, or the three
  // tensors). No pattern can contain null. So a pattern with one of these fields matches only if
  // the parts are equal.
  fields["padding"] = problem.pad_low == problem.pad_high ? fields["padding_low"] : Json();
  fields["dtype"] = x.dtype == problem.w.dtype && x.dtype == y.dtype ? fields["x_dtype"] : Json();
  return fields;
}

bool matches(const Json& pattern, const Json& fields) {
  return std::all_of(pattern.items().begin(), pattern.items().end(),
                     [&](const auto& item) { return equals(item.value(), fields.at(item.key())); });
}

std::vector<std::string> pattern_field_names() {
  std::vector<std::string> names;
  names.reserve(kFields.size());
  for (const Field& field : kFields) names.emplace_back(field.name);
  return names;
}

std::vector<std::string> pattern_field_words(const std::string& name) {
  const Field* const field = field_of(name);
  return field == nullptr ? std::vector<std::string>{} : words_of(*field);
}

}  // namespace atc::conv
