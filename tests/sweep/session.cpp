#include "session.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "compiled_bundle.hpp"

namespace atc_sweep {
namespace {

using Json = nlohmann::json;
using ::testing::IsEmpty;

bool is_transparent(const Fault& fault) {
  if (fault.kind == Kind::half) return true;
  const std::string hit = last_hit();
  return fault.kind == Kind::eintr && (hit == "read" || hit == "write" || hit == "close");
}

void expect_explained(atc_status status, const char* name, const Fault& fault,
                      const std::set<atc_status>& others) {
  if (status == ATC_OK || others.count(status) > 0) return;
  // ATC_ERROR_OUT_OF_MEMORY is only accepted if an allocation has failed. ATC_ERROR_IO is accepted
  // after each fault except a transparent one (is_transparent(): libatc must repeat the call).
  // After a failed allocation it is accepted, too, because functions of libc report a lack of
  // memory by errno.
  const bool explained = fault.at != 0 && !is_transparent(fault) &&
                         (status == ATC_ERROR_IO ||
                          (status == ATC_ERROR_OUT_OF_MEMORY && fault.kind == Kind::allocation));
  EXPECT_TRUE(explained) << name << " returned " << atc_status_name(status) << ": "
                         << atc_last_error() << " (hit: " << last_hit() << ")";
}

}  // namespace

std::string entry_text(int number, const std::string& configuration, bool provisional) {
  Json entry = {
      {"key",
       {{"environment", {{"device", "sweep " + std::to_string(number % 2)}}},
        {"problem", {{"n", number}}}}},
      {"value",
       {{"choice",
         {{"engine", "reference"}, {"version", "1"}, {"configuration", configuration}}}}}};
  if (provisional) entry["value"]["provisional"] = {{"risk", 0.5}, {"why", "noise"}};
  return entry.dump();
}

std::map<int, std::string> listed(const std::string& list) {
  std::map<int, std::string> found;
  for (const Json& entry : Json::parse(list)) {
    const Json& problem = entry["key"]["problem"];
    if (!problem.contains("n")) continue;
    found[problem["n"].get<int>()] = entry["value"]["choice"]["configuration"].get<std::string>();
  }
  return found;
}

std::string compiled_bundle() { return kCompiledBundle; }

Session::Session(const std::filesystem::path& where, const Fault& fault)
    : folder(where), fault_(fault) {}

Session::~Session() { close(); }

bool Session::call(const char* name, const std::function<atc_status()>& function,
                   const std::set<atc_status>& others) {
  atc_status status = ATC_ERROR_INTERNAL;
  {
    const InsideAtc inside;
    status = function();
  }
  expect_explained(status, name, fault_, others);
  return status == ATC_OK;
}

std::string Session::take(atc_bytes* bytes) {
  if (bytes == nullptr) return {};
  std::string copy(atc_bytes_data(bytes), atc_bytes_size(bytes));
  const InsideAtc inside;
  atc_bytes_destroy(bytes);
  return copy;
}

void Session::open(atc_store_mode mode) {
  mode_ = mode;
  const std::string path = folder.string();
  call("atc_store_open", [&] { return atc_store_open(&store, path.c_str(), mode); });
}

void Session::close() {
  const InsideAtc inside;
  atc_store_close(std::exchange(store, nullptr));
}

bool Session::put(int number, const std::string& configuration) {
  const std::string text = entry_text(number, configuration);
  if (store == nullptr) return false;
  const bool done = call("atc_store_put",
                         [&] { return atc_store_put(store, text.data(), text.size(), nullptr); });
  Known& known = ledger.emplace(number, Known{{}, true}).first->second;
  if (done) known = {};
  known.values.insert(configuration);
  return done;
}

bool Session::put_provisional(int number, const std::string& configuration) {
  const std::string text = entry_text(number, configuration, true);
  if (store == nullptr) return false;
  const bool done = call("atc_store_put",
                         [&] { return atc_store_put(store, text.data(), text.size(), nullptr); });
  // A provisional entry (one that was made before the measurements were sufficient) must not
  // replace a firm entry, unless the firm entry could not be read because of the fault.
  Known& known = ledger.emplace(number, Known{{}, true}).first->second;
  if (done && known.values.empty()) known.may_be_absent = false;
  if (known.values.empty() || fault_.at != 0) known.values.insert(configuration);
  return done;
}

bool Session::remove(int number) {
  const std::string text = entry_text(number, "any");
  if (store == nullptr) return false;
  const bool done = call("atc_store_remove", [&] {
    return atc_store_remove(nullptr, store, text.data(), text.size());
  });
  if (done && !durable)
    ledger.erase(number);
  else if (ledger.count(number) > 0)
    ledger[number].may_be_absent = true;
  return done;
}

bool Session::import(const std::string& bundle, const std::set<int>& numbers,
                     const std::string& configuration, bool replaces) {
  if (store == nullptr) return false;
  atc_store_import_options options = ATC_STORE_IMPORT_OPTIONS_INIT;
  options.trust_compiled = ATC_ON;
  options.replace = replaces ? ATC_ON : ATC_OFF;
  std::uint64_t added = 0, kept = 0;
  const bool done = call("atc_store_import", [&] {
    return atc_store_import(&added, &kept, store, bundle.data(), bundle.size(), &options);
  });
  EXPECT_TRUE(!done || added + kept == numbers.size()) << added << " + " << kept;
  for (const int number : numbers) {
    const bool is_new = ledger.count(number) == 0;
    Known& known = ledger.emplace(number, Known{{}, true}).first->second;
    if (done && is_new && !durable) known.may_be_absent = false;
    if (done && replaces && !durable) known.values.clear();
    // Unless `replaces` is set, an import keeps the existing entry. With a fault the import may
    // replace it, because the fault may have made it unreadable.
    if (is_new || replaces || known.may_be_absent || fault_.at != 0)
      known.values.insert(configuration);
  }
  return done;
}

std::string Session::list() {
  if (store == nullptr) return "[]";
  atc_bytes* bytes = nullptr;
  call("atc_store_list", [&] { return atc_store_list(&bytes, store); });
  std::string text = take(bytes);
  if (text.empty()) text = "[]";
  // The store leaves a file that it cannot read out of the list. After a transparent fault (an
  // interrupted or short read) libatc reads again, so the list must be complete.
  if (fault_.at != 0 && is_transparent(fault_)) expect_ledger(text);
  return text;
}

std::string Session::bundle() {
  if (store == nullptr) return {};
  atc_bytes* bytes = nullptr;
  call("atc_store_export", [&] { return atc_store_export(&bytes, store); });
  return take(bytes);
}

void Session::prune(std::uint64_t keep, const std::set<int>& kept) {
  if (store == nullptr) return;
  const bool done = call("atc_store_prune", [&] { return atc_store_prune(nullptr, store, keep); });
  for (auto known = ledger.begin(); known != ledger.end();) {
    if (kept.count(known->first) > 0) {
      ++known;
    } else if (done && fault_.at == 0 && !durable) {
      known = ledger.erase(known);
    } else {
      (known++)->second.may_be_absent = true;
    }
  }
}

void Session::expect_ledger(const std::string& list) const {
  const auto found = listed(list);
  for (const auto& [number, configuration] : found) {
    const auto known = ledger.find(number);
    if (known == ledger.end()) {
      ADD_FAILURE() << "entry " << number << " (" << configuration << ") was never put";
      continue;
    }
    EXPECT_THAT(known->second.values, ::testing::Contains(configuration)) << "entry " << number;
  }
  for (const auto& [number, known] : ledger)
    EXPECT_TRUE(known.may_be_absent || found.count(number) > 0)
        << "entry " << number << " was acknowledged and is lost";
}

void Session::check() {
  if (store != nullptr && mode_ != ATC_STORE_REPLAY_ONLY) {
    constexpr int kAfter = 99;
    EXPECT_TRUE(put(kAfter, "after")) << atc_last_error();
    expect_ledger(list());
  }
  close();
  if (!std::filesystem::exists(folder)) {
    EXPECT_THAT(ledger, IsEmpty());
    return;
  }
  open(ATC_STORE_READ);
  ASSERT_NE(store, nullptr) << atc_last_error();
  atc_bytes* bytes = nullptr;
  call("atc_store_verify", [&] { return atc_store_verify(&bytes, store); });
  EXPECT_THAT(take(bytes), IsEmpty());
  expect_ledger(list());
  if (also) also(store);
  close();
  // No temporary file may be left behind, unless removing files has failed, too. Then the next
  // process that opens the store removes the file.
  if (fault_.manner == Manner::from_then_on || last_hit() == std::string("unlinkat")) return;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder))
    EXPECT_NE(item.path().filename().string().substr(0, 4), "tmp-") << "left behind";
}

}  // namespace atc_sweep
