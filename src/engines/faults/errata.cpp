#include "engines/faults/errata.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json.hpp"
#include "core/log.hpp"

namespace atc::faults {

namespace {

using nlohmann::json;

constexpr const char* kVariable = "CUDNN_ERRATA_JSON_FILE";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

// Reads one rule of the errata file.
class Reader {
 public:
  Reader(const json& rule, std::size_t place) : rule_(rule), place_(place) {}

  ErrataRule read() const {
    if (!rule_.is_object()) fail_at("", "is no object");
    ErrataRule rule;
    rule.id = text("rule_id", false);
    rule.operation = text("operation", true);
    rule.engine = number("engine", rule_.contains("engine") ? rule_["engine"] : json());
    if (rule_.contains("knob")) read_knobs(rule);
    rule.first = version("cudnn_version_start", 0);
    rule.fixed = version("cudnn_version_end", rule.fixed);
    rule.device = architecture();
    rule.input = shape("input_shape", true);
    rule.filter = shape("filter_shape", false);
    return rule;
  }

 private:
  [[noreturn]] void fail_at(const char* member, const char* why) const {
    fail(Status::invalid_argument, "rules[{}]{}{} {}", place_, *member == '\0' ? "" : ".", member,
         why);
  }

  std::string text(const char* member, bool needed) const {
    if (!rule_.contains(member)) {
      if (needed) fail_at(member, "is missing");
      return "";
    }
    if (!rule_[member].is_string()) fail_at(member, "is no string");
    return rule_[member].get<std::string>();
  }

  // Returns a number of the rule. An errata file may contain a number as a JSON number or as a
  // string.
  std::int64_t number(const char* member, const json& value) const {
    std::int64_t read = 0;
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_string() || !read_number(value.get_ref<const std::string&>(), read))
      fail_at(member, "is no integer");
    return read;
  }

  std::uint64_t version(const char* member, std::uint64_t otherwise) const {
    if (!rule_.contains(member)) return otherwise;
    const std::int64_t read = number(member, rule_[member]);
    return read < 0 ? otherwise : static_cast<std::uint64_t>(read);
  }

  // Reads the knobs (parameters of cuDNN's engine) of the rule. An errata file contains a knob as
  // the string "k2=3" in an array, or as the member "k2" of an object.
  void read_knobs(ErrataRule& rule) const {
    const json& knobs = rule_["knob"];
    if (!knobs.is_array() && !knobs.is_object()) fail_at("knob", "is neither array nor object");
    for (const auto& [key, value] : knobs.items()) {
      std::string name = key;
      json setting = value;
      if (knobs.is_array()) {
        if (!value.is_string()) fail_at("knob", "has an item that is no string");
        const std::string item = value.get<std::string>();
        const std::size_t equals = std::min(item.find('='), item.size());
        name = item.substr(0, equals);
        setting = item.substr(std::min(equals + 1, item.size()));
      }
      int type = 0;
      if (name.size() < 2 || name[0] != 'k' || !read_number(name.substr(1), type))
        fail_at("knob", "has a knob that is not written like k2=3");
      rule.knobs.emplace_back(type, number("knob", setting));
    }
  }

  // Returns the compute capability of the GPUs to which the rule applies. The file writes it as
  // "sm_86", "86" or "8.6". If the text is anything else, the rule applies to all GPUs.
  ComputeCapability architecture() const {
    std::string digits;
    for (const char c : text("arch", false))
      if (c >= '0' && c <= '9') digits += c;
    int value = 0;
    if (digits.size() < 2 || digits.size() > 3 || !read_number(digits, value)) return {};
    return {value / 10, value % 10};
  }

