// Tests processes that open a group (the processes that tune together) by a URL, with
// atc_torch_group_open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "atc/torch.h"
#include "capi/group_job.hpp"
#include "capi/status.hpp"
#include "support/free_port.hpp"
#include "support/temp_folder.hpp"
#include "torch/support/agreed_ranks.hpp"

namespace {

using namespace atc_test;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint32_t kSize = 4;
const std::vector<std::int64_t> kWidths = {64, 65};

// Opens a group. If `rank` and `size` are 0, they come from the environment variables RANK and
// WORLD_SIZE.
atc_group open_group(const std::string& url, std::uint32_t rank, std::uint32_t size) {
  atc_group group = ATC_GROUP_INIT;
  EXPECT_DONE(atc_torch_group_open(&group, url.c_str(), rank, size, 60));
  return group;
}

void set_variables(std::uint32_t rank, std::uint32_t size, const std::string& port) {
  setenv("RANK", std::to_string(rank).c_str(), 1);
  setenv("WORLD_SIZE", std::to_string(size).c_str(), 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", port.c_str(), 1);
}

class GroupOpen : public testing::Test {
 protected:
  static std::string address() {
    return "tcp://127.0.0.1:" + std::to_string(atc::test::free_port());
  }
  static std::vector<RankScript> job(const std::string& url) {
    auto scripts = job_of(kSize, "", kWidths);
    for (RankScript& script : scripts)
      script.open = [url](const RankScript& own) { return open_group(url, own.rank, own.size); };
    return scripts;
  }
  std::vector<Told> run(const std::vector<RankScript>& scripts) const {
    return run_job(scripts, folder_.path().string());
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  atc::test::TempFolder folder_;
};

TEST_F(GroupOpen, RanksAgreeThroughAFile) {
  expect_agreed(run(job("file://" + path("keys"))), kWidths.size());
}

TEST_F(GroupOpen, RanksAgreeThroughAnAddress) {
  expect_agreed(run(job(address())), kWidths.size());
}

TEST_F(GroupOpen, RanksAgreeThroughTheVariablesOfTorchrun) {
  auto scripts = job_of(kSize, "", kWidths);
  const std::string port = std::to_string(atc::test::free_port());
  for (RankScript& script : scripts)
    script.open = [port](const RankScript& own) {
      set_variables(own.rank, own.size, port);
      return open_group("env://", 0, 0);
    };
  expect_agreed(run(scripts), kWidths.size());
}

// The ranks communicate through a store. If they are started by torchrun, the server of the store
// is in the process of torchrun, which the test simulates by a forked process.
TEST_F(GroupOpen, RanksAgreeThroughTheStoreThatTorchrunServes) {
  const std::uint16_t port = atc::test::free_port();
  const pid_t torchrun = fork();
  if (torchrun == 0) {
    c10d::TCPStoreOptions options;
    options.port = port;
    options.isServer = true;
    options.waitWorkers = false;
    const c10d::TCPStore store("127.0.0.1", options);
    pause();
    _exit(0);
  }
  auto scripts = job_of(kSize, "", kWidths);
  for (RankScript& script : scripts)
    script.open = [port](const RankScript& own) {
      set_variables(own.rank, own.size, std::to_string(port));
      setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
      return open_group("env://", 0, 0);
    };
  expect_agreed(run(scripts), kWidths.size());
  kill(torchrun, SIGKILL);
  waitpid(torchrun, nullptr, 0);
}

// The ranks communicate through a store whose server is in the process of rank 0. The test delays
// the operations of the other ranks, so that rank 0 is ready first. Rank 0 must not end before the
// other ranks have read the result of the agreement.
TEST_F(GroupOpen, RankZeroServesUntilTheOthersHaveClosedTheirGroups) {
  auto scripts = job(address());
  for (RankScript& script : scripts) {
    if (script.rank == 0) continue;
    script.before = [](const std::string&, const std::string& key) {
      if (key.find("/v/") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return true;
    };
  }
  expect_agreed(run(scripts), kWidths.size());
}

TEST_F(GroupOpen, RanksThatLoseTheServerUseNothingNew) {
  auto scripts = job(address());
  scripts[0].before = [](const std::string&, const std::string& key) {
    if (key.find("/verdict") != std::string::npos) raise(SIGKILL);
    return true;
  };
  const auto all = run(scripts);
  EXPECT_EQ(all[0].signal, SIGKILL);
  for (std::uint32_t rank = 1; rank < kSize; ++rank) {
    EXPECT_EQ(all[rank].status(), "ATC_ERROR_IO");
    EXPECT_THAT(all[rank].one("text"), HasSubstr("the group's callback"));
    EXPECT_THAT(all[rank].all("eager"), testing::Each(testing::StartsWith("ATC_SOURCE_DEFAULT ")));
  }
}

TEST_F(GroupOpen, AProcessOpensItsNextGroupAtTheSameAddress) {
  auto scripts = job(address());
  const std::string folder = folder_.path().string();
  for (RankScript& script : scripts)
    script.again = [script, folder] {
      RankScript next = script;
      next.again = nullptr;
      next.is_second = true;
      next.widths = {66};
      run_rank(next, folder + "/again-" + std::to_string(script.rank));
    };
  expect_agreed(run(scripts), kWidths.size());
  for (std::uint32_t rank = 0; rank < kSize; ++rank) {
    std::ifstream in(folder + "/again-" + std::to_string(rank));
    const std::string told((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_THAT(told, AllOf(HasSubstr("status ATC_OK"), HasSubstr("eager ATC_SOURCE_AGREED")));
  }
}

TEST_F(GroupOpen, ThePrefixNamesTheJobAndTheAttempt) {
  const std::string url = "file://" + path("keys");
  atc_group group = open_group(url, 0, 1);
  EXPECT_STREQ(group.prefix, "job/0");
  atc_group_close(&group);
  setenv("TORCHELASTIC_RUN_ID", "night", 1);
  setenv("TORCHELASTIC_RESTART_COUNT", "3", 1);
  group = open_group(url, 0, 1);
  EXPECT_STREQ(group.prefix, "night/3");
  EXPECT_EQ(group.bound_seconds, 60);
  atc_group_close(&group);
  EXPECT_EQ(group.user, nullptr);
}

// ---- Tests of bad input to atc_torch_group_open -------------------------------------------------

void expect_refused(const std::string& url, std::uint32_t rank, std::uint32_t size,
                    const std::vector<std::string>& parts,
                    atc_status expected = ATC_ERROR_INVALID_ARGUMENT) {
  atc_group group = ATC_GROUP_INIT;
  const atc_status status = atc_torch_group_open(&group, url.c_str(), rank, size, 1);
  EXPECT_EQ(status, expected) << url;
  for (const std::string& part : parts) EXPECT_THAT(atc_last_error(), HasSubstr(part)) << url;
  EXPECT_EQ(group.create, nullptr);
}

TEST_F(GroupOpen, AUrlThatIsNoneIsNamedWithThoseThatAre) {
  for (const char* url : {"", "env:/", "env://host", "http://host:80", "127.0.0.1:29500"})
    expect_refused(url, 0, 1,
                   {std::string("\"") + url + "\"", "env://, tcp://HOST:PORT or file:///PATH"});
}

TEST_F(GroupOpen, AnAddressThatIsNoneIsNamed) {
  expect_refused("tcp://host", 0, 1, {"tcp://host has no port"});
  expect_refused("tcp://[::1]", 0, 1, {"tcp://[::1] has no port"});
  expect_refused("tcp://:29500", 0, 1, {"tcp://:29500 has no host"});
  for (const char* port : {"", "0", "65536", "-1", "2950x", " 80", "99999999999999999999"})
    expect_refused(std::string("tcp://host:") + port, 0, 1,
                   {std::string("port \"") + port + "\"", "1 to 65535"});
}

TEST_F(GroupOpen, APathThatIsNotAbsoluteIsNamed) {
  expect_refused("file://keys", 0, 1, {"file://keys has no absolute path", "file:///PATH"});
  expect_refused("file://", 0, 1, {"file:// has no absolute path"});
}

TEST_F(GroupOpen, AFileThatCannotBeIsNamed) {
  const std::string lost = "file://" + path("lost") + "/keys";
  expect_refused(lost, 1, 2, {lost, "rank 1 of 2", "no folder " + path("lost")}, ATC_ERROR_IO);
  const std::string folder = "file://" + folder_.path().string();
  expect_refused(folder, 0, 1, {folder, "Is a directory"}, ATC_ERROR_IO);
}

TEST_F(GroupOpen, AServerThatDoesNotAnswerIsNamed) {
  const std::string url = address();
  expect_refused(url, 1, 2, {url, "rank 1 of 2"}, ATC_ERROR_IO);
  set_variables(1, 2, url.substr(url.rfind(':') + 1));
  expect_refused("env://", 0, 0, {"env://", url.substr(6), "rank 1 of 2"}, ATC_ERROR_IO);
}

TEST_F(GroupOpen, ARankThatIsNoneIsNamed) {
  expect_refused("file://" + path("keys"), 3, 3, {"rank 3 of 3", "0 to size - 1"});
  expect_refused("tcp://host:1", 0, 0, {"rank 0 of 0"});
}

TEST_F(GroupOpen, AVariableThatIsMissingOrWrongIsNamed) {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    set_variables(0, 2, "29500");
    unsetenv(name);
    expect_refused("env://", 0, 0, {std::string("variable ") + name, "torchrun --no-python"});
  }
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_PORT"}) {
    set_variables(0, 2, "29500");
    setenv(name, "two", 1);
    expect_refused("env://", 0, 0, {std::string("variable ") + name, "\"two\""});
  }
}

TEST_F(GroupOpen, RankAndSizeOfTheCallComeBeforeTheVariables) {
  set_variables(7, 9, "29500");
  expect_refused("env://", 2, 1, {"rank 2 of 1"});
}

TEST_F(GroupOpen, ATimeThatIsNoneIsNamed) {
  atc_group group = ATC_GROUP_INIT;
  const std::string url = "file://" + path("keys");
  for (const double seconds : {-1.0, 1e9, std::nan("")})
    EXPECT_REFUSED(atc_torch_group_open(&group, url.c_str(), 0, 1, seconds),
                   ATC_ERROR_INVALID_ARGUMENT, "timeout_seconds", "1000000 s");
}

TEST_F(GroupOpen, PointersThatAreMissingAreNamed) {
  atc_group group = ATC_GROUP_INIT;
  EXPECT_REFUSED(atc_torch_group_open(nullptr, "env://", 0, 1, 0), ATC_ERROR_INVALID_ARGUMENT,
                 "out is missing");
  EXPECT_REFUSED(atc_torch_group_open(&group, nullptr, 0, 1, 0), ATC_ERROR_INVALID_ARGUMENT,
                 "url is missing");
  group.struct_size = 8;
  EXPECT_REFUSED(atc_torch_group_open(&group, "env://", 0, 1, 0), ATC_ERROR_INVALID_ARGUMENT,
                 "out.struct_size is 8");
}

}  // namespace
