// Tests a store that several processes use, while processes are killed at random times.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <set>

#include "fixtures.hpp"
#include "store/temp_name.hpp"
#include "worker_entries.hpp"

namespace atc::store::testing {
namespace {

using ::testing::IsEmpty;

// A child process (worker.cpp), and the lines of its standard output.
class Worker {
 public:
  Worker(const std::vector<std::string>& arguments) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    std::vector<char*> argv;
    std::string program = ATC_STORE_WORKER;
    argv.push_back(program.data());
    std::vector<std::string> copies = arguments;
    for (auto& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execv(program.c_str(), argv.data());
      _exit(127);
    }
    close(ends[1]);
    out_ = ends[0];
    fcntl(out_, F_SETFL, O_NONBLOCK);
  }
  ~Worker() {
    kill_and_wait();
    close(out_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  pid_t pid() const { return pid_; }
  int out() const { return out_; }

  // Returns the complete lines that the process has written since the last call.
  std::vector<std::string> lines() {
    char buffer[65536];
    for (ssize_t got; (got = ::read(out_, buffer, sizeof buffer)) > 0;) {
      text_.append(buffer, static_cast<std::size_t>(got));
    }
    std::vector<std::string> result;
    for (std::size_t end; (end = text_.find('\n')) != text_.npos; text_.erase(0, end + 1)) {
      result.push_back(text_.substr(0, end));
    }
    return result;
  }

  std::string wait_for_line() {
    for (;;) {
      pollfd waiting{out_, POLLIN, 0};
      if (poll(&waiting, 1, 30'000) <= 0) return "";
      const auto came = lines();
      if (!came.empty()) return came.front();
      if ((waiting.revents & POLLHUP) != 0) return "";
    }
  }

  // Kills the process. Returns "" if the process was still running. Otherwise returns a text about
  // how it had ended by itself.
  std::string kill_and_wait() {
    if (reaped_) return "";
    kill(pid_, SIGKILL);
    int status = 0;
    waitpid(pid_, &status, 0);
    reaped_ = true;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return "";
    return WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                             : "signal " + std::to_string(WTERMSIG(status));
  }

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  bool reaped_ = false;
  std::string text_;
};

std::vector<fs::path> temp_files(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& item : fs::recursive_directory_iterator(directory)) {
    if (temp_state(item.path().filename().string()) != TempState::not_temp) {
      files.push_back(item.path());
    }
  }
  return files;
}

double stress_seconds() {
  const char* text = std::getenv("ATC_STORE_STRESS_SECONDS");
  return text == nullptr ? 20.0 : std::atof(text);
}

TEST(StoreProcesses, EightWritersAndEightReadersKilledAtRandom) {
  constexpr int kWriters = 8, kReaders = 8, kKeys = 3000;
  const Scratch scratch;
  const std::string directory = (scratch / "s").string();
  std::mt19937_64 random(20260101);
  const auto start = [&](bool writes) {
    return std::make_unique<Worker>(std::vector<std::string>{
        writes ? "write" : "read", directory, std::to_string(random()), std::to_string(kKeys)});
  };
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < kWriters + kReaders; ++i) workers.push_back(start(i < kWriters));

  std::set<int> acknowledged;
  std::size_t puts = 0, kills = 0, abandoned = 0;
  std::vector<std::string> deaths;
  const auto collect = [&](Worker& worker) {
    for (const auto& line : worker.lines()) {
      acknowledged.insert(std::stoi(line));
      ++puts;
    }
  };
  // A killed process only ends when its last write to the disk has ended, which takes long on a
  // busy disk. So within the time limit too few processes may have been killed. Then the loop
  // continues until enough processes were killed and enough entries were written, but for at most
  // ten times the limit.
  constexpr std::size_t kLeastPuts = 100, kLeastKills = 100;
  const auto begin = std::chrono::steady_clock::now();
  const auto within = [begin](double seconds) {
    return std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(seconds);
  };
  const auto enough = [&] { return acknowledged.size() > kLeastPuts && kills > kLeastKills; };
  while (within(stress_seconds()) || (!enough() && within(10 * stress_seconds()))) {
    usleep(static_cast<useconds_t>(10'000 + random() % 40'000));
    for (auto& worker : workers) collect(*worker);
    const std::size_t victim = random() % workers.size();
    const std::string death = workers[victim]->kill_and_wait();
    if (!death.empty()) deaths.push_back(death);
    collect(*workers[victim]);
    ++kills;
    if (kills % 10 == 0) abandoned += temp_files(directory).size();
    workers[victim] = start(victim < kWriters);
  }
  for (auto& worker : workers) {
    const std::string death = worker->kill_and_wait();
    if (!death.empty()) deaths.push_back(death);
    collect(*worker);
  }
  // `deaths` has a text for each process that has ended by itself. Its exit code says why: 3 is a
  // wrong entry that a reader has found, 4 is a warning of the store, 6 is a failed operation.
  EXPECT_THAT(deaths, IsEmpty());
  RecordProperty("puts", static_cast<int>(puts));
  RecordProperty("kills", static_cast<int>(kills));
  std::printf("%zu puts of %zu keys acknowledged, %zu kills, %zu files seen half-written\n", puts,
              acknowledged.size(), kills, abandoned);
  ASSERT_TRUE(enough()) << "too little happened for the test to mean anything";

  const auto store = open(directory);
  for (const int number : acknowledged) {
    const auto entry = (*store)->get(worker_key(number));
    ASSERT_TRUE(entry) << "acknowledged entry " << number << " is gone";
    EXPECT_TRUE(worker_entry_is_right(number, *entry)) << number;
    EXPECT_TRUE(worker_sidecar_is_right(*store->store, number, *entry)) << number;
  }
  EXPECT_THAT((*store)->verify(), IsEmpty());
  EXPECT_THAT(store->warnings, IsEmpty());
  EXPECT_THAT(temp_files(directory), IsEmpty()) << "opening leaves no file of a dead process";
}

class TempFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    open(scratch_ / "s")->store->put(key(64), value("a"));
    folder_ = entry_files(scratch_ / "s").front().parent_path();
  }
  // Returns the name of a temporary file of this process, in which one part of the name is replaced
  // by `text`. The parts are: 0 the host, 1 the boot, 2 the process number, 3 the start time.
  static std::string name_with(int part, const std::string& text) {
    std::vector<std::string> parts;
    std::stringstream name(make_temp_name());
    for (std::string piece; std::getline(name, piece, '-');) parts.push_back(piece);
    parts[static_cast<std::size_t>(part) + 1] = text;
    std::string result = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) result += "-" + parts[i];
    return result;
  }

