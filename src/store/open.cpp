// Store::open, the identity of stores, and the store of mode off.
#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>

#include "core/error.hpp"
#include "store/bundle.hpp"
#include "store/directory_store.hpp"

namespace atc::store {
namespace {

class OffStore final : public Store {
 public:
  explicit OffStore(std::filesystem::path directory)
      : Store(std::make_shared<Epoch>(0)), directory_(std::move(directory)) {}

  Mode mode() const override { return Mode::off; }
  std::filesystem::path directory() const override { return directory_; }
  std::shared_ptr<const Entry> get(const CanonicalKey&) override { return nullptr; }
  std::vector<std::shared_ptr<const Entry>> find(
      const Json&, std::string_view, const std::function<bool(const Entry&)>&) override {
    return {};
  }
  bool put(const Key&, const Json&, bool) override { refuse(); }
  bool remove(const CanonicalKey&) override { refuse(); }
  SidecarName put_sidecar(const Key&, std::string_view) override { refuse(); }
  std::optional<std::string> sidecar(const CanonicalKey&, const SidecarName&) override {
    return std::nullopt;
  }
  std::size_t size() override { return 0; }
  std::vector<std::shared_ptr<const Entry>> list() override { return {}; }
  std::string export_bundle() override { return write_bundle({}, {}); }
  ImportReport import_bundle(std::string_view, const ImportOptions&) override { refuse(); }
  std::uint64_t digest() override { return digest_of_nothing(); }
  std::vector<std::string> verify() override { return {}; }
  std::size_t prune(std::uint64_t) override { refuse(); }

 private:
  [[noreturn]] void refuse() const {
    fail(Status::io, "store {} is off; open it in mode {} to write", directory_.string(),
         name_of(Mode::read_write));
  }

  const std::filesystem::path directory_;
};

struct NamedMode {
  std::string_view name;
  Mode mode;
};
constexpr NamedMode kModes[] = {{"off", Mode::off},
                                {"read", Mode::read},
                                {"read-write", Mode::read_write},
                                {"replay-only", Mode::replay_only}};

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Without slashes and "/." at the end: the last part is the name of the folder.
std::filesystem::path ending_in_name(std::filesystem::path directory) {
  while (directory.has_relative_path() &&
         (!directory.has_filename() || directory.filename() == "."))
    directory = directory.parent_path();
  return directory;
}

// One text for all paths of a directory, which need not exist yet.
std::string real_path(const std::filesystem::path& directory) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(directory, error);
  return error ? directory.string() : real.string();
}

}  // namespace

Store::Store(std::shared_ptr<Epoch> epoch) : id_(next_id()), epoch_(std::move(epoch)) {}

std::shared_ptr<Store::Epoch> Store::epoch_of(const std::filesystem::path& directory) {
  struct Epochs {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<Epoch>> of;
  };
  static auto* const known = new Epochs;  // outlives detached threads
  const std::lock_guard lock(known->mutex);
  for (auto entry = known->of.begin(); entry != known->of.end();)
    entry = entry->second.expired() ? known->of.erase(entry) : std::next(entry);
  std::weak_ptr<Epoch>& kept = known->of[real_path(directory)];
  std::shared_ptr<Epoch> epoch = kept.lock();
  if (epoch == nullptr) kept = epoch = std::make_shared<Epoch>(0);
  return epoch;
}

std::string_view name_of(Mode mode) {
  const auto* found = std::find_if(std::begin(kModes), std::end(kModes),
                                   [&](const NamedMode& named) { return named.mode == mode; });
  return found == std::end(kModes) ? "?" : found->name;
}

std::optional<Mode> mode_from_name(std::string_view name) {
  const auto* found = std::find_if(std::begin(kModes), std::end(kModes),
                                   [&](const NamedMode& named) { return named.name == name; });
  return found == std::end(kModes) ? std::nullopt : std::optional(found->mode);
}

std::shared_ptr<Store> Store::open(const std::filesystem::path& directory, Options options) {
  if (name_of(options.mode) == "?") {
    fail(Status::invalid_argument, "store mode {} is none of off (1) to replay-only (4)",
         static_cast<std::int32_t>(options.mode));
  }
  if (options.mode == Mode::off) return std::make_shared<OffStore>(directory);
  if (directory.empty()) fail(Status::io, "cannot use \"\" as a store: name a folder");
  std::error_code error;
  // The process may change its working directory later.
  const std::filesystem::path absolute = std::filesystem::absolute(directory, error);
  if (error) {
    fail(Status::io, "cannot use {} as a store: {}; name an absolute path", directory.string(),
         error.message());
  }
  return std::make_shared<DirectoryStore>(ending_in_name(absolute).string(), std::move(options));
}

}  // namespace atc::store
