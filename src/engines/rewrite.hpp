// The interface of rewrites. A rewrite turns a problem into another convolution that an engine may
// compute faster. It converts the operands before this convolution and the result after it. A chain
// is a sequence of zero or more rewrites followed by an engine, which computes the last
// convolution. A rewrite does not use engines, the tuner or the store of decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engines/engine.hpp"

namespace atc {

// One way in which a rewrite can rewrite a problem. "The rest of the chain" means the rewrites
// after this one and the engine.
struct Rewriting {
  // A text that identifies this way among the ways of the rewrite. "" if the rewrite has only one
  // way. The text must not contain the characters `>():`.
  std::string configuration;
  std::string notes;  // a description of this way for people
  // The rewritten problem. The rest of the chain (further rewrites and the engine) computes it.
  Problem problem;
  // The bytes of workspace for the converted operands, without the workspace of the rest of the
  // chain (further rewrites and the engine).
  std::uint64_t workspace = 0;
  // The alignment, in bytes, of the operands that the rest of the chain (further rewrites and the
  // engine) receives. Converted operands are aligned to 256 bytes. Operands that are passed on
  // without a conversion have the alignment of the caller's operands.
  std::size_t alignment = 1;
  // The exactness that the result would have if the rest of the chain (further rewrites and the
  // engine) were exact. It is Exactness::exact if the rewritten convolution adds the same products
  // as the problem.
  Exactness exactness = Exactness::exact;
};

class Rewrite {
 public:
  virtual ~Rewrite() = default;
  // Returns the name of the rewrite. It must differ from the names of all engines and of all other
  // rewrites.
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual bool serves(DeviceType device) const = 0;
  // Returns the ways to rewrite the problem, the best way first. If the problem cannot be
  // rewritten, or if a rewriting would be useless, returns no way and sets `why_not` to a sentence
  // with the reason.
  virtual std::vector<Rewriting> rewritings(const Problem& problem, const Limits& limits,
                                            std::string& why_not) const = 0;
  // Returns how many offers (configurations) of each engine are timed for one way of this rewrite.
  // The number is small, to limit the number of candidates.
  virtual std::size_t places() const { return 2; }
  // Returns an object that computes `problem`. It uses `rest`, which computes rewriting.problem and
  // receives operands that are aligned to rewriting.alignment bytes. The workspace of the returned
  // object contains the converted operands and the workspace of `rest`. A rewrite must be
  // deterministic.
  virtual std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                            const Rewriting& rewriting,
                                            std::unique_ptr<Prepared> rest) const = 0;
};

}  // namespace atc
