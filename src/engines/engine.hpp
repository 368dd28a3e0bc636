// The interface of engines: an engine lists the configurations that it has for a problem and
// prepares one of them. An engine knows no tuner and no store. All threads share the engines; a
// Prepared belongs to one caller at a time.
//
// An engine gets problems with an ending (Problem::ending) only if computes_ending says so. The
// registry wraps engines (engines/ending): for other problems with an ending the engine gets the
// problem without it, and a pass over the output follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc {

// The caller's limits on candidates. Limits that change which results are allowed are part of the
// key of a decision.
struct Limits {
  std::uint64_t workspace = std::uint64_t{1} << 30;  // bytes
  bool deterministic = false;
  bool allow_tf32 = true;
  bool constant_weights = false;  // true if the caller will call set_weights, so that packing the
                                  // weights costs nothing at execution
  std::size_t alignment = 1;      // the bytes of which the addresses of x, w and y are multiples
  DeviceId device;
};

// How close a result is to the reference's on operands of small integers, for which fp32 represents
// every partial sum exactly.
enum class Exactness {
  exact,        // the result must be equal, bit for bit: direct and GEMM methods
  bounded,      // the result must lie within the error bound of a sum that is rounded twice
  transformed,  // the result must lie within the error bound of the transforms of Winograd and FFT
};

struct Offer {
  std::string configuration;  // the text that names one implementation of the engine; with name and
                              // version it identifies the offer
  std::string notes;          // for people
  // The name of a group of offers, from several kernels, that are slow or fast together. From the
  // times of some, a race estimates the times of the others. "": in no group.
  std::string family;
  std::uint64_t workspace = 0;  // bytes of workspace, as far as they are known before preparing
  bool deterministic = true;
  Exactness exactness = Exactness::exact;
  // Offers with the same number share one place in a race, because they are forms of one
  // configuration (for example with the bias fused, and with the bias added by a separate kernel).
  // ~0: the offer has a place of its own.
  std::size_t place = ~std::size_t{0};
  bool compiles = false;        // true if each process has to compile when it prepares the offer,
                                // which may take seconds
  bool returns_output = false;  // true if the result is in a buffer of the engine's own
                                // (ATC_ENGINE_RETURNS_OUTPUT)
  bool original = false;        // true if the offer is the program's own convolution
                                // (ATC_ENGINE_ORIGINAL)
};

class Prepared {
 public:
  virtual ~Prepared() = default;
  // The bytes of workspace that `execute` needs; the workspace must be aligned to 64 bytes.
  virtual std::uint64_t workspace_size() const = 0;
  // Sets weights that do not change from now on, so that they may be packed. `execute` is then
  // called with operands.w == null. All of `w` must have been written; it is read before the
  // function returns. Called from one thread, and never during an execution.
  virtual void set_weights(const void* w) = 0;
  virtual void execute(const Operands& operands, void* workspace, Stream stream) = 0;
  // Returns the engine's own buffer with the result of the last execution (Offer::returns_output).
  // Returns null if the result is in the operands' output.
  virtual const void* result() const { return nullptr; }
  virtual bool returns_output() const { return false; }  // execute leaves the output unwritten
  // Returns the compiled code as text, for Engine::prepare_from; "" if there is nothing to keep.
  virtual std::string compiled() const { return ""; }
  // Estimates the bytes of host memory that this object keeps as long as it lives, without packed
  // weights. An engine that counts the plans it keeps by itself (core/memory_limits.hpp) leaves
  // them out.
  virtual std::uint64_t host_bytes() const { return std::uint64_t{16} << 10; }
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
  // Returns the engine's offers, the best first by the engine's own judgement: the first offer is
  // its heuristic choice. Returns none if the engine cannot run the problem; then `why_not` is a
  // sentence with the reason.
  virtual std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                                    std::string& why_not) const = 0;
  // Returns the first `count` of `offers`, or more of them. For callers that need no more, because
  // listing all offers may take longer.
  virtual std::vector<Offer> first_offers(const Problem& problem, const Limits& limits,
                                          std::size_t /*count*/, std::string& why_not) const {
    return offers(problem, limits, why_not);
  }
  // Whether the engine may have offers for the problem, which has an ending.
  virtual bool computes_ending(const Problem& /*problem*/) const { return false; }
  // Returns a text for the kernel that a configuration runs. Configurations that differ only in
  // such things as sizes of tiles have the same text. If something is found out about one of them,
  // it is applied to all of them.
  virtual std::string kernel_of(const std::string& configuration) const { return configuration; }
  // Returns the name of a kernel, if its configurations differ only in such things as the sizes of
  // tiles. From the times of some configurations, a race estimates the times of the others. "": the
  // configurations differ in more.
  virtual std::string kin(const std::string& /*configuration*/) const { return ""; }
  // Returns how many of the engine's offers race if another engine is the default. If all offers of
  // an engine are cheap to try, or likely to win, the engine may return a larger number.
  virtual std::size_t places() const { return 4; }
  // Whether an Inf or NaN in an input reaches only those elements of the output that it also
  // reaches in a direct convolution, which leaves out padding. Offers of such an engine are checked
  // for that.
  virtual bool keeps_apart() const { return false; }
  // Whether the engine's results for the problem may depend on the sizes of problems that ran
  // before. If so, its choices are checked once more after problems of other sizes have run.
  virtual bool remembers_sizes(const Problem& /*problem*/) const { return false; }
  // Throws Error(unsupported) for a configuration that the engine does not know or cannot build.
  virtual std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                            const std::string& configuration) const = 0;
  // Like `prepare`, but without compiling. `compiled` is the text that Prepared::compiled returned
  // for the same problem, limits and configuration, perhaps in another process. If the text cannot
  // be used, this compiles after all.
  virtual std::unique_ptr<Prepared> prepare_from(const Problem& problem, const Limits& limits,
                                                 const std::string& configuration,
                                                 const std::string& /*compiled*/) const {
    return prepare(problem, limits, configuration);
  }
  // Frees caches. They are filled again when they are needed. Any thread may call this at any time.
  virtual void drop_caches() const {}
};

}  // namespace atc
