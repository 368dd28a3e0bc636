#include "registered_engine.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "convert.hpp"
#include "core/allocator.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "error_text.hpp"

namespace atc::ffi {

namespace {

constexpr std::size_t kLongestName = 63;
constexpr std::size_t kLongestConfiguration = 512;
constexpr std::uint32_t kKnownFlags = ATC_ENGINE_NONDETERMINISTIC | ATC_ENGINE_RETURNS_OUTPUT |
                                      ATC_ENGINE_TRANSFORM | ATC_ENGINE_ROUNDS_TWICE |
                                      ATC_ENGINE_ORIGINAL;

bool is_word(std::string_view text, std::string_view also) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.find(c) != std::string_view::npos;
  });
}

// Checks a name or a version. A choice is written as "engine@version:configuration", so neither the
// name nor the version may contain '@' or ':'.
std::string to_word(const char* given, const char* field, std::string_view also) {
  if (given == nullptr) fail(Status::invalid_argument, "{} is missing", field);
  std::string text(given, strnlen(given, kLongestName + 1));
  if (!is_word(text, also) || text.size() > kLongestName)
    fail(Status::invalid_argument, "{} is '{}': use 1 to {} letters, digits and any of '{}'", field,
         text, kLongestName, also);
  return text;
}

std::string to_configuration(const char* given) {
  if (given == nullptr) fail(Status::invalid_argument, "offer.configuration is missing");
  std::string text(given, strnlen(given, kLongestConfiguration + 1));
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (text.empty() || text.size() > kLongestConfiguration || !printable)
    fail(Status::invalid_argument,
         "offer.configuration is not 1 to {} characters of printable ASCII", kLongestConfiguration);
  return text;
}

atc_engine_limits to_c(const Limits& limits) {
  atc_engine_limits given{};
  given.struct_size = sizeof(given);
  given.deterministic = limits.deterministic;
  given.allow_tf32 = limits.allow_tf32;
  given.constant_weights = limits.constant_weights;
  given.device = {static_cast<std::int32_t>(limits.device.type), limits.device.index};
  given.alignment = limits.alignment;
  given.workspace = limits.workspace;
  return given;
}

// Collects the offers (configurations with which the engine can run the problem) that the engine
// makes in one call of its callback `offers`.
struct Gathering {
  const Limits& limits;
  std::vector<Offer> offers;
  std::set<std::string> seen;
  std::string trouble;  // the reason why take() refused an offer (the last one that it refused)

  void take(const atc_engine_offer* given) {
    const auto known = read_struct(given, "offer");
    if ((known.flags & ~kKnownFlags) != 0)
      fail(Status::invalid_argument, "offer.flags is {:#x}: use ATC_ENGINE_* (up to {:#x})",
           known.flags, kKnownFlags);
    Offer offer;
    offer.configuration = to_configuration(known.configuration);
    offer.workspace = known.workspace;
    offer.deterministic = (known.flags & ATC_ENGINE_NONDETERMINISTIC) == 0;
    offer.returns_output = (known.flags & ATC_ENGINE_RETURNS_OUTPUT) != 0;
    offer.original = (known.flags & ATC_ENGINE_ORIGINAL) != 0;
    if ((known.flags & ATC_ENGINE_TRANSFORM) != 0)
      offer.exactness = Exactness::transformed;
    else if ((known.flags & ATC_ENGINE_ROUNDS_TWICE) != 0)
      offer.exactness = Exactness::bounded;
    if (known.notes != nullptr) offer.notes = known.notes;
    if (limits.deterministic && !offer.deterministic) {
      trouble = format("'{}' is not deterministic", offer.configuration);
    } else if (offer.workspace > limits.workspace) {
      trouble = format("'{}' needs {} bytes of workspace, {} are allowed", offer.configuration,
                       offer.workspace, limits.workspace);
    } else if (seen.insert(offer.configuration).second) {
      offers.push_back(std::move(offer));
    }
  }
};

