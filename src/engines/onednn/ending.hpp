// oneDNN destroys its cache of primitives when the process ends, while other threads may still be
// making some.
#pragma once

namespace atc::onednn {

// A scope in which primitives are made. When exit() has been called, scopes of other threads have
// ended or are waited for, up to two seconds, before oneDNN destroys its cache; a thread that opens
// one after that sleeps until the process is gone. The thread that called exit() gets
// Error(unsupported).
class CacheUse {
 public:
  CacheUse();
  ~CacheUse();
  CacheUse(const CacheUse&) = delete;
  CacheUse& operator=(const CacheUse&) = delete;
};

}  // namespace atc::onednn
