// The races that threads of this process are running or are about to run, by key.
#pragma once

#include <string>

namespace atc::conv {

// Reserves the problem that `key` identifies. As long as this object exists, no other thread runs a
// race of this problem. If another thread runs one, the constructor waits until it has ended.
// waited() then returns true, and this thread may use the decision of that race. If the constructor
// would have to wait in a callback, it throws as contest() does.
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
