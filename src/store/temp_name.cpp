#include "store/temp_name.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <optional>
#include <sstream>
#include <vector>

#include "core/format.hpp"
#include "store/hash.hpp"

namespace atc::store {
namespace {

constexpr std::string_view kPrefix = "tmp-";

// Returns the contents of a file, or "" if it cannot be read. std::ifstream is not used, because it
// throws if a process ends after its file in /proc was opened and before the file is read.
std::string contents_of(const char* path) {
  std::string contents;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return contents;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = read(file, piece.data(), piece.size())) > 0;)
    contents.append(piece.data(), static_cast<std::size_t>(got));
  close(file);
  return contents;
}

// Returns a text that identifies the host and the process namespace, because process numbers are
// unique only within one process namespace of one host. The text is a hash of the identities of the
// host and of the process namespace. The host is identified by its name and its machine id
// together, because containers often share one of the two. The string is never destroyed, because
// threads may use it while the process ends.
const std::string& this_host() {
  static const auto* const id = new std::string([] {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    std::array<char, 64> space{};
    if (readlink("/proc/self/ns/pid", space.data(), space.size() - 1) < 0) space[0] = '\0';
    return hex64(
        hash64(format("{}\n{}\n{}", name.data(), contents_of("/etc/machine-id"), space.data())));
  }());
  return *id;
}

const std::string& this_boot() {
  static const auto* const id = new std::string(
      hex32(static_cast<std::uint32_t>(hash64(contents_of("/proc/sys/kernel/random/boot_id")))));
  return *id;
}

// Returns the start time of a process in ticks since boot. The start time distinguishes a process
// from a later process with the same number. Returns nullopt if the process does not exist or has
// ended (a zombie).
std::optional<std::uint64_t> start_of(std::uint64_t pid) {
  const std::string stat = contents_of(format("/proc/{}/stat", pid).c_str());
  // In /proc/PID/stat the process's name ends before the last ')'. It may contain any character.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  // In /proc/PID/stat the state of the process is field 3, and the start time is field 22.
  constexpr int kFieldsBetween = 18;
  std::string skipped;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  std::uint64_t start = 0;
  return fields >> start ? std::optional(start) : std::nullopt;
}

// Returns the start time of the calling process, whose number is `pid`; 0 if it is not known. It is
// determined once and remembered together with the number. A forked child has another number, so it
// determines its own start time.
std::uint64_t own_start(std::uint64_t pid) {
  static std::atomic<std::uint64_t> known_pid{0};
  static std::atomic<std::uint64_t> known_start{0};
  if (known_pid.load() != pid) {
    known_start.store(start_of(pid).value_or(0));
    known_pid.store(pid);
  }
  return known_start.load();
}

std::optional<std::uint64_t> decimal(std::string_view digits) {
  if (digits.empty() || digits.size() > 19) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool alive(std::uint64_t pid, std::uint64_t start) {
  const auto self = static_cast<std::uint64_t>(getpid());
  // A start time of 0 means that the start time is not known: the process that made the name, or
  // the calling process, could not read /proc.
  if (own_start(self) == 0 || start == 0) {
    return kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
  }
  return start_of(pid) == start;
}

}  // namespace

std::string make_temp_name() {
  static std::atomic<std::uint64_t> counter{0};
  const auto pid = static_cast<std::uint64_t>(getpid());
  return format("{}{}-{}-{}-{}-{}", kPrefix, this_host(), this_boot(), pid, own_start(pid),
                counter.fetch_add(1));
}

TempState temp_state(std::string_view name) {
  if (name.substr(0, kPrefix.size()) != kPrefix) return TempState::not_temp;
  name.remove_prefix(kPrefix.size());
  std::vector<std::string_view> parts;
  for (std::size_t dash = name.find('-'); dash != std::string_view::npos; dash = name.find('-')) {
    parts.push_back(name.substr(0, dash));
    name.remove_prefix(dash + 1);
  }
  parts.push_back(name);
  if (parts.size() != 5 || parts[0].size() != 16 || parts[1].size() != 8 || !from_hex(parts[0]) ||
      !from_hex(parts[1]) || !decimal(parts[4])) {
    return TempState::not_temp;
  }
  const auto pid = decimal(parts[2]);
  const auto start = decimal(parts[3]);
  constexpr std::uint64_t kMaxPid = std::uint64_t{1} << 30;
  if (!pid || !start || *pid == 0 || *pid > kMaxPid) return TempState::not_temp;
  if (parts[0] != this_host()) return TempState::elsewhere;
  if (parts[1] != this_boot()) return TempState::abandoned;
  return alive(*pid, *start) ? TempState::writing : TempState::abandoned;
}

}  // namespace atc::store
