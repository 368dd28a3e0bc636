// The races that threads of this process are about to run, by key.
#pragma once

#include <string>

namespace atc::conv {

// While it exists, no other thread decides by a race the problem that `key` identifies. If another
// thread is doing so, the constructor waits for it; this thread may then use its decision. It
// throws if it would wait in a callback, as contest() does.
class UnderWay {
 public:
  explicit UnderWay(std::string key);
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  bool waited() const { return waited_; }

 private:
  const std::string key_;
  bool waited_ = false;
};

}  // namespace atc::conv
