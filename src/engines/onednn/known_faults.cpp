#include "engines/onednn/known_faults.hpp"

namespace atc::onednn {

namespace {

const faults::Fault* find(const faults::Use& use) {
  return faults::find(faults::Library::onednn, running_version(), use);
}

}  // namespace

faults::Version running_version() {
  const dnnl_version_t* const version = dnnl_version();
  return {version->major, version->minor, version->patch};
}

const faults::Fault* known_fault(const Problem& problem, Dtype math, const Operation& operation) {
  faults::Use use(problem);
  use.implementation = operation.implementation();
  use.factors = math;
  use.plain_source = operation.x.seen.get_inner_nblks() == 0;
  return find(use);
}

const faults::Fault* fault_of_all(const Problem& problem, Dtype math) {
  faults::Use use(problem);
  use.factors = math;
  return find(use);
}

}  // namespace atc::onednn
