// The interface of engines. An engine is an implementation of convolutions, such as oneDNN or
// cuDNN. An engine lists its configurations for a problem (offers) and makes a configuration ready
// for execution (Prepared). To choose the offer that runs, the tuner checks the results of offers
// and measures their times. This is called a race. An engine does not use the tuner or the store of
// decisions. All threads share an engine, but only one caller at a time uses a Prepared.
//
// A problem may have post-ops: operations on the output after the convolution, such as an
// activation (Problem::post_ops). An engine gets such a problem only if its computes_post_ops()
// returns true for it. Otherwise the engine gets the problem without the post-ops, and a wrapper of
// the engine (engines/epilogue) applies them by a loop over the output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc {

// The limits that a caller sets for implementations. Some limits, such as `deterministic`, change
// which results are allowed. They are part of the key under which the store keeps a decision.
struct Limits {
  std::uint64_t workspace = std::uint64_t{1} << 30;  // the most bytes of workspace that may be used
  bool deterministic = false;
  bool allow_tf32 = true;
  // True if the caller will set the weights once by set_weights(). An engine may then pack them
  // once, and not at each execution.
  bool constant_weights = false;
  // The addresses of x, w, y and the residual are multiples of this number of bytes.
  std::size_t alignment = 1;
  DeviceId device;
};

// How close a result is to the result of the reference engine, if the operands are small integers.
// (With such operands fp32 represents each partial sum exactly, so a direct sum has no rounding
// errors.)
enum class Exactness {
  // The result has the same bits as the reference, as with direct methods and GEMM.
  exact,
  // The difference is within the error bound of a sum that is rounded twice.
  bounded,
  // The difference is within the error bound of Winograd and FFT transforms.
  transformed,
};

struct Offer {
  // A text that identifies the offer, together with the name and the version of the engine.
  std::string configuration;
  std::string notes;  // a description of the offer for people
  // The name of a family; "": the offer is in no family. A family is a set of offers with different
  // kernels that are usually all slow or all fast. A race (the timing of offers) times some offers
  // of a family and estimates the times of the others from these.
  std::string family;
  // The bytes of workspace, as far as they are known before the offer is prepared.
  std::uint64_t workspace = 0;
  bool deterministic = true;
  Exactness exactness = Exactness::exact;
  // Only a limited number of an engine's offers are timed; this number is called the engine's
  // places. Offers with the same number here count as one, because they are forms of one
  // configuration (for example one that adds the bias itself, and one whose bias is added by a
  // separate kernel). ~0: the offer counts alone.
  std::size_t place = ~std::size_t{0};
  // True if the preparation compiles code in each process, which may take seconds.
  bool compiles = false;
  // True if execute() leaves the result in a buffer of the engine, and not in the caller's output
  // (ATC_ENGINE_RETURNS_OUTPUT).
  bool returns_output = false;
  // True if the offer is the convolution that the program would run without atc, such as PyTorch's
  // own (ATC_ENGINE_ORIGINAL).
  bool original = false;
};

class Prepared {
 public:
  virtual ~Prepared() = default;
  // Returns the bytes of workspace that `execute` needs. The workspace must be aligned to 64 bytes.
  virtual std::uint64_t workspace_size() const = 0;
  // Sets the weights for all later executions. The engine may pack them. After this call `execute`
  // is called with operands.w == null. The memory at `w` must be fully written before the call. The
  // function has read this memory when it returns. The function must not be called by two threads
  // at the same time, or during an execution.
  virtual void set_weights(const void* w) = 0;
  virtual void execute(const Operands& operands, void* workspace, Stream stream) = 0;
  // For an offer with Offer::returns_output: returns the buffer of the engine that contains the
  // result of the last execution. Returns null if the last execution wrote the result to the output
  // of the operands.
  virtual const void* result() const { return nullptr; }
  // Returns true if execute() writes the result to a buffer of the engine and not to the caller's
  // output.
  virtual bool returns_output() const { return false; }
  // Returns the code that was compiled for this object, as a text that can be passed to
  // Engine::prepare_from later. Returns "" if there is no code to keep.
  virtual std::string compiled() const { return ""; }
  // Returns an estimate of the host memory in bytes that this object keeps as long as it exists,
  // without packed weights. An engine may count the memory of its plans separately
  // (core/memory_limits.hpp); then this memory is not included.
  virtual std::uint64_t host_bytes() const { return std::uint64_t{16} << 10; }
};