  std::vector<std::int64_t> shape(const char* member, bool in_its_format) const {
    if (!rule_.contains(member)) return {};
    if (!rule_[member].is_array() || rule_[member].size() < 3 || rule_[member].size() > kMaxRank)
      fail_at(member, "is no array of 3 to 5 extents");
    std::vector<std::int64_t> extents;
    for (const json& extent : rule_[member]) extents.push_back(number(member, extent));
    const std::string order = text("shape_format", true);
    if (in_its_format && order.size() == extents.size() && order.back() == 'C')
      std::rotate(extents.begin() + 1, extents.end() - 1, extents.end());
    return extents;
  }

  const json& rule_;
  std::size_t place_;
};

const char* operation_of(Direction direction) {
  switch (direction) {
    case Direction::backward_data:
      return "ConvBwdData";
    case Direction::backward_weight:
      return "ConvBwdFilter";
    case Direction::forward:
      break;
  }
  return "ConvFwd";
}

bool agrees(const std::vector<std::int64_t>& wanted, const Tensor& tensor) {
  if (wanted.empty()) return true;
  if (wanted.size() != static_cast<std::size_t>(tensor.rank)) return false;
  return std::equal(wanted.begin(), wanted.end(), tensor.shape.begin(),
                    [](std::int64_t want, std::int64_t is) { return want == -1 || want == is; });
}

// Whether a rule for the operation `wanted` applies to the problem. A rule for the bare convolution
// applies whether or not there is a bias. A rule for a convolution that is followed by other
// operations applies if there is a bias or a post-op.
bool is_operation(const std::string& wanted, const Problem& problem) {
  const std::string bare = operation_of(problem.direction);
  if (wanted == bare) return true;
  const bool is_followed = problem.epilogue != Epilogue::none || problem.post_ops.any();
  return is_followed && wanted.rfind(bare + "_", 0) == 0;
}

Errata read_errata() {
  Errata errata;
  const auto file = environment_text(kVariable);
  if (!file) return errata;
  errata.file = *file;
  try {
    std::ifstream stream(*file, std::ios::binary);
    std::string text(kMostBytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.is_open() || stream.bad())
      fail(Status::invalid_argument, "the file cannot be read");
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kMostBytes)
      fail(Status::invalid_argument, "the file has more than {} bytes", kMostBytes);
    errata.rules = parse_errata(text);
  } catch (const Error& error) {
    errata.trouble = error.what();
    log_once(LogLevel::warning,
             format("ignored: {}={} in the environment: {}", kVariable, *file, error.what()));
  }
  return errata;
}

}  // namespace

std::vector<ErrataRule> parse_errata(const std::string& text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("rules") || !document["rules"].is_array())
    fail(Status::invalid_argument, "it is no JSON object with an array \"rules\"");
  if (!document.contains("version") || document["version"] != 1)
    fail(Status::invalid_argument, "its \"version\" is not 1");
  std::vector<ErrataRule> rules;
  for (const json& rule : document["rules"]) rules.push_back(Reader(rule, rules.size()).read());
  return rules;
}

const Errata& errata() {
  static const auto* const known = new Errata(read_errata());
  return *known;
}

bool concerns(const ErrataRule& rule, std::size_t cudnn_version, const Use& use) {
  return is_of(rule.device, use.device) && cudnn_version >= rule.first &&
         cudnn_version < rule.fixed && rule.engine == use.engine &&
         is_operation(rule.operation, use.problem) &&
         std::all_of(rule.knobs.begin(), rule.knobs.end(),
                     [&](const auto& knob) {
                       return std::find(use.knobs.begin(), use.knobs.end(), knob) !=
                              use.knobs.end();
                     }) &&
         agrees(rule.input, use.problem.x) && agrees(rule.filter, use.problem.w);
}

std::string blocked(const Errata& errata, std::size_t cudnn_version, const Use& use) {
  for (std::size_t i = 0; i < errata.rules.size(); ++i) {
    const ErrataRule& rule = errata.rules[i];
    if (concerns(rule, cudnn_version, use))
      return format("rule {} of {} bars it", rule.id.empty() ? format("{}", i) : rule.id,
                    errata.file);
  }
  return "";
}

}  // namespace atc::faults
