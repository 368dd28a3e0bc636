// Protects oneDNN's cache of primitives at the end of the process. oneDNN destroys the cache when
// the process ends, and other threads may still be creating primitives at that time.
#pragma once

namespace atc::onednn {

// An object of this class must exist while a thread creates primitives of oneDNN. After a call of
// exit(), oneDNN's cache is destroyed when no other thread has such an object any more, but after
// at most 20 s. If a thread makes an object after the call of exit(), the constructor waits for up
// to 2 s and then throws Error(unsupported). On the thread that called exit() the constructor
// throws at once.
class CacheUse {
 public:
  CacheUse();
  ~CacheUse();
  CacheUse(const CacheUse&) = delete;
  CacheUse& operator=(const CacheUse&) = delete;

 private:
  struct Cache;

  static Cache& of_process();
  static void end();  // the exit handler

  Cache* const cache_;
};

}  // namespace atc::onednn