// The value that Engine::library() returns for engines with kernels of atc's own. The rewrites
// (conversions of a problem to another convolution) also count as this library.
constexpr const char* kOwnLibrary = "atc";

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual bool serves(DeviceType device) const = 0;
  // Returns the name of the library whose code computes the results; "" if it is unknown. If the
  // results of two engines with different libraries are equal, atc takes them to be right, because
  // faults of different libraries hardly affect the same elements. An unknown library may be the
  // library of any other engine, so its result does not count as a second result.
  virtual std::string library() const { return ""; }
  // Returns the engine's offers, the best one first, as far as the engine can tell without
  // measuring. If the engine cannot run the problem, returns no offers and sets `why_not` to a
  // sentence with the reason.
  virtual std::vector<Offer> offers(const Problem& problem, const Limits& limits,
                                    std::string& why_not) const = 0;
  // Returns the first `count` offers of the list that offers() returns, or more of them. The list
  // may be shorter than `count`. This function exists because listing all offers may take longer.
  virtual std::vector<Offer> first_offers(const Problem& problem, const Limits& limits,
                                          std::size_t /*count*/, std::string& why_not) const {
    return offers(problem, limits, why_not);
  }
  // Whether the engine may have offers for this problem with post-ops.
  virtual bool computes_post_ops(const Problem& /*problem*/) const { return false; }
  // Returns a text that identifies the kernel of a configuration. Configurations that differ only
  // in parameters such as tile sizes have the same text. If one of these configurations passes or
  // fails a correctness check, the result counts for all of them.
  virtual std::string kernel_of(const std::string& configuration) const { return configuration; }
  // Returns a name that is the same for configurations which differ only in parameters such as tile
  // sizes. A race (the timing of offers) times some configurations of a name and estimates the
  // times of the others from these. "": no such estimate is possible.
  virtual std::string kin(const std::string& /*configuration*/) const { return ""; }
  // Returns how many offers of the engine are timed if another engine's offer is the default (its
  // "places"). An engine may return more than 4 if its offers are cheap to time or likely to win.
  virtual std::size_t places() const { return 4; }
  // Whether an Inf or NaN in an input changes only those elements of the output whose sums contain
  // it in a direct convolution. (A direct convolution does not multiply padding.) If true, the
  // correctness check of candidates tests this property for the engine's offers.
  virtual bool keeps_apart() const { return false; }
  // Whether the engine's results for the problem may depend on the sizes of problems that the
  // engine computed earlier. Some libraries have this fault. If true, the chosen configuration is
  // checked once more after problems of other sizes have run.
  virtual bool remembers_sizes(const Problem& /*problem*/) const { return false; }
  // Makes a configuration ready for execution. Throws Error(unsupported) if the engine does not
  // know the configuration or cannot build it.
  virtual std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                            const std::string& configuration) const = 0;
  // Makes a configuration ready for execution, if possible without compiling. `compiled` is a text
  // that Prepared::compiled returned for the same problem, limits and configuration, possibly in
  // another process. If the text cannot be used, the function compiles like `prepare`.
  virtual std::unique_ptr<Prepared> prepare_from(const Problem& problem, const Limits& limits,
                                                 const std::string& configuration,
                                                 const std::string& /*compiled*/) const {
    return prepare(problem, limits, configuration);
  }
  // Frees the caches of the engine. The engine fills them again when it needs them. Any thread may
  // call this function at any time.
  virtual void drop_caches() const {}
};

}  // namespace atc
