// oneDNN destroys its cache of primitives when the process ends. Other threads may still be making
// primitives then.
#pragma once

namespace atc::onednn {

// A scope in which primitives are made. After exit() was called, oneDNN's cache is destroyed only
// when the scopes of other threads have ended, or after 20 s. A thread that opens a scope
// later waits for up to two seconds and then gets Error(unsupported). The thread that called exit()
// gets this error at once.
class CacheUse {
 public:
  CacheUse();
  ~CacheUse();
  CacheUse(const CacheUse&) = delete;
  CacheUse& operator=(const CacheUse&) = delete;

 private:
  struct Cache;

  static Cache& of_process();
  static void end();  // called when the process ends

  Cache* const cache_;
};

}  // namespace atc::onednn
