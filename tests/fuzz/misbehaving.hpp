// Callbacks that do everything that the headers of atc permit, even if it makes no sense. The
// callbacks return arbitrary statuses, make any number of offers, give texts without a terminating
// NUL, write results or leave them out, and call atc from within a call of atc.
#pragma once

#include <string>
#include <vector>

#include "atc/atc.h"
#include "input.hpp"

namespace fuzz {

// An engine, a settings source, an allocator and a log sink that misbehave. Each call of a callback
// reads the next bytes of the fuzzer's input, and these bytes determine what the callback does.
class Misbehaving {
 public:
  explicit Misbehaving(Input& in) : in_(in) {}
  Misbehaving(const Misbehaving&) = delete;
  Misbehaving& operator=(const Misbehaving&) = delete;

  // register_engine() registers an engine. register_others() registers a settings source, an
  // allocator and a log sink. The fuzzer's input decides which of them are registered, and with
  // which values. A registration may fail, but only with a status that the header lists.
  void register_engine();
  void register_others();
  // Unregisters everything that was registered. This must succeed. Then each registered object must
  // have been destroyed once, and each prepared configuration must have been released once.
  void unregister();

  // Returns the choice of the last offer that atc accepted from the engine, or "" if there is none.
  std::string choice() const;
  static const char* name() { return "misbehaving"; }

 private:
  struct Callbacks;

  atc_status status();
  const char* text(std::size_t longest);
  void make_offer(atc_offer_callback offer, void* payload);
  void call_atc();

  Input& in_;
  bool has_engine_ = false;
  int registered_ = 0, destroyed_ = 0, prepared_ = 0, released_ = 0, depth_ = 0;
  // a buffer of exactly the size of a text, so that a sanitizer finds a read beyond the text
  std::vector<char> text_;
  std::string offered_;
  float own_output_[64] = {};
};

// Returns a problem with four elements, one channel and one filter element: y = w * x.
atc_conv_problem scaling();

// Accepts any status of atc, and checks that an error has a text. Returns whether the status is an
// error.
bool refused_somehow(atc_status status);

}  // namespace fuzz
