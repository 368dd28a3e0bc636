#include "adapters.hpp"

#include <utility>

#include "core/error.hpp"
#include "error_text.hpp"

namespace atc::ffi {

namespace {

static_assert(static_cast<int>(Setting::benchmark_cudnn) == ATC_SETTING_BENCHMARK_CUDNN);
static_assert(static_cast<int>(Setting::benchmark_limit_cudnn) ==
              ATC_SETTING_BENCHMARK_LIMIT_CUDNN);
static_assert(static_cast<int>(Setting::user_enabled_cudnn) == ATC_SETTING_USER_ENABLED_CUDNN);
static_assert(static_cast<int>(Setting::deterministic_cudnn) == ATC_SETTING_DETERMINISTIC_CUDNN);
static_assert(static_cast<int>(Setting::deterministic_algorithms) ==
              ATC_SETTING_DETERMINISTIC_ALGORITHMS);
static_assert(static_cast<int>(Setting::allow_tf32_cudnn) == ATC_SETTING_ALLOW_TF32_CUDNN);

class CallbackSource final : public SettingsSource {
 public:
  CallbackSource(const atc_settings_source& callbacks, std::shared_ptr<const UserData> user)
      : callbacks_(callbacks), user_(std::move(user)) {}

  std::optional<std::int64_t> get(Setting setting) override {
    std::int64_t value = 0;
    if (!known(callbacks_.get, "get", &value, callbacks_.user, static_cast<std::int32_t>(setting)))
      return std::nullopt;
    return value;
  }
  bool set(Setting setting, std::int64_t value) override {
    return known(callbacks_.set, "set", callbacks_.user, static_cast<std::int32_t>(setting), value);
  }
  bool manual_seed(std::uint64_t seed, bool all_devices) override {
    return known(callbacks_.manual_seed, "manual_seed", callbacks_.user, seed, all_devices ? 1 : 0);
  }
  bool synchronize(std::int32_t index) override {
    return known(callbacks_.synchronize, "synchronize", callbacks_.user, index);
  }

 private:
  // Calls a callback of the settings source (callbacks by which another library, such as LibTorch,
  // keeps some of atc's switches). Returns false if the callback is missing or returns
  // ATC_ERROR_UNSUPPORTED. The caller then uses the value that atc keeps.
  template <typename Function, typename... Args>
  static bool known(Function callback, const char* name, Args... args) {
    if (callback == nullptr) return false;
    const CallbackScope scope(Callback::settings_source);
    const atc_status status = callback(args...);
    if (status == ATC_ERROR_UNSUPPORTED) return false;
    check_callback(status, scope, std::string("the settings source's ") + name);
    return true;
  }

  const atc_settings_source callbacks_;
  const std::shared_ptr<const UserData> user_;
};

class CallbackAllocator final : public Allocator {
 public:
  CallbackAllocator(const atc_allocator& callbacks, std::shared_ptr<const UserData> user)
      : callbacks_(callbacks), user_(std::move(user)) {}

  void* allocate(std::uint64_t size, DeviceId device, Stream stream) override {
    if (!serves(device)) return own_->allocate(size, device, stream);
    const CallbackScope scope(Callback::allocator);
    return callbacks_.alloc(callbacks_.user, size, to_c(device), static_cast<atc_stream>(stream));
  }
  void free(void* pointer, DeviceId device, Stream stream) noexcept override {
    if (!serves(device)) return own_->free(pointer, device, stream);
    const CallbackScope scope(Callback::allocator);
    callbacks_.free(callbacks_.user, pointer, to_c(device), static_cast<atc_stream>(stream));
  }

 private:
  static atc_device to_c(DeviceId device) {
    return {static_cast<std::int32_t>(device.type), device.index};
  }

  bool serves(DeviceId device) const {
    return callbacks_.device_type == 0 ||
           callbacks_.device_type == static_cast<std::int32_t>(device.type);
  }

  const atc_allocator callbacks_;
  const std::shared_ptr<const UserData> user_;
  const std::shared_ptr<Allocator> own_ = own_allocator();
};

}  // namespace

std::shared_ptr<SettingsSource> make_settings_source(const atc_settings_source& callbacks,
                                                     std::shared_ptr<const UserData> user) {
  return std::make_shared<CallbackSource>(callbacks, std::move(user));
}

std::shared_ptr<Allocator> make_allocator(const atc_allocator& callbacks, const char* name,
                                          std::shared_ptr<const UserData> user) {
  if (callbacks.alloc == nullptr || callbacks.free == nullptr)
    fail(Status::invalid_argument, "{}.{} is missing: an allocator needs alloc and free", name,
         callbacks.alloc == nullptr ? "alloc" : "free");
  return std::make_shared<CallbackAllocator>(callbacks, std::move(user));
}

LogSink make_log_sink(const atc_log_sink& callbacks, std::shared_ptr<const UserData> user) {
  if (callbacks.write == nullptr)
    fail(Status::invalid_argument, "sink.write is missing: a log sink needs it");
  return [callbacks, user = std::move(user)](LogLevel level, const std::string& line) {
    const CallbackScope scope(Callback::log_sink);
    callbacks.write(callbacks.user, static_cast<std::int32_t>(level), line.c_str());
  };
}

}  // namespace atc::ffi
