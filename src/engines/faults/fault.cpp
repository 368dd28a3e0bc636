#include "engines/faults/fault.hpp"

#include <algorithm>

#include "core/format.hpp"

namespace atc::faults {

namespace {

bool has(const std::string& name, std::string_view part) {
  if (part.front() == '^') return name.rfind(part.substr(1), 0) == 0;
  return name.find(part) != std::string::npos;
}

std::string_view shown(std::string_view part) {
  return part.front() == '^' ? part.substr(1) : part;
}

}  // namespace

std::string_view name_of(Library library) {
  switch (library) {
    case Library::onednn:
      return "oneDNN";
    case Library::cudnn:
      return "cuDNN";
    case Library::cublaslt:
      break;
  }
  return "cuBLASLt";
}

std::string_view name_of(Consequence consequence) {
  switch (consequence) {
    case Consequence::wrong_result:
      return "wrong result";
    case Consequence::memory_corruption:
      return "memory corruption";
    case Consequence::crash:
      return "crash";
    case Consequence::slow:
      return "slow";
    case Consequence::not_deterministic:
      break;
  }
  return "not deterministic";
}

std::string_view name_of(Handling handling) {
  switch (handling) {
    case Handling::barred:
      return "not used";
    case Handling::last_resort:
      return "used only where the library has nothing else, on a thread without signals";
    case Handling::not_deterministic:
      return "not used where determinism is asked for";
    case Handling::checked_after_other:
      break;
  }
  return "checked after problems of other sizes";
}

std::string to_string(const Version& version) {
  return format("{}.{}.{}", version.major, version.minor, version.patch);
}

Version cudnn_version(std::size_t number) {
  const auto n = static_cast<int>(number);
  return {n / 10000, n / 100 % 100, n % 100};
}

Version cublaslt_version(std::size_t number) {
  const auto n = static_cast<int>(number);
  return {n / 10000, n / 100 % 100, n % 100};
}

std::string to_string(const Versions& versions) {
  const bool from_first = !(Version{} < versions.first);
  if (!(versions.fixed < kNeverFixed))
    return from_first ? "all" : format("from {}", to_string(versions.first));
  if (from_first) return format("below {}", to_string(versions.fixed));
  return format("from {}, below {}", to_string(versions.first), to_string(versions.fixed));
}

bool Directions::include(Direction direction) const {
  switch (direction) {
    case Direction::forward:
      return forward;
    case Direction::backward_data:
      return backward_data;
    case Direction::backward_weight:
      break;
  }
  return backward_weight;
}

std::string to_string(const Directions& directions) {
  if (directions.forward && directions.backward_data && directions.backward_weight) return "all";
  std::string text;
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    if (directions.include(direction))
      text += format("{}{}", text.empty() ? "" : ", ", name_of(direction));
  return text;
}

bool Fault::concerns(const Use& use) const {
  if (!is_of(device, use.device) || !directions.include(use.problem.direction)) return false;
  if (names[0] != nullptr && std::none_of(names.begin(), names.end(), [&](const char* part) {
        return part && has(use.implementation, part);
      }))
    return false;
  const bool numbered = std::find(engines.begin(), engines.end(), use.engine) != engines.end();
  if (engines[0] >= 0 && (use.engine < 0 || !numbered)) return false;
  return condition == nullptr || condition(use);
}

std::string implementations_of(const Fault& fault) {
  std::string text;
  for (const char* part : fault.names)
    if (part != nullptr) text += format("{}{}", text.empty() ? "" : ", ", shown(part));
  for (const std::int64_t engine : fault.engines)
    if (engine >= 0) text += format("{}{}", text.empty() ? "engine " : ", ", engine);
  return text.empty() ? "all" : text;
}

}  // namespace atc::faults
