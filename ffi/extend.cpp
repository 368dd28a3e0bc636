#include "atc/extend.h"

#include <dlfcn.h>

#include "adapters.hpp"
#include "conv/memory.hpp"
#include "conv/run/plan_cache.hpp"
#include "conv/run/workspace_pool.hpp"
#include "convert.hpp"
#include "convert_own.hpp"
#include "core/log.hpp"
#include "engines/registry.hpp"
#include "error_text.hpp"
#include "guard.hpp"
#include "registered_engine.hpp"
#include "text.hpp"
#include "user_data.hpp"

namespace {

using namespace atc;
using namespace atc::ffi;

static_assert(static_cast<int>(LogLevel::off) == ATC_LOG_OFF);
static_assert(static_cast<int>(LogLevel::error) == ATC_LOG_ERROR);
static_assert(static_cast<int>(LogLevel::warning) == ATC_LOG_WARNING);
static_assert(static_cast<int>(LogLevel::info) == ATC_LOG_INFO);
static_assert(static_cast<int>(LogLevel::debug) == ATC_LOG_DEBUG);
static_assert(static_cast<int>(LogFormat::text) == ATC_LOG_FORMAT_TEXT);
static_assert(static_cast<int>(LogFormat::json) == ATC_LOG_FORMAT_JSON);

using PluginInit = atc_status (*)();

// Returns dlerror's text about the last failure of dlopen or dlsym.
const char* why() {
  const char* const text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

// Runs a plug-in's init function. The init function may call functions of the C API that fail and
// change the last error of this thread. So the earlier last error is restored afterwards. The
// caller sees a new last error only if the init function itself returns an error.
void run_plugin(PluginInit init, const char* file) {
  const ErrorText before = last_error();
  last_error().set("");
  const atc_status status = init();
  const ErrorText said = last_error();
  last_error() = before;
  if (status == ATC_OK) return;
  if (status < 0 || status > ATC_ERROR_INTERNAL)
    fail(Status::internal, "atc1_plugin_init of '{}' returned {}, which is no status of atc", file,
         status);
  fail(static_cast<Status>(status), "atc1_plugin_init of '{}': {}", file,
       said.empty() ? atc_status_name(status) : said.c_str());
}

// Calls `make` to turn a struct of callbacks into an object of the core (such as an engine), and
// `take` to register this object. If both succeed, the object owns the pointer `user` of the
// struct. Otherwise `user` still belongs to the caller.
template <typename Struct, typename Make, typename Register>
void hand_over(const Struct& callbacks, Make make, Register take) {
  const auto user = std::make_shared<UserData>(callbacks.user, callbacks.destroy);
  auto made = make(callbacks, user);
  user->hand_over([&] { take(std::move(made)); });
}

}  // namespace

extern "C" {

atc_status atc_engine_register(const atc_engine* engine) noexcept {
  return guard([&] {
    hand_over(read_struct(engine, "engine"), make_registered_engine,
              [](auto made) { EngineRegistry::instance().add(std::move(made)); });
    conv::decisions_changed();
  });
}

atc_status atc_engine_unregister(const char* name) noexcept {
  return guard([&] {
    const std::string known = &required(name, "name");
    // The cache of plans may have plans of this engine. An engine cannot be removed while plans of
    // the engine exist. So the plans that no call is using are removed first.
    conv::forget_engine(known);
    EngineRegistry::instance().remove(known);
    conv::decisions_changed();
  });
}

atc_status atc_engine_count(size_t* out) noexcept {
  return guard([&] { required(out, "out") = EngineRegistry::instance().all().size(); });
}

atc_status atc_engine_describe(atc_engine_info* out, size_t index) noexcept {
  return guard([&] {
    required(out, "out");
    const auto engines = EngineRegistry::instance().all();
    if (index >= engines.size())
      fail(Status::invalid_argument, "index is {}: there are {} engines", index, engines.size());
    const RegisteredEngine& known = engines[index];
    atc_engine_info info{};
    info.built_in = known.built_in;
    info.serves_cpu = known.engine->serves(DeviceType::cpu);
    info.serves_cuda = known.engine->serves(DeviceType::cuda);
    copy_text(info.name, known.engine->name());
    copy_text(info.version, known.engine->version());
    write_struct(out, info, "out");
  });
}

atc_status atc_plugin_load(const char* file) noexcept {
  return guard([&] {
    checked_path(file, "file");
    // A plug-in whose init function has run is never unloaded, because atc may have pointers to its
    // code.
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail(Status::library, "plug-in '{}' cannot be opened: {}", file, why());
    const auto init = reinterpret_cast<PluginInit>(dlsym(library, "atc1_plugin_init"));
    if (init == nullptr) {
      dlclose(library);
      fail(Status::library, "'{}' is no plug-in of atc: it does not export atc1_plugin_init", file);
    }
    run_plugin(init, file);
  });
}

atc_status atc_settings_source_set(const atc_settings_source* source) noexcept {
  return guard([&] {
    if (source == nullptr) return set_settings_source(nullptr);
    const auto known = read_struct(source, "source");
    if (known.reserved != 0)
      fail(Status::invalid_argument, "source.reserved is {}: set it to 0", known.reserved);
    hand_over(known, make_settings_source, set_settings_source);
  });
}

atc_status atc_allocator_set(const atc_allocator* allocator) noexcept {
  return guard([&] {
    if (allocator == nullptr) {
      set_allocator(nullptr);
      // Frees unused workspaces by the allocator that has allocated them.
      conv::clear_workspace_pool();
      return;
    }
    const auto make = [](const atc_allocator& known, std::shared_ptr<const UserData> user) {
      return make_allocator(known, "allocator", std::move(user));
    };
    hand_over(read_allocator(*allocator, "allocator"), make, set_allocator);
    conv::clear_workspace_pool();
  });
}

atc_status atc_log_sink_set(const atc_log_sink* sink) noexcept {
  return guard([&] {
    if (sink == nullptr) return set_log_sink({});
    const auto known = read_struct(sink, "sink");
    if (known.format < ATC_LOG_FORMAT_TEXT || known.format > ATC_LOG_FORMAT_JSON)
      fail(Status::invalid_argument, "sink.format is {}: use a format of log lines", known.format);
    const auto format = static_cast<LogFormat>(known.format);
    hand_over(known, make_log_sink, [&](LogSink made) { set_log_sink(std::move(made), format); });
  });
}

atc_status atc_log_level_set(int32_t level) noexcept {
  return guard_anywhere([&] {
    if (level < ATC_LOG_OFF || level > ATC_LOG_DEBUG)
      fail(Status::invalid_argument, "level is {}: use a log level ({} to {})", level,
           static_cast<int>(ATC_LOG_OFF), static_cast<int>(ATC_LOG_DEBUG));
    set_log_level(static_cast<LogLevel>(level));
  });
}

atc_status atc_log_level_get(int32_t* out) noexcept {
  return guard_anywhere([&] { required(out, "out") = static_cast<int32_t>(log_level()); });
}

}  // extern "C"