atc_status take_offer(const atc_engine_offer* offer, void* payload) noexcept {
  auto& gathering = *static_cast<Gathering*>(payload);
  try {
    gathering.take(offer);
    return ATC_OK;
  } catch (const Error& error) {
    CallbackScope::set(error.what());
    return static_cast<atc_status>(error.status());
  } catch (...) {
    CallbackScope::set("out of host memory");
    return ATC_ERROR_OUT_OF_MEMORY;
  }
}

struct Callbacks {
  // The callbacks that the program has registered. `table.name` and `table.version` are NULL,
  // because the program may free these texts; the engine has copies of them.
  atc_engine table;
  std::string name;
  std::shared_ptr<const UserData> user;

  std::string who(const char* callback) const { return format("engine '{}', {}", name, callback); }
};

class CallbackPrepared final : public Prepared {
 public:
  CallbackPrepared(std::shared_ptr<const Callbacks> callbacks, const Problem& problem,
                   const Limits& limits, const Offer& offer, void* prepared)
      : callbacks_(std::move(callbacks)),
        prepared_(prepared),
        workspace_(offer.workspace),
        returns_output_(offer.returns_output),
        device_(limits.device),
        weight_bytes_(problem.w.span_bytes()),
        alignment_(std::max<std::size_t>(limits.alignment, 1)) {}
  ~CallbackPrepared() override {
    const CallbackScope scope(Callback::engine);
    callbacks_->table.release(callbacks_->table.user, prepared_);
  }

  std::uint64_t workspace_size() const override { return workspace_; }

  void set_weights(const void* w) override {
    if (callbacks_->table.set_weights == nullptr) return keep_weights(w);
    const CallbackScope scope(Callback::engine);
    check_callback(callbacks_->table.set_weights(callbacks_->table.user, prepared_, w), scope,
                   callbacks_->who("set_weights"));
  }

  void execute(const Operands& given, void* workspace, Stream stream) override {
    atc_engine_operands operands{};
    operands.struct_size = sizeof(operands);
    operands.x = given.x;
    operands.w = given.w != nullptr ? given.w : kept_weights_;
    operands.bias = given.bias;
    operands.y = given.y;
    operands.workspace = workspace;
    operands.workspace_size = workspace_;
    operands.stream = static_cast<atc_stream>(stream);
    result_ = nullptr;
    const CallbackScope scope(Callback::engine);
    const atc_status status =
        callbacks_->table.execute(callbacks_->table.user, prepared_, &operands);
    if (status != ATC_OK) check_callback(status, scope, callbacks_->who("execute"));
    if (!returns_output_) return;
    if (operands.result == nullptr)
      fail(Status::internal,
           "{} left operands.result NULL, though its offer is flagged "
           "ATC_ENGINE_RETURNS_OUTPUT",
           callbacks_->who("execute"));
    result_ = operands.result;
  }

  const void* result() const override { return result_; }
  bool returns_output() const override { return returns_output_; }

 private:
  // Keeps a copy of the weights, for an engine without the callback set_weights. The copy is
  // aligned to as many bytes as was promised to the engine for the weights.
  void keep_weights(const void* w) {
    if (device_.type != DeviceType::cpu)
      fail(Status::unsupported, "{} is missing: on CUDA an engine keeps its weights itself",
           callbacks_->who("set_weights"));
    Allocation memory(weight_bytes_ + alignment_, device_);
    void* address = memory.data();
    std::size_t space = memory.size();
    kept_weights_ = std::align(alignment_, weight_bytes_, address, space);
    std::memcpy(kept_weights_, w, weight_bytes_);
    weights_ = std::move(memory);
  }

  const std::shared_ptr<const Callbacks> callbacks_;
  void* const prepared_;
  const std::uint64_t workspace_;
  const bool returns_output_;
  const DeviceId device_;
  const std::uint64_t weight_bytes_;
  const std::size_t alignment_;
  Allocation weights_;
  void* kept_weights_ = nullptr;
  const void* result_ = nullptr;
};

class RegisteredCallbacks final : public Engine {
 public:
  RegisteredCallbacks(const atc_engine& table, std::string name, std::string version,
                      std::shared_ptr<const UserData> user)
      : callbacks_(
            std::make_shared<const Callbacks>(Callbacks{table, std::move(name), std::move(user)})),
        version_(std::move(version)) {}

