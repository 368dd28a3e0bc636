#include "engines/faults/table.hpp"

#include "core/format.hpp"

namespace atc::faults {

namespace {

template <typename Accept>
const Fault* first(Library library, const Version& version, const Use& use, const Accept& accept) {
  for (const Fault& fault : table())
    if (fault.library == library && fault.versions.include(version) && accept(fault) &&
        fault.concerns(use))
      return &fault;
  return nullptr;
}

}  // namespace

const std::vector<Fault>& table() {
  static const auto* const rows = [] {
    auto* const all = new std::vector<Fault>;
    for (const std::vector<Fault>& part : {onednn_faults(), cudnn_faults(), cublaslt_faults()})
      all->insert(all->end(), part.begin(), part.end());
    return all;
  }();
  return *rows;
}

const Fault* find(Library library, const Version& version, const Use& use) {
  return first(library, version, use, [](const Fault&) { return true; });
}

const Fault* find(Library library, const Version& version, const Use& use, Handling handling) {
  return first(library, version, use,
               [&](const Fault& fault) { return fault.handling == handling; });
}

std::string sentence(const Fault& fault, const Version& version) {
  return format("{} {} has a known fault with {} ({}): {} [{}]", name_of(fault.library),
                to_string(version), fault.condition_text, name_of(fault.consequence),
                fault.description, fault.source);
}

}  // namespace atc::faults
