#include "atc/store.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "conv/key.hpp"
#include "conv/pins/pins_in_use.hpp"
#include "convert.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "guard.hpp"
#include "store/entry.hpp"
#include "store/in_use.hpp"
#include "store/layered_store.hpp"
#include "store/origin.hpp"
#include "store/secret.hpp"
#include "store_handle.hpp"
#include "text.hpp"

namespace {

using namespace atc;
using namespace atc::ffi;

static_assert(static_cast<int>(store::Mode::off) == ATC_STORE_OFF);
static_assert(static_cast<int>(store::Mode::read) == ATC_STORE_READ);
static_assert(static_cast<int>(store::Mode::read_write) == ATC_STORE_READ_WRITE);
static_assert(static_cast<int>(store::Mode::replay_only) == ATC_STORE_REPLAY_ONLY);

store::Mode to_mode(atc_store_mode mode) {
  if (mode < 0 || mode > ATC_STORE_REPLAY_ONLY)
    fail(Status::invalid_argument, "mode is {}: use 0 (read-write) or a store mode (1 to {})", mode,
         static_cast<int>(ATC_STORE_REPLAY_ONLY));
  return mode == 0 ? store::Mode::read_write : static_cast<store::Mode>(mode);
}

store::Store& known(const atc_store* handle) { return *required(handle, "store").store; }

// An object of this class exists while a function changes the contents of a store. The destructor
// calls Store::changed(), even if the change failed half-way. After that no cached plan is used
// again: each call looks up its decision in the store first.
class Change {
 public:
  explicit Change(store::Store& store) : store_(store) {}
  ~Change() { store_.changed(); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  store::Store& store_;
};

// Returns a checked copy of the caller's options. NULL stands for the defaults.
template <typename T>
T read_options(const T* given) {
  return given == nullptr ? T{} : read_struct(given, "options");
}

template <typename Options>
void require_zero_reserved(const Options& options) {
  if (options.reserved != 0)
    fail(Status::invalid_argument, "options.reserved is {}: set it to 0", options.reserved);
}

template <typename Options>
bool trusts_compiled(const Options& options) {
  return to_switch(options.trust_compiled, "options.trust_compiled").value_or(false);
}

static_assert(static_cast<int>(ATC_REPLACE_JOIN) == static_cast<int>(store::Present::joined));

store::Present to_present(std::int32_t replace) {
  if (replace < 0 || replace > ATC_REPLACE_JOIN)
    fail(Status::invalid_argument, "options.replace is {}: use 0 or 1 (off), 2 (on) or {} (join)",
         replace, static_cast<int>(ATC_REPLACE_JOIN));
  return replace == 0 ? store::Present::stays : static_cast<store::Present>(replace);
}

store::Options open_options(atc_store_mode mode) {
  store::Options options;
  options.mode = to_mode(mode);
  options.warn = [](const std::string& line) { log_once(LogLevel::warning, line); };
  options.sharing = store::sharing_of_process();
  options.secret = store::secret_of_process(options.mode == store::Mode::read_write);
  return options;
}

// Returns an entry as a text for people and for other machines. The results of correctness checks
// are left out, because only the owner of this store may trust them.
std::string text_of(const store::Entry& entry) {
  store::Entry told = entry;
  store::drop_checked(told.value);
  return store::entry_to_text(told);
}

std::string_view bytes_of(const void* data, std::size_t size, const char* name) {
  return {size == 0 ? "" : &required(static_cast<const char*>(data), name), size};
}

}  // namespace

extern "C" {

atc_status atc_store_open(atc_store** out, const char* directory, atc_store_mode mode) noexcept {
  return guard([&] {
    required(out, "out");
    store::Options options = open_options(mode);
    if (*checked_path(directory, "directory") == '\0')
      fail(Status::invalid_argument, "directory is empty: name a folder");
    *out = new atc_store{store::Store::open(directory, std::move(options))};
  });
}

atc_status atc_store_open_layers(atc_store** out, const char* const* directories, size_t count,
                                 atc_store_mode mode) noexcept {
  return guard([&] {
    required(out, "out");
    required(directories, "directories");
    const store::Options options = open_options(mode);
    if (count == 0) fail(Status::invalid_argument, "count is 0: name a folder");
    std::vector<std::filesystem::path> folders;
    for (size_t i = 0; i < count; ++i) {
      const std::string name = format("directories[{}]", i);
      if (*checked_path(directories[i], name.c_str()) == '\0')
        fail(Status::invalid_argument, "{} is empty: name a folder", name);
      folders.emplace_back(directories[i]);
    }
    *out = new atc_store{store::open_layers(folders, options)};
  });
}

void atc_store_close(atc_store* store) noexcept {
  guard_void([&] { delete store; });
}

atc_status atc_store_use(const atc_store* store) noexcept {
  return guard([&] { store::use(store == nullptr ? nullptr : store->store); });
}

atc_status atc_store_in_use(atc_store** out) noexcept {
  return guard([&] {
    required(out, "out");
    auto store = store::in_use();
    *out = store == nullptr ? nullptr : new atc_store{std::move(store)};
  });
}

atc_status atc_store_describe(atc_store_info* out, const atc_store* handle) noexcept {
  return guard([&] {
    required(out, "out");
    store::Store& store = known(handle);
    atc_store_info info{};
    info.mode = static_cast<atc_store_mode>(store.mode());
    info.entries = store.size();
    copy_text(info.directory, store.directory().string());
    write_struct(out, info, "out");
  });
}

atc_status atc_store_get(atc_bytes** out, const atc_store* handle, atc_device device,
                         const atc_conv_problem* problem,
                         const atc_conv_options* options) noexcept {
  return guard([&] {
    required(out, "out");
    store::Store& store = known(handle);
    const DeviceId id = to_device(device);
    const Problem described = to_problem(problem);
    const auto entry =
        store.get(conv::key_for(id, described, to_plan_options(read_plan_options(options))));
    if (entry == nullptr)
      fail(Status::not_tuned, "the store has no entry for {} with these options and switches",
           describe(described));
    *out = make_bytes(text_of(*entry));
  });
}

atc_status atc_store_put(const atc_store* handle, const char* entry, size_t size,
                         const atc_store_put_options* options) noexcept {
  return guard([&] {
    store::Store& store = known(handle);
    const auto asked = read_options(options);
    require_zero_reserved(asked);
    const bool replaces = to_switch(asked.replace_firm, "options.replace_firm").value_or(false);
    store::Entry given = store::entry_from_text(bytes_of(entry, size, "entry"));
    if (!trusts_compiled(asked)) store::drop_compiled(given.value);
    store::mark_received(given.value);
    store::drop_checked(given.value);
    const Change change(store);
    store.put(given.key, given.value, replaces);
  });
}

atc_status atc_store_list(atc_bytes** out, const atc_store* handle) noexcept {
  return guard([&] {
    required(out, "out");
    std::string text = "[";
    for (const auto& entry : known(handle).list()) {
      if (text.size() > 1) text += ",\n";
      text += text_of(*entry);
    }
    *out = make_bytes(text + "]");
  });
}

atc_status atc_store_provisional(uint64_t* out, const atc_store* handle) noexcept {
  return guard([&] {
    std::uint64_t& target = required(out, "out");
    const auto entries = known(handle).list();
    target = static_cast<std::uint64_t>(
        std::count_if(entries.begin(), entries.end(),
                      [](const auto& entry) { return store::is_provisional(entry->value); }));
  });
}

atc_status atc_store_remove(int32_t* removed, const atc_store* handle, const char* entry,
                            size_t size) noexcept {
  return guard([&] {
    store::Store& store = known(handle);
    const store::Entry given = store::entry_from_text(bytes_of(entry, size, "entry"));
    const Change change(store);
    const bool was_there = store.remove(given.key);
    if (removed != nullptr) *removed = was_there;
  });
}

atc_status atc_store_export(atc_bytes** out, const atc_store* handle) noexcept {
  return guard([&] {
    required(out, "out");
    *out = make_bytes(known(handle).export_bundle());
  });
}

atc_status atc_store_import(uint64_t* added, uint64_t* kept, const atc_store* handle,
                            const void* bundle, size_t size,
                            const atc_store_import_options* options) noexcept {
  return guard([&] {
    store::Store& store = known(handle);
    const auto asked = read_options(options);
    require_zero_reserved(asked);
    store::ImportOptions how;
    how.present = to_present(asked.replace);
    how.drops_compiled = !trusts_compiled(asked);
    how.marks = true;
    const Change change(store);
    const store::ImportReport report = store.import_bundle(bytes_of(bundle, size, "bundle"), how);
    if (added != nullptr) *added = report.added;
    if (kept != nullptr) *kept = report.kept;
  });
}

atc_status atc_store_merge(atc_bytes** out, const void* const* bundles, const size_t* sizes,
                           size_t count, const atc_store_merge_options* options) noexcept {
  return guard([&] {
    required(out, "out");
    const bool drops_compiled = !trusts_compiled(read_options(options));
    std::vector<std::string_view> parts;
    if (count > 0) {
      required(bundles, "bundles");
      required(sizes, "sizes");
      parts.reserve(count);
    }
    for (size_t i = 0; i < count; ++i)
      parts.push_back(bytes_of(bundles[i], sizes[i], format("bundles[{}]", i).c_str()));
    *out = make_bytes(store::merge_bundles(parts, drops_compiled));
  });
}

atc_status atc_store_digest(uint64_t* out, const atc_store* handle) noexcept {
  return guard([&] {
    std::uint64_t& target = required(out, "out");
    target = conv::with_pins(known(handle).digest());
  });
}

atc_status atc_store_verify(atc_bytes** out, const atc_store* handle) noexcept {
  return guard([&] {
    required(out, "out");
    std::string text;
    for (const std::string& line : known(handle).verify()) text += line + '\n';
    *out = make_bytes(std::move(text));
  });
}

atc_status atc_store_prune(uint64_t* removed, const atc_store* handle, uint64_t keep) noexcept {
  return guard([&] {
    store::Store& store = known(handle);
    const Change change(store);
    const std::uint64_t gone = store.prune(keep);
    if (removed != nullptr) *removed = gone;
  });
}

}  // extern "C"
