// The interface of engines: an engine lists the configurations that it has for a problem and
// prepares one of them. An engine knows no tuner and no store. All threads share the engines; a
// Prepared belongs to one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc {

// The caller's limits on candidates. Those that change the set of allowed results are part of the
// key of a decision.
struct Limits {
  std::uint64_t workspace = std::uint64_t{1} << 30;  // bytes
  bool deterministic = false;
  bool allow_tf32 = true;
  bool constant_weights = false;  // the caller will call set_weights: rank with weights prepacked
  std::size_t alignment = 1;      // bytes, least over x, w, y
  DeviceId device;
};

// How close a result is to the reference's on operands of small integers, for which fp32 represents
// every partial sum exactly.
enum class Exactness {
  exact,        // equal, bit for bit: direct and GEMM forms
  bounded,      // within the error bound of a sum that is rounded a second time
  transformed,  // within the error bound of the transforms of Winograd and FFT
};

struct Offer {
  std::string
      configuration;  // the engine's own canonical text: with name and version, the identity
  std::string notes;  // for people
  // A group of offers, of several kernels, that are slow or fast together. If some of them are far
  // behind in a race, the rest of the group comes last. "": in no group.
  std::string family;
  std::uint64_t workspace = 0;  // bytes, as far as known before preparing
  bool deterministic = true;
  Exactness exactness = Exactness::exact;
  // Offers with the same number share one place in a race: they are forms of one configuration,
  // such as with the bias fused and with the bias apart. ~0: a place of its own.
  std::size_t place = ~std::size_t{0};
  bool compiles = false;        // preparing compiles in each process anew, for up to seconds
  bool returns_output = false;  // result is the engine's own buffer (ATC_ENGINE_RETURNS_OUTPUT)
  bool original = false;        // the program's own convolution (ATC_ENGINE_ORIGINAL)
};

class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual std::uint64_t workspace_size() const = 0;  // bytes `execute` needs, aligned to 64
  // Sets weights that stay the same from now on; they may be prepacked. `execute` then takes
  // operands.w == null. All of `w` has been written, and is read before return. Called from one
  // thread, never during execute.
  virtual void set_weights(const void* w) = 0;
  virtual void execute(const Operands& operands, void* workspace, Stream stream) = 0;
  // The buffer of the engine's own that holds the last execute's result (Offer::returns_output);
  // null: the result is in the operands' output.
  virtual const void* result() const { return nullptr; }
  virtual bool returns_output() const { return false; }  // execute leaves the output unwritten
  // The compiled code as text, for Engine::prepare_from; "" where there is nothing to keep.
  virtual std::string compiled() const { return ""; }
};

// Engine::library of atc's own kernels; its rewrites are part of it.
constexpr const char* kOwnLibrary = "atc";

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual bool serves(DeviceType device) const = 0;
  // The library whose code computes the results. Two engines with different libraries are taken to
  // be wrong in different elements. "": not known, it may be any.
  virtual std::string library() const { return ""; }
  // Best first by the engine's own judgement: the first offer is its heuristic choice. Empty when
  // the engine cannot serve the problem; `why_not` then says so in a sentence.
  virtual std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                                    std::string& why_not) const = 0;
  // The first `count` of `offers`, or more of them, for callers that need no others: listing all
  // may take longer.
  virtual std::vector<Offer> first_offers(const Problem& problem, const Limits& limits,
                                          std::size_t /*count*/, std::string& why_not) const {
    return offers(problem, limits, why_not);
  }
  // The kernel that a configuration runs: equal texts for configurations that differ in sizes of
  // tiles and the like alone. A finding about one of them is applied to the others.
  virtual std::string kernel_of(const std::string& configuration) const { return configuration; }
  // The kernel, if its configurations differ only in sizes of tiles and the like: if those that ran
  // are far behind in a race, the others are skipped. "": they differ in more.
  virtual std::string kin(const std::string& /*configuration*/) const { return ""; }
  // How many of the engine's offers race if another engine is the default. An engine whose offers
  // are all cheap to try, or likely to win, may return a larger number.
  virtual std::size_t places() const { return 4; }
  // Whether an Inf or NaN in an input reaches only those elements of the output that it reaches in
  // a direct convolution, which forms no products with padding. Offers of such an engine are
  // checked for that, except `transformed` ones.
  virtual bool keeps_apart() const { return false; }
  // Whether the engine's results for the problem are suspected to depend on the sizes of problems
  // that ran before. Its choices are then checked once more after other sizes have run.
  virtual bool remembers_sizes(const Problem& /*problem*/) const { return false; }
  // Throws Error(unsupported) for a configuration that the engine does not know or cannot build.
  virtual std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                            const std::string& configuration) const = 0;
  // As `prepare`, but without compiling: `compiled` is the text that Prepared::compiled returned
  // for the same problem, limits and configuration, perhaps in another process. Compiles if the
  // text cannot be used.
  virtual std::unique_ptr<Prepared> prepare_from(const Problem& problem, const Limits& limits,
                                                 const std::string& configuration,
                                                 const std::string& /*compiled*/) const {
    return prepare(problem, limits, configuration);
  }
  // Frees caches, which are filled again as needed. Any thread may call it at any time.
  virtual void drop_caches() const {}
};

}  // namespace atc
