// A process that writes to or reads from a store until it is killed; process_test.cpp starts it.
// Arguments:
// * write DIR SEED KEYS: puts entries; when the put of an entry has returned, prints the entry's
//   number;
// * read DIR SEED KEYS: looks entries up; exits with 3 if an entry is wrong, and with 4 if the
//   store warns;
// * hold DIR: leaves a temporary file open for writing, prints its name and waits to be killed.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "core/error.hpp"
#include "store/temp_name.hpp"
#include "user_secret.hpp"
#include "worker_entries.hpp"

namespace {

using namespace atc::store;

[[noreturn]] void stop(int code, const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  _exit(code);
}

void say(const std::string& line) {
  const std::string text = line + "\n";
  // One write of fewer bytes than PIPE_BUF is atomic. If this process is killed, the whole line
  // arrives, or nothing.
  if (write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(5);
}

[[noreturn]] void write_entries(Store& store, std::uint64_t seed, int keys) {
  std::mt19937_64 random(seed);
  for (;;) {
    const int number = static_cast<int>(random() % static_cast<std::uint64_t>(keys));
    const std::uint64_t salt = random();
    if (worker_has_sidecar(number))
      store.put_sidecar(worker_key(number), worker_text(number, salt));
    store.put(worker_key(number), worker_value(number, salt));
    say(std::to_string(number));
  }
}

[[noreturn]] void read_entries(Store& store, std::uint64_t seed, int keys) {
  std::mt19937_64 random(seed);
  for (;;) {
    const int number = static_cast<int>(random() % static_cast<std::uint64_t>(keys));
    if (const auto entry = store.get(worker_key(number));
        entry && !(worker_entry_is_right(number, *entry) &&
                   worker_sidecar_is_right(store, number, *entry))) {
      stop(3, "wrong entry for " + std::to_string(number));
    }
    const Key key = worker_key(number);
    for (const auto& entry :
         store.find(key.environment, key.family, [](const Entry&) { return true; })) {
      if (!worker_entry_is_right(entry->key.problem["number"].get<int>(), *entry)) {
        stop(3, "wrong entry found near " + std::to_string(number));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string role = argv[1];
  const std::string directory = argv[2];
  if (role == "hold") {
    const std::string name = make_temp_name();
    const std::string path = directory + "/" + name;
    if (open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) < 0) return 2;
    say(name);
    for (;;) pause();
  }
  if (argc < 5) return 2;
  const std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  const int keys = std::atoi(argv[4]);
  Options options;
  options.secret = kSecret;
  options.warn = [](const std::string& line) { stop(4, line); };
  try {
    const auto store = Store::open(directory, options);
    if (role == "write") write_entries(*store, seed, keys);
    if (role == "read") read_entries(*store, seed, keys);
  } catch (const std::exception& error) {
    stop(6, error.what());
  }
  return 2;
}
