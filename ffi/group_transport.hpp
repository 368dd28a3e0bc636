// The transport of a group (the ranks of one job that make their decisions together): the key-value
// store through which the ranks exchange values. The functions of this class call the callbacks
// that the caller has put into atc_group.
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
