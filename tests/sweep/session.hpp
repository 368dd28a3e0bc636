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

// What a store may contain for one key. After a call that failed, either the old or the new entry
// may be there.
struct Known {
  std::set<std::string> values;  // the configurations in the stored choice
  bool may_be_absent = false;
};
// What the store must contain, by the number of the problem.
using Ledger = std::map<int, Known>;

// Returns an entry in the form that atc_store_put takes.
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

  // Calls `function`. Expects ATC_OK, a status that the armed fault can cause, or one of `others`.
  // Returns whether the status was ATC_OK.
  bool call(const char* name, const std::function<atc_status()>& function,
            const std::set<atc_status>& others = {});
  std::string take(atc_bytes* bytes);  // copies the bytes and destroys `bytes`

  void open(atc_store_mode mode = 0);  // opens the store in `folder`
  void close();
  bool put(int number, const std::string& configuration);
  bool put_provisional(int number, const std::string& configuration);
  bool remove(int number);
  bool import(const std::string& bundle, const std::set<int>& numbers,
              const std::string& configuration, bool replaces);
  std::string list();
  std::string bundle();
  void prune(std::uint64_t keep, const std::set<int>& kept);

  // Checks that the handle still works, and that the folder has exactly the entries of `ledger`.
  // Call this function without an armed fault.
  void check();

  const std::filesystem::path folder;
  atc_store* store = nullptr;
  Ledger ledger;
  // A further check of the folder. Its argument is a new handle of the folder.
  std::function<void(const atc_store*)> also;
  bool durable = false;  // true if effects that were not synced before a call returned may be lost

 private:
  void expect_ledger(const std::string& list) const;

  const Fault fault_;
  atc_store_mode mode_ = 0;
};

// Returns a bundle (an exported store) with the entries 1 to 3 and the configuration "bundled". The
// first entry has a compiled part.
std::string compiled_bundle();

}  // namespace atc_sweep
