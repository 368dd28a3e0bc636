// The state of the simulated machine. The libraries that replace CUDA's driver and cuDNN (the
// stand-ins) share it with the tests that load them. It knows the call that has to fail, the
// objects that exist, and misuses. All functions may be called from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fault/machine/graphs.hpp"
#include "fault/machine/script.hpp"

namespace atc::fault {

enum class Part { driver, cudnn };

// A fault of a test: one call of a library that replaces CUDA's driver or cuDNN returns a status
// instead of doing its work. If the failing call frees an object, the object is freed nevertheless,
// because in CUDA such a call may return an error of earlier work on the device.
struct Fault {
  Part part = Part::driver;
  std::uint64_t call = 1;  // the number of the call that fails; the first call has the number 1
  std::string name;        // only calls with this name are counted; "": all calls are counted
  int status = 0;
  bool lasting = false;  // whether all calls after the failing call fail, too
};

class Machine {
 public:
  // Tests call the following functions. break_call() begins to count calls, and makes the call that
  // `fault` describes fail. After mend() no call fails.
  void break_call(Fault fault);
  void mend();
  std::string broken() const;  // the name of the first call that failed; "" if no call failed
  // Returns whether atc was recording its own work into a graph when the first failing call was
  // made.
  bool broken_in_recording() const;
  // The name of the first call that succeeded after the failing call, among the calls of the same
  // library (the driver or cuDNN).
  std::string after_broken() const;
  void listen();  // forgets all calls that were made so far; calls() returns only later calls
  std::vector<std::string> calls(Part part) const;
  std::map<std::string, std::int64_t> alive() const;  // the number of existing objects of each kind
  // a sentence for each wrong use of the driver or of cuDNN by atc
  std::vector<std::string> misuses() const;
  // The behaviour of the simulated libraries. Tests may change the script only while no call runs.
  Script script;
  Graphs graphs;

  // The libraries that replace CUDA's driver and cuDNN (the stand-ins) call the following
  // functions. entered() counts a call of a stand-in's function and returns a status. If the status
  // is not 0, the stand-in's function must return this status and do nothing else. If the status is
  // 0, the stand-in's function does its work.
  int entered(Part part, const std::string& name);
  void born(const char* kind) { count(kind, 1); }
  void gone(const char* kind) { count(kind, -1); }
  void misused(const std::string& how);

  // hold() and let_go() count the device memory that atc holds. If the simulated device has less
  // than `bytes` free bytes, hold() changes nothing and returns false.
  bool hold(std::uint64_t bytes);
  void let_go(std::uint64_t bytes);
  std::uint64_t free_bytes() const;
  // the largest number of bytes of device memory that atc has held at one time
  std::uint64_t most_held() const;

  // The simulated clocks of the host and of the device, in seconds. No function really waits.
  // work() advances the device's clock, and wait_until() advances the host's clock.
  void work(double seconds);
  double device_time() const;
  void wait_until(double moment);
  bool is_past(double moment) const;

 private:
  void count(const char* kind, int by);

  mutable std::mutex mutex_;
  bool is_broken_ = false, in_recording_ = false;
  Fault fault_;
  std::uint64_t counted_ = 0;
  std::string broken_, after_broken_;
  std::map<Part, std::vector<std::string>> calls_;
  std::map<std::string, std::int64_t> alive_;
  std::vector<std::string> misuses_;
  double host_ = 0, device_ = 0;
  std::uint64_t held_ = 0, most_held_ = 0;
};

Machine& machine();

// The capture mode of the calling thread: 0 (global, the initial mode of a thread) or 2 (relaxed).
int& capture_mode();

}  // namespace atc::fault
