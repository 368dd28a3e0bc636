// Tests a store that several threads use. The test also runs under ThreadSanitizer.
#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "fixtures.hpp"

namespace atc::store::testing {
namespace {

TEST(StoreThreads, ShareOneObject) {
  const Scratch scratch;
  std::mutex mutex;
  std::vector<std::string> warnings;
  Options options;
  // the largest number of entries; it is so low that entries are removed all the time
  options.max_entries = 40;
  options.warn = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    warnings.push_back(line);
  };
  const auto store = Store::open(scratch / "s", options);
  std::atomic<int> wrong{0};
  const auto work = [&](int seed) {
    for (int step = 0; step < 150; ++step) {
      const int i = (seed * 31 + step * 7) % 60;
      const std::string mine = "c" + std::to_string(i);
      switch ((seed + step) % 8) {
        case 0:
        case 1:
        case 2:
          store->put(key(i), value(mine));
          break;
        case 3: {
          const auto found =
              store->find(environment(), key(i).family, [](const Entry&) { return true; });
          if (!found.empty() && choice(found[0]) != mine) ++wrong;
          break;
        }
        case 4:
          store->remove(key(i));
          break;
        case 5:
          store->size();
          break;
        default: {
          const auto entry = store->get(key(i));
          if (entry && choice(entry) != mine) ++wrong;
        }
      }
    }
    store->digest();
    try {
      store->import_bundle(store->export_bundle());
    } catch (const Error& error) {
      // The import may fail with an IO error: another thread has removed an entry since the export,
      // and there may be no room to add it again.
      if (error.status() != Status::io) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 6; ++seed) threads.emplace_back(work, seed);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(warnings, ::testing::IsEmpty());
  EXPECT_THAT(store->verify(), ::testing::IsEmpty());
  store->put(key(100), value("last"));
  EXPECT_LE(store->size(), 40U);
}

TEST(StoreThreads, OneTroubleIsOneLine) {
  const Scratch scratch;
  {
    const auto store = open(scratch / "s");
    (*store)->put(key(1), value("a"));
  }
  write(entry_files(scratch / "s").front(), "broken");
  std::atomic<int> lines{0};
  Options options;
  options.warn = [&](const std::string&) { ++lines; };
  const auto store = Store::open(scratch / "s", options);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) store->get(key(1));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lines, 1);
}

}  // namespace
}  // namespace atc::store::testing