  std::string name() const override { return callbacks_->name; }
  std::string version() const override { return version_; }
  bool serves(DeviceType device) const override {
    return callbacks_->table.device_type == ATC_ENGINE_EVERY_DEVICE ||
           callbacks_->table.device_type == static_cast<std::int32_t>(device);
  }

  std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                            std::string& why_not) const override {
    const auto spoken = from_problem(problem);
    if (!spoken) {
      why_not = "the C form of a problem cannot say this one";
      return {};
    }
    try {
      return gather(*spoken, limits, why_not);
    } catch (const Error& error) {
      // If the callback of this engine fails, the engine counts as having no offers. The other
      // engines are still asked.
      if (error.status() != Status::unsupported)
        log_once(LogLevel::warning, format("{}; it sits out", error.what()));
      why_not = error.what();
      return {};
    }
  }

  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    const auto spoken = from_problem(problem);
    std::string why_not;
    std::vector<Offer> known;
    if (spoken) known = gather(*spoken, limits, why_not);
    const auto offer = std::find_if(known.begin(), known.end(), [&](const Offer& candidate) {
      return candidate.configuration == configuration;
    });
    if (offer == known.end())
      fail(Status::unsupported, "engine '{}' does not offer '{}' here{}{}", name(), configuration,
           why_not.empty() ? "" : ": ", why_not);
    const atc_engine_limits allowed = to_c(limits);
    void* prepared = nullptr;
    {
      const CallbackScope scope(Callback::engine);
      check_callback(callbacks_->table.prepare(&prepared, callbacks_->table.user, &*spoken,
                                               &allowed, configuration.c_str()),
                     scope, callbacks_->who("prepare"));
    }
    try {
      return std::make_unique<CallbackPrepared>(callbacks_, problem, limits, *offer, prepared);
    } catch (...) {
      const CallbackScope scope(Callback::engine);
      callbacks_->table.release(callbacks_->table.user, prepared);
      throw;
    }
  }

 private:
  std::vector<Offer> gather(const atc_conv_problem& problem, const Limits& limits,
                            std::string& why_not) const {
    const atc_engine_limits allowed = to_c(limits);
    Gathering gathering{limits, {}, {}, ""};
    const CallbackScope scope(Callback::engine);
    check_callback(callbacks_->table.offers(callbacks_->table.user, &problem, &allowed, take_offer,
                                            &gathering),
                   scope, callbacks_->who("offers"));
    if (gathering.offers.empty())
      why_not =
          gathering.trouble.empty() ? "it offers nothing for this problem" : gathering.trouble;
    return std::move(gathering.offers);
  }

  const std::shared_ptr<const Callbacks> callbacks_;
  const std::string version_;
};

}  // namespace

std::shared_ptr<const Engine> make_registered_engine(const atc_engine& engine,
                                                     std::shared_ptr<const UserData> user) {
  std::string name = to_word(engine.name, "engine.name", "_-");
  std::string version = to_word(engine.version, "engine.version", "_-.+");
  if (engine.device_type != ATC_DEVICE_CPU && engine.device_type != ATC_DEVICE_CUDA &&
      engine.device_type != ATC_ENGINE_EVERY_DEVICE)
    fail(Status::invalid_argument,
         "engine.device_type is {}: use ATC_DEVICE_CPU, ATC_DEVICE_CUDA or "
         "ATC_ENGINE_EVERY_DEVICE",
         engine.device_type);
  const std::pair<const char*, bool> callbacks[] = {{"offers", engine.offers != nullptr},
                                                    {"prepare", engine.prepare != nullptr},
                                                    {"execute", engine.execute != nullptr},
                                                    {"release", engine.release != nullptr}};
  for (const auto& [field, present] : callbacks)
    if (!present) fail(Status::invalid_argument, "engine.{} is missing: an engine needs it", field);
  atc_engine table = engine;
  table.name = table.version = nullptr;
  return std::make_shared<RegisteredCallbacks>(table, std::move(name), std::move(version),
                                               std::move(user));
}

}  // namespace atc::ffi
