// A scripted session with libatc, in steps through the C ABI, and the properties that must hold
// after each step, whatever has failed in it.
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

// The values that a store may hold under one key.
struct Known {
  std::set<std::string> values;  // configurations of the choice
  bool may_be_absent = false;
};
using Ledger = std::map<int, Known>;  // the decisions that the session has stored; the key is the
                                      // number of the problem

// Returns an entry in the form that atc_store_put takes.
std::string entry_text(int number, const std::string& configuration, bool provisional = false);
// The entries of a list of atc_store_list: configurations by number. Entries of other keys are left
// out.
std::map<int, std::string> listed(const std::string& list);

class Session {
 public:
  explicit Session(const std::filesystem::path& folder, const Fault& fault = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Makes a call. Its status must be ATC_OK, a status that the armed fault explains, or one of
  // `others`.
  bool call(const char* name, const std::function<atc_status()>& function,
            const std::set<atc_status>& others = {});
  std::string take(atc_bytes* bytes);  // copies and destroys

  void open(atc_store_mode mode = 0);  // the store in `folder`
  void close();
  bool put(int number, const std::string& configuration);
  bool put_provisional(int number, const std::string& configuration);
  bool remove(int number);
  bool import(const std::string& bundle, const std::set<int>& numbers,
              const std::string& configuration, bool replaces);
  std::string list();
  std::string bundle();
  void prune(std::uint64_t keep, const std::set<int>& kept);

  // Checks, without faults, that the handle still works, and that the folder holds the acknowledged
  // entries and nothing else.
  void check();

  const std::filesystem::path folder;
  atc_store* store = nullptr;
  Ledger ledger;
  // A further check of the folder, which is opened anew for it.
  std::function<void(const atc_store*)> also;
  bool durable = false;  // true if anything that is not synced before the call returns may be lost

 private:
  void expect_ledger(const std::string& list) const;

  const Fault fault_;
  atc_store_mode mode_ = 0;
};

// Returns a bundle of entries 1 to 3 with the configuration "bundled". The first has a compiled
// part.
std::string compiled_bundle();

}  // namespace atc_sweep
