// The stand-in driver's graphs: their memory nodes, and the user objects that live as long as they
// do. A graph is named by the number of its capture. May be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace atc::fault {

struct UserObject {
  void* data = nullptr;
  void (*destroy)(void*) = nullptr;
};

class Graphs {
 public:
  // For tests: destroys a graph with all its executables, and so its references to user objects.
  void destroy(std::uint64_t capture);
  std::size_t held(std::uint64_t capture) const;         // user objects
  std::size_t allocations(std::uint64_t capture) const;  // memory nodes

  // For the stand-in.
  UserObject* create(void* data, void (*destroy)(void*));
  void release(UserObject* object);  // the creator's reference
  void move_to(std::uint64_t capture, UserObject* object);
  void add_allocation(std::uint64_t capture);
  // Work that atc records on a stream of its own. Times are those of the device.
  struct Recording {
    std::size_t nodes = 0;
    double from = 0, seconds = 0;
  };
  bool begin(const void* stream, double now);  // false: it is recorded already
  std::optional<Recording> end(const void* stream, double now);
  bool is_recorded(const void* stream) const;
  bool is_recording() const;
  void add_work(const void* stream, std::size_t nodes);  // of whatever stream

 private:
  struct Graph {
    std::vector<UserObject*> objects;
    std::size_t allocations = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Graph> graphs_;
  std::map<const void*, Recording> recordings_;
};

// Whether the calling thread is in the destructor of a user object, which must not call CUDA.
bool is_in_destructor();

}  // namespace atc::fault
