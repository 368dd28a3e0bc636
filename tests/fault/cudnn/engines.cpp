#include "fault/cudnn/engines.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace atc::fault {

namespace {

template <typename Number>
Value value_of(Type type, Number number) {
  Value value;
  value.type = type;
  value.bytes.resize(sizeof(number));
  std::memcpy(value.bytes.data(), &number, sizeof(number));
  return value;
}

Value value_of(std::vector<Shared> nodes) {
  Value value;
  value.type = Type::descriptor;
  value.nodes = std::move(nodes);
  return value;
}

Shared config_of(const Engine& engine, const Shared& graph) {
  const auto described = std::make_shared<Node>(Kind::engine);
  described->finalized = true;
  described->values[Attribute::engine_graph] = value_of(std::vector<Shared>{graph});
  described->values[Attribute::engine_index] = value_of(Type::int64, engine.index);
  std::vector<Shared> choices;
  for (const auto& [type, value] : engine.knobs) {
    const auto choice = std::make_shared<Node>(Kind::knob_choice);
    choice->finalized = true;
    choice->values[Attribute::knob_choice_type] = value_of(Type::knob_type, type);
    choice->values[Attribute::knob_choice_value] = value_of(Type::int64, value);
    choices.push_back(choice);
  }
  const auto config = std::make_shared<Node>(Kind::engine_config);
  config->finalized = true;
  config->values[Attribute::config_engine] = value_of(std::vector<Shared>{described});
  config->values[Attribute::config_knob_choices] = value_of(std::move(choices));
  return config;
}

}  // namespace

const Engine* engine_of(const Node& config) {
  const Shared engine = config.node(Attribute::config_engine);
  if (engine == nullptr) return nullptr;
  std::vector<std::pair<int, std::int64_t>> knobs;
  for (const Shared& choice : config.nodes(Attribute::config_knob_choices))
    knobs.emplace_back(choice->number<int>(Attribute::knob_choice_type),
                       choice->number<std::int64_t>(Attribute::knob_choice_value));
  std::sort(knobs.begin(), knobs.end());
  for (const Engine& known : machine().script.engines) {
    auto sorted = known.knobs;
    std::sort(sorted.begin(), sorted.end());
    if (known.index == engine->number<std::int64_t>(Attribute::engine_index) && sorted == knobs)
      return &known;
  }
  return nullptr;
}

const Engine& engine_at(const Node& engine) {
  for (const Engine& one : machine().script.engines)
    if (one.index == engine.number<std::int64_t>(Attribute::engine_index)) return one;
  static const auto* const none = new Engine;
  return *none;
}

std::vector<Shared> proposals(const Node& heuristics) {
  const int mode = heuristics.number<int>(Attribute::heuristics_mode);
  std::vector<Shared> configs;
  for (const Engine& engine : machine().script.engines)
    if (mode == (engine.fallback ? cudnn::kHeuristicsFallback : cudnn::kHeuristicsA))
      configs.push_back(config_of(engine, heuristics.node(Attribute::heuristics_graph)));
  return configs;
}

namespace {

struct Texts {
  std::mutex mutex;
  std::map<std::string, Shared> configs;
};

Texts& texts() {
  static auto* const texts = new Texts;
  return *texts;
}

}  // namespace

std::string text_of(const Shared& config) {
  const std::lock_guard lock(texts().mutex);
  for (const auto& [text, known] : texts().configs)
    if (known == config) return text;
  std::string text = "{\"plan\": " + std::to_string(texts().configs.size()) + "}";
  if (const std::size_t least = machine().script.text_bytes; text.size() < least)
    text.resize(least, ' ');
  texts().configs.emplace(text, config);
  return text;
}

Shared config_of(const std::string& text) {
  const std::lock_guard lock(texts().mutex);
  const auto known = texts().configs.find(text);
  return known == texts().configs.end() ? nullptr : known->second;
}

std::int64_t engine_count() {
  std::int64_t count = 0;
  for (const Engine& engine : machine().script.engines) count = std::max(count, engine.index + 1);
  return count;
}

}  // namespace atc::fault
