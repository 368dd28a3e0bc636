// oneDNN destroys its cache of primitives when the process ends, while other threads may still be
// making some.
#pragma once

namespace atc::onednn {

// A scope in which primitives are made. When exit() has been called, scopes of other threads have
// ended or are waited for, up to two seconds, before oneDNN destroys its cache. A thread that opens
// one after that sleeps for up to two seconds, then gets Error(unsupported). The thread that called
// exit() gets that error at once.
class CacheUse {
 public:
  CacheUse();
  ~CacheUse();
  CacheUse(const CacheUse&) = delete;
  CacheUse& operator=(const CacheUse&) = delete;
};

}  // namespace atc::onednn
