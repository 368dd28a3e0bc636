// The interface of rewrites. A rewrite turns a problem into another convolution that some engine
// computes faster; it converts the operands before that convolution and the result after it. A
// chain is zero or more rewrites and the engine that computes. A rewrite knows no engine, no tuner
// and no store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engines/engine.hpp"

namespace atc {

// One way in which a rewrite can rewrite a problem.
struct Rewriting {
  // The text by which the rewrite names this way to rewrite a problem; "" if it knows only one way.
  // The text must not contain the characters `>():`.
  std::string configuration;
  std::string notes;            // for people
  Problem problem;              // the problem that the rest of the chain computes
  std::uint64_t workspace = 0;  // bytes of workspace for the moved operands, without the workspace
                                // of the rest of the chain
  // The alignment, in bytes, of the operands that the rest of the chain gets: 256 for moved
  // operands, the caller's alignment for operands that are passed on.
  std::size_t alignment = 1;
  // The exactness of the rewrite alone: `exact` if the rest adds up the problem's own products,
  // term by term.
  Exactness exactness = Exactness::exact;
};

class Rewrite {
 public:
  virtual ~Rewrite() = default;
  virtual std::string name() const = 0;  // the name, which must also differ from those of all
                                         // engines
  virtual std::string version() const = 0;
  virtual bool serves(DeviceType device) const = 0;
  // Returns the ways, the best first. Returns none if the problem cannot be rewritten, or if
  // rewriting it is of no use; then `why_not` is a sentence with the reason.
  virtual std::vector<Rewriting> rewritings(const Problem& problem, const Limits& limits,
                                            std::string& why_not) const = 0;
  // Returns how many of an engine's offers race behind one rewriting. The number is small, because
  // a rewrite is not meant to be a search of its own.
  virtual std::size_t places() const { return 2; }
  // Returns an object that computes `problem`. `rest` computes rewriting.problem, on operands that
  // are aligned to rewriting.alignment. The object's workspace holds the moved operands and the
  // workspace of `rest`. A rewrite must be deterministic.
  virtual std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                            const Rewriting& rewriting,
                                            std::unique_ptr<Prepared> rest) const = 0;
};

}  // namespace atc
