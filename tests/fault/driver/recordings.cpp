// The functions by which atc records its own work into a graph, in the library that replaces CUDA's
// driver in tests. The work is done at once while it is recorded. A launch of the graph does not
// repeat the work: it only advances the simulated time by the time that the work took.
#include <cstdint>

#include "fault/driver/driver.hpp"

using namespace atc::fault;

namespace {

using Recording = Graphs::Recording;

}  // namespace

EXPORT int cuStreamBeginCapture_v2(void* stream, int) {
  if (const int status = entered(__func__)) return status;
  return machine().graphs.begin(stream, machine().device_time()) ? 0 : kInvalidValue;
}

EXPORT int cuStreamEndCapture(void* stream, void** graph) {
  const int status = entered(__func__);
  const auto recorded = machine().graphs.end(stream, machine().device_time());
  if (!recorded) return kInvalidValue;
  if (status != 0) return status;
  machine().born("graph");
  *graph = new Recording(*recorded);
  return 0;
}

EXPORT int cuGraphGetNodes(void* graph, void**, std::size_t* count) {
  if (const int status = entered(__func__)) return status;
  *count = static_cast<Recording*>(graph)->nodes;
  return 0;
}

EXPORT int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  if (const int status = entered(__func__)) return status;
  machine().born("graph executable");
  *executable = new Recording(*static_cast<Recording*>(graph));
  return 0;
}

EXPORT int cuGraphUpload(void*, void*) { return entered(__func__); }

EXPORT int cuGraphLaunch(void* executable, void*) {
  if (const int status = entered(__func__)) return status;
  machine().work(static_cast<Recording*>(executable)->seconds);
  return 0;
}

EXPORT int cuGraphDestroy(void* graph) {
  delete static_cast<Recording*>(graph);
  machine().gone("graph");
  return entered(__func__);
}

EXPORT int cuGraphExecDestroy(void* executable) {
  delete static_cast<Recording*>(executable);
  machine().gone("graph executable");
  return entered(__func__);
}
