// The CUDA graphs of the library that replaces CUDA's driver in tests (the driver's stand-in). A
// graph has memory nodes, and user objects that exist as long as the graph. A graph is identified
// by the number of the capture that made it. All functions may be called from any thread.
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
  // Tests call this function. Destroys the graph and all executables that were made from the graph.
  // User objects to which only the graph and its executables referred are destroyed, too.
  void destroy(std::uint64_t capture);
  std::size_t held(std::uint64_t capture) const;         // the number of user objects of the graph
  std::size_t allocations(std::uint64_t capture) const;  // the number of memory nodes of the graph

  // The following functions are called by the library that replaces CUDA's driver, and not by
  // tests.
  UserObject* create(void* data, void (*destroy)(void*));
  void release(UserObject* object);  // drops the reference to the object that its creator has
  void move_to(std::uint64_t capture, UserObject* object);
  void add_allocation(std::uint64_t capture);
  // The work that atc itself records into a graph, on a stream of its own. Times are in seconds of
  // the device's simulated clock.
  struct Recording {
    std::size_t nodes = 0;
    double from = 0, seconds = 0;
  };
  // Begins to record the work of the stream into a graph. Returns false if the stream is already
  // being recorded.
  bool begin(const void* stream, double now);
  std::optional<Recording> end(const void* stream, double now);
  bool is_recorded(const void* stream) const;
  bool is_recording() const;
  // Adds `nodes` to the number of nodes of the stream's recording, if there is one.
  void add_work(const void* stream, std::size_t nodes);

 private:
  struct Graph {
    std::vector<UserObject*> objects;
    std::size_t allocations = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Graph> graphs_;
  std::map<const void*, Recording> recordings_;
};

// Returns whether the calling thread is running the destructor of a user object. Such a destructor
// must not call CUDA.
bool is_in_destructor();

}  // namespace atc::fault
