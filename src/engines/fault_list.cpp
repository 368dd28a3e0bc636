#include "engines/fault_list.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/format.hpp"
#include "core/json_object.hpp"
#include "device/cuda/cublaslt.hpp"
#include "device/cuda/driver_probe.hpp"
#include "engines/cudnn/library.hpp"
#include "engines/faults/errata.hpp"
#include "engines/faults/table.hpp"
#ifdef ATC_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace atc {

namespace {

using nlohmann::json;

std::optional<faults::Version> onednn_version() {
#ifdef ATC_WITH_ONEDNN
  const dnnl_version_t* const version = dnnl_version();
  return faults::Version{version->major, version->minor, version->patch};
#else
  return std::nullopt;
#endif
}

std::optional<faults::Version> running(faults::Library library) {
  if (library == faults::Library::onednn) return onednn_version();
  const bool cudnn = library == faults::Library::cudnn;
  const std::size_t number = cudnn ? cudnn::library().version : cuda::cublaslt().version;
  if (number == 0) return std::nullopt;
  return cudnn ? faults::cudnn_version(number) : faults::cublaslt_version(number);
}

bool is_here(const faults::ComputeCapability& faulty) {
  if (faulty.major == 0) return true;
  const auto& devices = cuda::driver().devices;
  return std::any_of(devices.begin(), devices.end(), [&](const cuda::DeviceSummary& device) {
    return faults::is_of(faulty, {device.compute_major, device.compute_minor});
  });
}

std::string text_of(const faults::ComputeCapability& device) {
  if (device.major == 0) return "all";
  return format("compute capability {}.{}", device.major, device.minor);
}

std::string text_of(const std::optional<faults::Version>& version) {
  return version ? faults::to_string(*version) : "";
}

json row_of(const faults::Fault& fault) {
  const auto version = running(fault.library);
  return json_object(
      {{"name", fault.name},
       {"library", std::string(name_of(fault.library))},
       {"running", text_of(version)},
       {"versions", to_string(fault.versions)},
       {"device", text_of(fault.device)},
       {"directions", to_string(fault.directions)},
       {"implementations", implementations_of(fault)},
       {"condition", fault.condition_text},
       {"consequence", std::string(name_of(fault.consequence))},
       {"handling", std::string(name_of(fault.handling))},
       {"description", fault.description},
       {"source", fault.source},
       {"applies", version && fault.versions.include(*version) && is_here(fault.device)}});
}

std::string versions_of(const faults::ErrataRule& rule) {
  const bool endless = rule.fixed == std::numeric_limits<std::uint64_t>::max();
  if (rule.first == 0 && endless) return "all";
  return format("from {}{}", rule.first, endless ? "" : format(", below {}", rule.fixed));
}

std::string condition_of(const faults::ErrataRule& rule) {
  std::string text;
  if (!rule.input.empty()) text += format("x {}", joined(rule.input, "x"));
  if (!rule.filter.empty())
    text += format("{}w {}", text.empty() ? "" : ", ", joined(rule.filter, "x"));
  return text.empty() ? "all layers" : text;
}

json row_of(const faults::ErrataRule& rule, const std::string& file, std::size_t place) {
  const auto version = running(faults::Library::cudnn);
  const std::size_t number = cudnn::library().version;
  std::string implementations = format("engine {}", rule.engine);
  for (const auto& [type, value] : rule.knobs) implementations += format(", k{}={}", type, value);
  const bool applies =
      version && number >= rule.first && number < rule.fixed && is_here(rule.device);
  return json_object({{"name", rule.id.empty() ? format("rules[{}]", place) : rule.id},
                      {"library", std::string(name_of(faults::Library::cudnn))},
                      {"running", text_of(version)},
                      {"versions", versions_of(rule)},
                      {"device", text_of(rule.device)},
                      {"directions", rule.operation},
                      {"implementations", implementations},
                      {"condition", condition_of(rule)},
                      {"consequence", "not told"},
                      {"handling", std::string(name_of(faults::Handling::barred))},
                      {"description", "a rule of the errata file"},
                      {"source", file},
                      {"applies", applies}});
}

}  // namespace

std::string fault_list() {
  json rows = json::array();
  for (const faults::Fault& fault : faults::table()) rows.push_back(row_of(fault));
  const faults::Errata& errata = faults::errata();
  for (std::size_t i = 0; i < errata.rules.size(); ++i)
    rows.push_back(row_of(errata.rules[i], errata.file, i));
  return rows.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace atc
