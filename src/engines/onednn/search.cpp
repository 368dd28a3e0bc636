#include "engines/onednn/search.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "engines/onednn/descriptors.hpp"
#include "engines/onednn/known_faults.hpp"
#include "engines/onednn/operation.hpp"

namespace atc::onednn {

namespace {

// Returns the dtypes of the two operands that the direction reads.
std::pair<Dtype, Dtype> factors(const Problem& p) {
  switch (p.direction) {
    case Direction::backward_data:
      return {p.y.dtype, p.w.dtype};
    case Direction::backward_weight:
      return {p.x.dtype, p.y.dtype};
    case Direction::forward:
      break;
  }
  return {p.x.dtype, p.w.dtype};
}

Dtype native_math(const Problem& p) {
  const auto [a, b] = factors(p);
  return a == b ? a : Dtype::f32;
}

// If an image of the output of a 1x1 convolution has more pixels than this, only matrix products
// are tried, and not oneDNN's convolution primitives. The reason is that oneDNN 3.2 takes long to
// list convolution primitives for so many pixels: for each form, it tries each number of pixels as
// the size of a block, which takes 0.2 us for each number.
constexpr std::int64_t kManyPixels = std::int64_t{1} << 22;

bool is_vast_product(const Problem& p) {
  std::int64_t pixels = 1;
  for (int i = 0; i < p.spatial; ++i) pixels *= p.out(i);
  return pixels > kManyPixels && fits(p, Algorithm::matmul);
}

// Returns the forms for a problem in the order of preference. A form is a configuration without an
// implementation (`implementation` is empty).
std::vector<Configuration> forms(const Problem& p, Dtype math) {
  const auto [x, w, y] = layouts_of(p);
  std::vector<Configuration> forms;
  if (fault_of_all(p, math) != nullptr) return forms;
  const auto add = [&forms, &p, math](Layout of_x, Layout of_w, Layout of_y, Algorithm algorithm) {
    if (fits(p, algorithm)) forms.push_back({of_x, of_w, of_y, math, algorithm, {}});
  };
  const auto add_products = [&, x = x, w = w, y = y] {
    add(x, Layout::any, y, Algorithm::matmul);
    add(x, w, y, Algorithm::matmul);
  };
  const bool stays = x == Layout::last && y == Layout::last;
  if (is_vast_product(p)) {
    add_products();
    return forms;
  }
  if (has_long_rows(p)) {
    const Layout layout = stays ? Layout::last : Layout::any;
    add(layout, Layout::any, layout,
        fits(p, Algorithm::direct) ? Algorithm::direct : Algorithm::deconvolution);
    return forms;
  }
  for (Algorithm algorithm : {Algorithm::direct, Algorithm::deconvolution}) {
    if (stays) add(Layout::last, Layout::any, Layout::last, algorithm);
    add(Layout::any, Layout::any, Layout::any, algorithm);
    if (!stays) add(Layout::last, Layout::any, Layout::last, algorithm);
    add(x, Layout::any, y, algorithm);
    add(x, w, y, algorithm);
  }
  add_products();
  return forms;
}

// Returns whether search() would try the layouts, the dtype and the algorithm of `wanted` with some
// implementation. This check is necessary because the text of a configuration may come from a user.
// A wrong text must not lead to a layout that the text does not name. Nor must it lead to factors
// with fewer bits than the operands.
bool is_form(const Problem& problem, const Configuration& wanted) {
  for (Dtype math : {native_math(problem), Dtype::f32})
    for (const Configuration& form : forms(problem, math))
      if (form.x == wanted.x && form.w == wanted.w && form.y == wanted.y &&
          form.math == wanted.math && form.algorithm == wanted.algorithm)
        return true;
  return false;
}

bool usable(const Sequence& sequence) {
  const std::string reorders = sequence.implementation_of_reorders();
  return reorders.find("ref") == std::string::npos;
}

// The facts by which two offers (configurations) for a problem are compared. If an offer has the
// same facts as an earlier one, it is dropped.
struct Identity {
  Algorithm algorithm;
  std::string implementation;
  dnnl::memory::desc x, w, y;
  bool operator==(const Identity& other) const {
    return algorithm == other.algorithm && implementation == other.implementation && x == other.x &&
           w == other.w && y == other.y;
  }
};

struct Ranked {
  std::size_t place;  // the index of the implementation in the list of its form
  std::string implementation;
  Offer offer;
};

// Says which implementations are searched: those without a known fault, or those with a fault for
// which the table of faults allows a use as a last resort.
enum class Wanted { faultless, last_resort };

bool is_wanted(const Problem& problem, Dtype math, const Operation& operation, Wanted wanted) {
  const faults::Fault* const fault = known_fault(problem, math, operation);
  if (wanted == Wanted::faultless) return fault == nullptr;
  return fault != nullptr && fault->handling == faults::Handling::last_resort;
}

void search_form(const dnnl::engine& engine, const Problem& problem, const Configuration& form,
                 Wanted wanted, std::vector<Identity>& known, std::vector<Ranked>& found) {
  // The names of the implementations that were found so far in oneDNN's list. If several
  // implementations have the same name, only the first one is used.
  std::set<std::string> names;
  std::size_t place = 0;
  try {
    Operation operation = open(engine, problem, form);
    do {
      operation.read_layouts();
      const std::string name = operation.implementation();
      if (!is_wanted(problem, form.math, operation, wanted) || !names.insert(name).second) continue;
      Identity identity{form.algorithm, name, operation.x.seen, operation.w.seen, operation.y.seen};
      if (std::find(known.begin(), known.end(), identity) != known.end()) continue;
      const Sequence sequence(engine, problem, operation);
      if (!usable(sequence)) continue;
      known.push_back(std::move(identity));
      Configuration configuration = form;
      configuration.implementation = name;
      Offer offer;
      offer.configuration = to_text(configuration);
      offer.notes = sequence.notes();
      offer.workspace = sequence.workspace;
      found.push_back({place++, name, std::move(offer)});
      if (has_long_rows(problem)) return;
    } while (operation.descriptor.next_impl());
  } catch (const dnnl::error& error) {
    // If oneDNN has no implementation for the form, it throws. This is no error here, so the
    // exception is ignored, unless memory was short.
    if (error.status == dnnl_out_of_memory) throw;
  }
}

std::vector<Ranked> search_wanted(const dnnl::engine& engine, const Problem& problem,
                                  Wanted wanted) {
  std::vector<Ranked> found;
  // First, implementations that multiply in the operands' own dtype are searched. If there are
  // none, those that multiply in fp32 are searched: the processor may lack instructions for the
  // dtype, or oneDNN may have no implementation for this combination of dtypes.
  for (Dtype math : {native_math(problem), Dtype::f32}) {
    std::vector<Identity> known;
    for (const Configuration& form : forms(problem, math))
      search_form(engine, problem, form, wanted, known, found);
    if (!found.empty()) break;
  }
  return found;
}

[[noreturn]] void fail_to_build(const Problem& problem, const Configuration& wanted,
                                const std::string& why) {
  fail(Status::unsupported, "oneDNN cannot build \"{}\" for {}{}{}", to_text(wanted),
       describe(problem), why.empty() ? "" : ": ", why);
}

}  // namespace

std::vector<Offer> search(const dnnl::engine& engine, const Problem& problem) {
  std::vector<Ranked> found = search_wanted(engine, problem, Wanted::faultless);
  if (found.empty()) found = search_wanted(engine, problem, Wanted::last_resort);
  // If there are implementations for AVX-512, the implementations for AVX2 are moved to the end of
  // the list, because they were never the fastest in measurements.
  const bool avx512 = std::any_of(found.begin(), found.end(), [&](const Ranked& ranked) {
    return ranked.implementation.find("avx512") != std::string::npos;
  });
  const auto rank = [&](const Ranked& ranked) {
    const bool older = avx512 && ranked.implementation.find("avx2") != std::string::npos;
    return std::pair{older, ranked.place};
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Ranked& a, const Ranked& b) { return rank(a) < rank(b); });
  std::vector<Offer> offers;
  offers.reserve(found.size());
  for (Ranked& ranked : found) offers.push_back(std::move(ranked.offer));
  return offers;
}

Sequence rebuild(const dnnl::engine& engine, const Problem& problem, const Configuration& wanted) {
  if (!is_form(problem, wanted)) fail_to_build(problem, wanted, "");
  std::string why;  // the fault of the last implementation with the wanted name, or ""
  try {
    Operation operation = open(engine, problem, wanted);
    do {
      if (operation.implementation() != wanted.implementation) continue;
      operation.read_layouts();
      if (const faults::Fault* const fault = known_fault(problem, wanted.math, operation)) {
        operation.without_signals = fault->handling == faults::Handling::last_resort &&
                                    search_wanted(engine, problem, Wanted::faultless).empty();
        if (!operation.without_signals) {
          why = faults::sentence(*fault, running_version());
          continue;
        }
      }
      return Sequence(engine, problem, std::move(operation));
    } while (operation.descriptor.next_impl());
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) throw;
  }
  fail_to_build(problem, wanted, why);
}

}  // namespace atc::onednn