  const Scratch scratch_;
  fs::path folder_;
};

TEST_F(TempFiles, OfLivingProcessesStayAndOfDeadOnesGo) {
  Worker one({"hold", folder_.string()});
  Worker two({"hold", folder_.string()});
  const fs::path first = folder_ / one.wait_for_line();
  const fs::path second = folder_ / two.wait_for_line();
  ASSERT_NE(first, folder_ / "");
  ASSERT_TRUE(fs::exists(first));
  open(scratch_ / "s");
  EXPECT_TRUE(fs::exists(first));
  EXPECT_TRUE(fs::exists(second));
  EXPECT_EQ(one.kill_and_wait(), "");
  open(scratch_ / "s", Mode::read);
  EXPECT_TRUE(fs::exists(first)) << "a reader removed a file";
  open(scratch_ / "s");
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(fs::exists(second));
}

TEST_F(TempFiles, OfAProcessThatEndedButWasNotWaitedForGo) {
  Worker worker({"hold", folder_.string()});
  const fs::path file = folder_ / worker.wait_for_line();
  ASSERT_TRUE(fs::exists(file));
  kill(worker.pid(), SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(worker.pid()), &info, WEXITED | WNOWAIT), 0);
  open(scratch_ / "s");
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(TempFiles, ThisProcessAndOtherHostsAreLeftAlone) {
  const fs::path own = folder_ / make_temp_name();
  // No process of this host has this number. But the name says that the file belongs to another
  // host, on which the process may still run. So the file must not be removed.
  std::string name = name_with(2, "1073741823");
  const fs::path elsewhere = folder_ / name.replace(name.find('-') + 1, 16, "0123456789abcdef");
  write(own, "");
  write(elsewhere, "");
  open(scratch_ / "s")->store->prune(100);
  EXPECT_TRUE(fs::exists(own));
  EXPECT_TRUE(fs::exists(elsewhere));
}

TEST_F(TempFiles, AReusedProcessNumberOrAnEarlierBootIsADeadProcess) {
  // this file's name has the number of this process, but another start time
  const fs::path reused = folder_ / name_with(3, "1");
  const fs::path rebooted = folder_ / name_with(1, "00000000");
  const fs::path ended = folder_ / name_with(2, "1073741823");
  for (const auto& path : {reused, rebooted, ended}) write(path, "");
  open(scratch_ / "s");
  for (const auto& path : {reused, rebooted, ended}) EXPECT_FALSE(fs::exists(path)) << path;
}

// The store's folder itself has the file `newest`, whose temporary files are in the store's folder,
// too. They must be removed like those in the folders of the environments.
TEST_F(TempFiles, OfADeadProcessGoFromTheFolderOfTheStoreToo) {
  const fs::path ended = scratch_ / "s" / name_with(2, "1073741823");
  const fs::path own = scratch_ / "s" / make_temp_name();
  const fs::path foreign = scratch_ / "s" / "notes.txt";
  for (const auto& path : {ended, own, foreign}) write(path, "");
  open(scratch_ / "s", Mode::read);
  EXPECT_TRUE(fs::exists(ended)) << "a reader removed a file";
  open(scratch_ / "s");
  EXPECT_FALSE(fs::exists(ended));
  EXPECT_TRUE(fs::exists(own));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST(TempNames, AreTheirOwn) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(make_temp_name());
  EXPECT_EQ(names.size(), 100U);
  for (const auto& name : names) EXPECT_EQ(temp_state(name), TempState::writing);
  for (const char* name :
       {"", "tmp-", "tmp-a-b-c-d-e", "manifest.json", "tmp-0123456789abcdef-01234567-0-1-1"}) {
    EXPECT_EQ(temp_state(name), TempState::not_temp) << name;
  }
}

}  // namespace
}  // namespace atc::store::testing
