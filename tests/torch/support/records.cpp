#include "records.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace atc_torch_test {

namespace {

using Json = nlohmann::json;

void check(atc_status status) {
  if (status != ATC_OK) throw std::runtime_error(atc_last_error());
}

struct Close {
  void operator()(atc_store* store) const { atc_store_close(store); }
};
using Store = std::unique_ptr<atc_store, Close>;

Store open(const atc::test::TempFolder& folder, atc_store_mode mode) {
  atc_store* store = nullptr;
  check(atc_store_open(&store, folder.c_str(), mode));
  return Store(store);
}

std::string entries_of(const atc_store* store) {
  atc_bytes* bytes = nullptr;
  check(atc_store_list(&bytes, store));
  std::string text(atc_bytes_data(bytes), atc_bytes_size(bytes));
  atc_bytes_destroy(bytes);
  return text;
}

// Returns whether the candidate has won, lost, was dropped or tied. Such a candidate was prepared,
// gave right results and was timed.
bool ran(const Json& candidate) { return candidate.at("outcome").get<int>() <= ATC_OUTCOME_TIED; }

bool choose(Json& entry, const std::string& engine) {
  Json& value = entry.at("value");
  Json& candidates = value.at("candidates");
  std::vector<std::size_t> able;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].at("engine") == engine && ran(candidates[i])) able.push_back(i);
  if (able.empty()) return false;
  const std::size_t chosen =
      able[std::hash<std::string>()(entry.at("key").at("problem").dump()) % able.size()];
  candidates[value.at("winner").get<std::size_t>()]["outcome"] = ATC_OUTCOME_LOST;
  candidates[chosen]["outcome"] = ATC_OUTCOME_WON;
  value["winner"] = chosen;
  value["choice"] = Json::object();
  for (const char* field : {"engine", "version", "configuration", "rewrites"})
    if (candidates[chosen].contains(field)) value["choice"][field] = candidates[chosen].at(field);
  return true;
}

}  // namespace

// ATC_EXPECTED_CALLS=inf makes a race time each candidate, however busy the machine is. Tests need
// this, because they choose among the timed candidates. libatc reads the variable at its first
// race.
Records::Records() {
  setenv("ATC_EXPECTED_CALLS", "inf", 1);
  use(ATC_STORE_READ_WRITE);
}

Records::~Records() { atc_store_use(nullptr); }

void Records::use(atc_store_mode mode) const { check(atc_store_use(open(folder_, mode).get())); }

std::size_t Records::prefer(const std::string& engine) const {
  const Store store = open(folder_, ATC_STORE_READ_WRITE);
  std::size_t chosen = 0;
  for (Json& entry : Json::parse(entries_of(store.get()))) {
    if (!choose(entry, engine)) continue;
    // The value of the entry has changed, so its checksum is wrong. atc_store_put also accepts
    // entries without the members "schema" and "checksum".
    entry.erase("schema");
    entry.erase("checksum");
    const std::string text = entry.dump();
    check(atc_store_put(store.get(), text.data(), text.size(), nullptr));
    ++chosen;
  }
  return chosen;
}

std::string Records::list() const { return entries_of(open(folder_, ATC_STORE_READ).get()); }

}  // namespace atc_torch_test
