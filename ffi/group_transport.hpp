// The transport of a caller's group (the ranks of one job that decide together): the key-value
// store through which ranks exchange values. Its functions call the callbacks in atc_group.
#pragma once

#include <optional>
#include <string>

#include "atc/group.h"
#include "conv/together/tune_together.hpp"
#include "group/transport.hpp"

namespace atc::ffi {

class CallbackTransport : public group::Transport {
 public:
  // Throws Error(invalid_argument) if a field of the group is not valid.
  explicit CallbackTransport(const atc_group* given);

  conv::RankOfJob job() const;

  std::string create(const std::string& key, const std::string& value) override;
  std::optional<std::string> get(const std::string& key, double seconds) override;
  double now() override;

 private:
  const atc_group group_;
};

}  // namespace atc::ffi
