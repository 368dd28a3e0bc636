// A session with libatc: a fixed sequence of calls through the C ABI, in steps. In each step a call
// of the system may fail. After the step, the store must have the right entries and accept new
// ones.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "atc/atc.h"
#include "faults.hpp"

namespace atc_sweep {

// The entry that a store may contain for one problem. If a call has failed, the store may contain
// either the old or the new entry.
struct Known {
  std::set<std::string> values;  // the configurations that the choice of the stored entry may have
  bool may_be_absent = false;
};
// The entries that the store must contain. The key is the number of the problem.
using Ledger = std::map<int, Known>;

// Returns the text of an entry of a store, in the form that atc_store_put accepts.
std::string entry_text(int number, const std::string& configuration, bool provisional = false);
// Reads the text `list` of atc_store_list. Returns the configuration of each entry, by the number
// of its problem. Entries that entry_text() has not made are left out.
std::map<int, std::string> listed(const std::string& list);

class Session {
 public:
  explicit Session(const std::filesystem::path& folder, const Fault& fault = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Calls `function`. Expects ATC_OK, a status that the present fault can cause, or one of
  // `others`. Returns whether the status was ATC_OK.
  bool call(const char* name, const std::function<atc_status()>& function,
            const std::set<atc_status>& others = {});
  std::string take(atc_bytes* bytes);  // returns a copy of the bytes, and destroys `bytes`

  void open(atc_store_mode mode = 0);  // opens the store in the folder of the session
  void close();
  bool put(int number, const std::string& configuration);
  bool put_provisional(int number, const std::string& configuration);
  bool remove(int number);
  bool import(const std::string& bundle, const std::set<int>& numbers,
              const std::string& configuration, bool replaces);
  std::string list();
  std::string bundle();
  void prune(std::uint64_t keep, const std::set<int>& kept);

  // Checks that the store's handle still works, and that the store has exactly the entries of
  // `ledger`. Must be called while no call is made to fail.
  void check();

  const std::filesystem::path folder;
  atc_store* store = nullptr;
  Ledger ledger;
  // A further check of the store. Its argument is a new handle of the store's folder.
  std::function<void(const atc_store*)> also;
  // True if the test loses unsynced changes. Then a change may be lost although its call has
  // returned.
  bool durable = false;

 private:
  void expect_ledger(const std::string& list) const;

  const Fault fault_;
  atc_store_mode mode_ = 0;
};

// Returns a bundle (an exported store) with the entries 1 to 3 and the configuration "bundled". The
// first entry has a compiled part.
std::string compiled_bundle();

}  // namespace atc_sweep
