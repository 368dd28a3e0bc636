#include "device/available_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/format.hpp"

namespace atc {

namespace {

constexpr std::uint64_t kKiB = 1024;

// The names of the files of one version of cgroups.
struct Names {
  const char* mount;
  const char* limit;
  const char* usage;
  // The name of a line in the cgroup's file memory.stat. The line counts the bytes of file pages
  // that were not used recently. The kernel can drop such pages to get free memory.
  const char* droppable;
};
constexpr Names kVersion1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                          "total_inactive_file"};
constexpr Names kVersion2{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

// Returns the number in the file. Returns nullopt if the file contains "max" (no limit) or does not
// exist.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// Returns the number after `name` in a file whose lines are "name number".
std::optional<std::uint64_t> field_in(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first && first == name && words >> number) return number;
  }
  return std::nullopt;
}

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

class Least {
 public:
  Least() { least_.bytes = std::numeric_limits<std::uint64_t>::max(); }
  void consider(std::uint64_t bytes, std::string limit) {
    if (bytes < least_.bytes) least_ = {bytes, std::move(limit)};
  }
  const AvailableMemory& get() const { return least_; }

 private:
  AvailableMemory least_;
};

// Passes to `least` the memory that is left below the limit of the cgroup at `path` and of each
// cgroup above it. In a container without a cgroup namespace, /proc/self/cgroup names the path on
// the host. This path does not exist in the container. In this case only the mount point of the
// cgroups has files, and they are the files of the container's own cgroup.
void consider_cgroups(Least& least, const std::string& root, const Names& names, std::string path) {
  for (;;) {
    if (path == "/") path.clear();
    const std::string folder = format("{}{}{}/", root, names.mount, path);
    const auto limit = number_in(folder + names.limit);
    const auto used = number_in(folder + names.usage);
    if (limit && used)
      least.consider(
          difference(
              *limit,
              difference(*used, field_in(folder + "memory.stat", names.droppable).value_or(0))),
          format("{} of the cgroup {}", names.limit, path.empty() ? "/" : path));
    if (path.empty()) return;
    path.erase(path.rfind('/'));
  }
}

// Passes to `least` the memory that is left in all cgroups of the process. They are read from
// /proc/self/cgroup. A line of this file is "0::/path" in version 2 of cgroups and
// "4:cpu,memory:/path" in version 1.
void consider_cgroups(Least& least, const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (path.empty() || path.front() != '/') continue;
    if (controllers == ",,") consider_cgroups(least, root, kVersion2, path);
    if (controllers.find(",memory,") != std::string::npos)
      consider_cgroups(least, root, kVersion1, path);
  }
}

void consider_limits_of_process(Least& least) {
  const long page = sysconf(_SC_PAGESIZE);
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  if (page <= 0 || !(file >> size >> resident >> shared >> text >> library >> data)) return;
  const auto consider = [&](auto resource, std::uint64_t pages, const char* name) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    least.consider(difference(limit.rlim_cur, pages * static_cast<std::uint64_t>(page)), name);
  };
  consider(RLIMIT_AS, size, "RLIMIT_AS");
  consider(RLIMIT_DATA, data, "RLIMIT_DATA");
}

}  // namespace

AvailableMemory available_memory(const std::string& root) {
  Least least;
  if (const auto kib = field_in(root + "/proc/meminfo", "MemAvailable:"))
    least.consider(*kib * kKiB, "MemAvailable");
  consider_cgroups(least, root);
  if (root.empty()) consider_limits_of_process(least);
  return least.get();
}

}  // namespace atc
