// The races that threads of this process are running or about to run, by key.
#pragma once

#include <string>

namespace atc::conv {

// While this object exists, no other thread races the problem that `key` identifies. If another
// thread is racing it, the constructor waits for that thread, and this thread may then use its
// decision. If the constructor would have to wait in a callback, it throws, as contest() does.
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
