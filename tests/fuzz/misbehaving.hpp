// Callbacks that do everything that their headers permit, whether it makes sense or not. They
// return any status, make any number of offers, give texts without an end, write results or not,
// and call atc inside of atc.
#pragma once

#include <string>
#include <vector>

#include "atc/atc.h"
#include "input.hpp"

namespace fuzz {

// An engine, a settings source, an allocator and a log sink. Their callbacks decide what to do by
// reading further bytes of the same input.
class Misbehaving {
 public:
  explicit Misbehaving(Input& in) : in_(in) {}
  Misbehaving(const Misbehaving&) = delete;
  Misbehaving& operator=(const Misbehaving&) = delete;

  // Registers an extension of each kind as the input says. Statuses are checked; a refusal is no
  // error.
  void register_engine();
  void register_others();
  // Unregisters all of them, which must succeed, and requires that everything was handed back once.
  void unregister();

  // Returns the choice that the engine has offered last, or "".
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
  std::vector<char> text_;  // a buffer of exactly the size of the text, so that a read beyond it is
                            // noticed
  std::string offered_;
  float own_output_[64] = {};
};

// A problem with four elements, one channel and one tap: y = w * x.
atc_conv_problem scaling();

// Accepts any status of atc, and checks that an error has a text. Returns whether it is an error.
bool refused_somehow(atc_status status);

}  // namespace fuzz
