// The state that the stand-ins for CUDA's driver and cuDNN share with the tests that load them: the
// call that fails, the objects not yet destroyed, and misuses. May be called from any thread.
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

// A call that returns a status instead of doing its work. Calls that free something free it
// nevertheless: their status may come from earlier work of the device.
struct Fault {
  Part part = Part::driver;
  std::uint64_t call = 1;  // which one, from 1
  std::string name;        // counts calls of this name alone; "": all
  int status = 0;
  bool lasting = false;  // and all that follow
};

class Machine {
 public:
  // For tests. A fault counts calls from now on.
  void break_call(Fault fault);
  void mend();
  std::string broken() const;        // the name of the first call that failed, "": none did
  bool broken_in_recording() const;  // whether atc recorded work of its own then
  std::string after_broken()
      const;      // and of the first one after it, of the same part, that did not
  void listen();  // forgets the calls so far
  std::vector<std::string> calls(Part part) const;
  std::map<std::string, std::int64_t> alive() const;  // by kind; none that is 0
  std::vector<std::string> misuses() const;           // sentences
  Script script;                                      // to be changed between calls alone
  Graphs graphs;

  // For the stand-ins. `entered` counts a call and returns the status that it must return; with 0
  // it does its work.
  int entered(Part part, const std::string& name);
  void born(const char* kind) { count(kind, 1); }
  void gone(const char* kind) { count(kind, -1); }
  void misused(const std::string& how);

  // The device memory that atc holds. `hold` returns false, and changes nothing, if the script's
  // device has not so much left.
  bool hold(std::uint64_t bytes);
  void let_go(std::uint64_t bytes);
  std::uint64_t free_bytes() const;
  std::uint64_t most_held() const;  // at once

  // The clocks of host and device, in seconds. Nothing really waits: work advances the device's
  // clock, and waiting for the device advances the host's.
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

// Of the calling thread: 0, global, as threads begin, or 2, relaxed.
int& capture_mode();

}  // namespace atc::fault
