// Tests eight processes that tune together through stores of LibTorch's c10d (atc/c10d_group.hpp).
#include "atc/c10d_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "capi/group_job.hpp"
#include "support/free_port.hpp"
#include "support/temp_folder.hpp"
#include "torch/support/agreed_ranks.hpp"

namespace {

using namespace atc_test;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint32_t kSize = 8;

using StorePtr = c10::intrusive_ptr<c10d::Store>;

// The store and the group that the process of a rank has opened. They exist until the process ends.
struct Opened {
  StorePtr store;
  std::unique_ptr<atc::C10dGroup> group;
};
Opened& opened() {
  static auto* const opened = new Opened;
  return *opened;
}

atc_group open_on(StorePtr store, const RankScript& script) {
  opened().store = std::move(store);
  opened().group =
      std::make_unique<atc::C10dGroup>(opened().store, script.rank, script.size, script.prefix);
  return *opened().group->c_group();
}

class C10dGroupTest : public testing::Test {
 protected:
  std::vector<RankScript> on_files() const {
    auto scripts = job_of(kSize, "", {64, 65, 66});
    const std::string path = (folder_ / "store").string();
    for (RankScript& script : scripts)
      script.open = [path](const RankScript& own) {
        return open_on(c10::make_intrusive<c10d::FileStore>(path, static_cast<int>(own.size)), own);
      };
    return scripts;
  }
  // Returns scripts for ranks that communicate through a TCP store. Its server is in the process of
  // rank 0. So rank 0 does not end before `others` other ranks have ended.
  static std::vector<RankScript> on_tcp(std::int64_t others) {
    auto scripts = job_of(kSize, "", {64, 65, 66});
    const std::uint16_t port = atc::test::free_port();
    for (RankScript& script : scripts) {
      script.open = [port](const RankScript& own) {
        c10d::TCPStoreOptions options;
        options.port = port;
        options.isServer = own.rank == 0;
        options.timeout = std::chrono::seconds(60);
        options.waitWorkers = false;
        return open_on(c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options), own);
      };
      script.again = [rank = script.rank, others] {
        if (rank != 0) {
          opened().store->add("ended", 1);
          return;
        }
        while (opened().store->add("ended", 0) < others)
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
      };
    }
    return scripts;
  }
  std::vector<Told> run(const std::vector<RankScript>& scripts) const {
    return run_job(scripts, folder_.path().string());
  }

  atc::test::TempFolder folder_;
};

TEST_F(C10dGroupTest, RanksAgreeThroughAFileStore) { expect_agreed(run(on_files()), 3); }

TEST_F(C10dGroupTest, RanksAgreeThroughATcpStore) { expect_agreed(run(on_tcp(kSize - 1)), 3); }

TEST_F(C10dGroupTest, ARankThatIsKilledWithAClaimIsNamed) {
  auto scripts = on_tcp(kSize - 2);
  const std::string folder = folder_.path().string();
  for (RankScript& script : scripts) {
    script.bound = 10;
    script.own_engine_alone = true;
    const std::uint32_t rank = script.rank;
    // the process of this rank has the server of the store, so the test must not kill it
    if (rank == 0) continue;
    script.in_race = [folder, rank] {
      if (is_first(folder, "killed", rank)) raise(SIGKILL);
    };
  }
  // The rank (process of the job) that gets the device measures, and is killed. Rank 0 must not be
  // killed, because its process has the server of the store. So rank 0 does not ask for the device
  // before another rank was killed.
  scripts[0].before = [folder](const std::string& what, const std::string& key) {
    if (what == "create" && key.find("/d/") != std::string::npos)
      while (first_of(folder, "killed") < 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return true;
  };
  const auto all = run(scripts);
  const int killed = first_of(folder, "killed");
  for (const Told& one : all) {
    if (one.signal == SIGKILL) continue;
    EXPECT_EQ(one.status(), "ATC_ERROR_NOT_AGREED");
    EXPECT_THAT(one.one("text"), AllOf(HasSubstr("rank " + std::to_string(killed) + ": "),
                                       HasSubstr("within 10 s")));
  }
}

}  // namespace
