// Rewrites: a rewrite turns a problem into another convolution that some engine computes faster,
// and converts the operands before it and the result after it. A chain is zero or more rewrites and
// the engine that computes. A rewrite knows no engine, no tuner and no store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engines/engine.hpp"

namespace atc {

// One form of a rewrite for a problem.
struct Rewriting {
  // The rewrite's own canonical text; "" if there is only one way. It must not contain the
  // characters `>():`.
  std::string configuration;
  std::string notes;            // for people
  Problem problem;              // the problem of the rest of the chain
  std::uint64_t workspace = 0;  // bytes for moved operands, without the rest's workspace
  // The alignment, in bytes, of the operands for the rest of the chain: 256 for moved operands; the
  // caller's alignment for operands that are passed on.
  std::size_t alignment = 1;
  // The exactness of the rewrite alone: `exact` if the rest adds up the problem's own products,
  // term by term.
  Exactness exactness = Exactness::exact;
};

class Rewrite {
 public:
  virtual ~Rewrite() = default;
  virtual std::string name() const = 0;  // engines and rewrites share one set of names
  virtual std::string version() const = 0;
  virtual bool serves(DeviceType device) const = 0;
  // Best first. Empty if the problem cannot be rewritten, or rewriting it is of no use; `why_not`
  // then says so in a sentence.
  virtual std::vector<Rewriting> rewritings(const Problem& problem, const Limits& limits,
                                            std::string& why_not) const = 0;
  // How many of an engine's offers race behind one rewriting. It is a small number, because a
  // rewrite is not a search of its own.
  virtual std::size_t places() const { return 2; }
  // `rest` computes rewriting.problem, on operands of rewriting.alignment. Returns an object that
  // computes `problem`; its workspace holds the moved operands and the workspace of the rest. A
  // rewrite adds nothing nondeterministic.
  virtual std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                            const Rewriting& rewriting,
                                            std::unique_ptr<Prepared> rest) const = 0;
};

}  // namespace atc
