#include "conv/race/ceilings.hpp"

#include <mutex>
#include <utility>

#include "conv/key.hpp"
#include "conv/race/environment_file.hpp"
#include "core/format.hpp"
#include "core/json_object.hpp"
#include "core/log.hpp"
#include "store/entry.hpp"
#include "store/files.hpp"

namespace atc::conv {

namespace {

using store::Json;

constexpr int kSchema = 1;
constexpr EnvironmentFile kFile{"ceilings", 64 << 10, ""};

class Measured {
 public:
  static Measured& of_process() {
    static auto* const measured = new Measured;
    return *measured;
  }
  Ceilings of(const std::string& environment) {
    const std::lock_guard lock(mutex_);
    return ceilings_[environment];
  }
  void add(const std::string& environment, const Ceilings& more) {
    const std::lock_guard lock(mutex_);
    Ceilings& known = ceilings_[environment];
    if (more.bytes_per_second) known.bytes_per_second = more.bytes_per_second;
    for (const auto& [products, rate] : more.flops_per_second)
      known.flops_per_second[products] = rate;
  }

 private:
  std::mutex mutex_;
  // The key is the text of an environment (device and library versions).
  std::map<std::string, Ceilings> ceilings_;
};

Json to_json(const Json& environment, const Ceilings& ceilings) {
  Json json = json_object({{"schema", kSchema},
                           {"environment", environment},
                           {"flops_per_second", ceilings.flops_per_second}});
  if (ceilings.bytes_per_second) json["bytes_per_second"] = *ceilings.bytes_per_second;
  return json;
}

// Throws Json::exception if `json` does not have the form that to_json writes.
Ceilings from_json(const Json& json) {
  Ceilings ceilings;
  ceilings.flops_per_second = json.at("flops_per_second").get<std::map<std::string, double>>();
  if (const auto rate = json.find("bytes_per_second"); rate != json.end())
    ceilings.bytes_per_second = rate->get<double>();
  return ceilings;
}

Ceilings kept(const Json& environment, const store::Store& store) {
  Ceilings ceilings;
  kFile.read(environment, store, [&](const Json& json) {
    // The file is ignored in two cases: it has another format, or it belongs to another environment
    // (device and library versions) whose hash is the same.
    if (json.at("schema") != kSchema || json.at("environment") != environment) return;
    ceilings = from_json(json);
  });
  return ceilings;
}

void add_missing(Ceilings& known, const Ceilings& more) {
  if (!known.bytes_per_second) known.bytes_per_second = more.bytes_per_second;
  known.flops_per_second.insert(more.flops_per_second.begin(), more.flops_per_second.end());
}

}  // namespace

std::string products_of(const Problem& problem, bool tf32) {
  if (problem.is_depthwise()) return "f32";
  const bool rounded = problem.x.dtype == Dtype::f32 && tf32;
  return rounded ? "tf32" : std::string(name_of(problem.x.dtype));
}

std::string products_of(const Problem& problem, const Request& request) {
  return products_of(problem, request.device.type == DeviceType::cuda && request.limits.allow_tf32);
}

Roof roof_of(const Ceilings& ceilings, const std::string& products) {
  Roof roof{ceilings.bytes_per_second, std::nullopt};
  if (const auto rate = ceilings.flops_per_second.find(products);
      rate != ceilings.flops_per_second.end())
    roof.flops_per_second = rate->second;
  return roof;
}

Roof known_roof(const Problem& problem, const Request& request) {
  return roof_of(known_ceilings(key_for(problem, request).environment, request.knowledge_in_use()),
                 products_of(problem, request));
}

Ceilings known_ceilings(const Json& environment, const Knowledge& knowledge) {
  Ceilings known = Measured::of_process().of(environment.dump());
  if (reads(knowledge.store())) add_missing(known, kept(environment, *knowledge.store()));
  return known;
}

void keep_ceilings(const Json& environment, const Knowledge& knowledge, const Ceilings& measured) {
  Measured::of_process().add(environment.dump(), measured);
  const auto& store = knowledge.store();
  if (store == nullptr || store->mode() != store::Mode::read_write) return;
  const Ceilings all = known_ceilings(environment, knowledge);
  const int error = kFile.write(environment, *store, to_json(environment, all).dump(2) + "\n");
  if (error != 0)
    log_once(LogLevel::warning, format("the ceilings are not kept in {}: {}",
                                       store->directory().string(), store::text_of(error)));
}

}  // namespace atc::conv
