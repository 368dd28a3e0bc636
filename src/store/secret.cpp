#include "store/secret.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "core/environment.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "store/files.hpp"

namespace atc::store {
namespace {

constexpr const char *kFolder = "atc", *kFile = "secret";
constexpr unsigned kFolderMode = 0700, kFileMode = 0600, kOthers = 0077;
constexpr std::size_t kMostBytes = 64;

// Returns a new random secret. Returns nothing if the system gives no random numbers.
std::optional<Secret> new_secret() {
  Secret secret;
  const auto filled = [](std::uint64_t& word) {
    return getrandom(&word, sizeof word, 0) == static_cast<ssize_t>(sizeof word);
  };
  if (!filled(secret.high) || !filled(secret.low)) return std::nullopt;
  return secret;
}

std::optional<Secret> read(const std::string& folder, std::string* trouble) {
  const FileText file = read_file(folder, kFile, kMostBytes);
  const std::string path = folder + "/" + kFile;
  if (file.state == FileText::State::absent) {
    *trouble = format("{} is not there", path);
  } else if (file.state == FileText::State::refused) {
    *trouble = format("{} {}", path, file.reason);
  } else if (file.ownership.user != geteuid()) {
    *trouble = format("{} belongs to user {}", path, file.ownership.user);
  } else if ((file.ownership.mode & kOthers) != 0) {
    *trouble = format("{} may be read by others: remove it", path);
  } else if (auto secret = hash128_from_hex(std::string_view(file.text).substr(0, 32));
             secret && file.text.size() == 33 && file.text.back() == '\n') {
    return secret;
  } else {
    *trouble = format("{} holds no secret: remove it", path);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> state_folder() {
  const auto is_mine = [](const std::string& folder, bool may_be_made) {
    Ownership owner;
    const int error = ownership_of(folder + "/.", &owner);
    return error == 0 ? owner.user == geteuid() : may_be_made && error == ENOENT;
  };
  if (const auto state = environment_text("XDG_STATE_HOME"); state && state->front() == '/')
    return is_mine(*state, true) ? state : std::nullopt;
  const auto home = environment_text("HOME");
  if (!home || home->front() != '/' || !is_mine(*home, false)) return std::nullopt;
  return *home + "/.local/state";
}

std::optional<Secret> secret_in(const std::string& state_folder, bool makes, std::string* trouble) {
  const std::string folder = state_folder + "/" + kFolder;
  std::optional<Secret> found = read(folder, trouble);
  if (found || !makes) return found;
  // The file exists: either it contains no secret of this user, or another process has just made
  // it. So it is read again and not replaced.
  FileId id;
  if (identify(folder + "/" + kFile, &id) == 0) return read(folder, trouble);
  const auto made = new_secret();
  if (!made) {
    *trouble = "the system gives no random numbers";
    return std::nullopt;
  }
  // The result of this call is ignored: if the folder is missing, the next write_file fails.
  make_folders(folder, kFolderMode);
  WriteOptions options{Sync::yes, Replace::no, kFileMode};
  if (const int error = write_file(folder, kFile, hex128(*made) + "\n", options, nullptr);
      error != 0 && error != EEXIST) {
    *trouble = format("{}/{} cannot be written ({})", folder, kFile, text_of(error));
    return std::nullopt;
  }
  // The secret that counts is the one in the file: another process may have made the file first. So
  // the file is read again.
  return read(folder, trouble);
}

std::optional<Secret> secret_of_process(bool makes) {
  struct Known {
    std::mutex mutex;
    std::optional<Secret> of_user, of_process;
  };
  // This object is never destroyed, because detached threads may use it while the process exits.
  static auto* const known = new Known;
  const std::lock_guard lock(known->mutex);
  if (known->of_user) return known->of_user;
  std::string trouble = "there is no folder of the user's state (HOME, XDG_STATE_HOME)";
  if (const auto folder = state_folder()) known->of_user = secret_in(*folder, makes, &trouble);
  if (known->of_user) return known->of_user;
  if (makes)
    log_once(LogLevel::info,
             format("{}: later processes check the decisions that this one writes, and compile "
                    "anew what it compiled",
                    trouble));
  if (!known->of_process) known->of_process = new_secret();
  return known->of_process;
}

}  // namespace atc::store
