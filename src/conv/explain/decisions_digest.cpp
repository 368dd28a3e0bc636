#include "conv/explain/decisions_digest.hpp"

#include <set>
#include <string>

#include "conv/decide/foresee.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "store/hash.hpp"

namespace atc::conv {

std::uint64_t decisions_digest(const std::vector<Problem>& problems, DeviceId device,
                               const PlanOptions& options) {
  require_outside_callbacks("a digest of decisions asks engines");
  const Settings settings = current_settings();
  std::set<std::string> lines;
  for (const Problem& problem : problems) {
    const Foreseen foreseen = foresee(problem, resolve(device, problem, options, settings));
    const auto text = [](const std::optional<Choice>& choice) {
      return choice ? to_string(*choice) : "";
    };
    lines.insert(format("{}\n{}\n{}\n", store::CanonicalKey(foreseen.key).text(),
                        text(foreseen.choice), text(foreseen.captured)));
  }
  std::string all;
  for (const std::string& line : lines) all += line;
  return store::hash64(all);
}

}  // namespace atc::conv
