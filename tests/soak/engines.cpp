#include "engines.hpp"

namespace soak {

bool OwnEngine::remove(std::initializer_list<atc_status> documented) {
  if (!report_.done(atc_engine_unregister(name_.c_str()), "atc_engine_unregister", name_,
                    documented))
    return false;
  registered_ = false;
  report_.count(Kind::removal);
  return true;
}

void OwnEngine::flip() {
  if (registered_) {
    remove({ATC_ERROR_BUSY});
    return;
  }
  const atc_engine engine = soak_own_engine(name_.c_str(), &counts_);
  report_.done(atc_engine_register(&engine), "atc_engine_register", name_);
  registered_ = true;
  ++registrations_;
  report_.count(Kind::registration);
}

void OwnEngine::remove_at_rest() {
  if (registered_) remove({});
  const long prepared = __atomic_load_n(&counts_.prepared, __ATOMIC_RELAXED);
  const long destroyed = __atomic_load_n(&counts_.destroyed, __ATOMIC_RELAXED);
  if (prepared != 0)
    report_.stop(name_ + ": " + std::to_string(prepared) +
                 " prepared convolutions were not released");
  if (destroyed != registrations_)
    report_.stop(name_ + ": destroyed " + std::to_string(destroyed) + " times after " +
                 std::to_string(registrations_) + " registrations");
}

}  // namespace soak
