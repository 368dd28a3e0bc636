// The entries that worker processes write in process_test.cpp. The number and the salt (a random
// number that the entry contains) determine the whole value. So a process can check an entry that
// another process has written.
#pragma once

#include <cstdint>
#include <string>

#include "store/entry.hpp"
#include "store/hash.hpp"
#include "store/sidecar.hpp"
#include "store/store.hpp"

namespace atc::store {

inline Key worker_key(int number) {
  Key key;
  key.environment = {{"device", "cpu"}, {"part", number % 3}};
  key.problem = {{"number", number}};
  key.family = "family " + std::to_string(number % 100);
  return key;
}

// Returns whether the entry with this number has a sidecar (a file with compiled texts).
inline bool worker_has_sidecar(int number) { return number % 16 == 0; }
inline std::string worker_text(int number, std::uint64_t salt) {
  std::string text = std::to_string(number);
  for (std::uint64_t i = 0; i < 1 + salt % 500; ++i) text += hex64(hash64(hex64(salt + i)));
  return text;
}

// Returns a value of a few hundred bytes up to almost the limit of an entry. Large values make some
// writes take long.
inline Json worker_value(int number, std::uint64_t salt) {
  std::string block;
  for (std::uint64_t i = 0; i < 64; ++i) block += hex64(hash64(hex64(salt + i)));
  std::string pad;
  for (const std::size_t length = salt % 50'000; pad.size() < length;) pad += block;
  const std::uint64_t seal = hash64(std::to_string(number) + hex64(salt) + pad);
  Json value = {
      {"choice", {{"number", number}, {"seal", hex64(seal)}}}, {"salt", salt}, {"pad", pad}};
  if (worker_has_sidecar(number))
    value[kSidecar] = to_json(name_of_sidecar(worker_text(number, salt)));
  return value;
}

inline bool worker_entry_is_right(int number, const Entry& entry) {
  return entry.key.problem == worker_key(number).problem &&
         entry.value == worker_value(number, entry.value["salt"].get<std::uint64_t>());
}

// Returns whether the entry has the right sidecar (a file with compiled texts). If entries with
// this number have no sidecar, returns true.
inline bool worker_sidecar_is_right(Store& store, int number, const Entry& entry) {
  if (!worker_has_sidecar(number)) return true;
  return store.sidecar(entry.key, sidecars_of(entry.value).front()) ==
         worker_text(number, entry.value["salt"].get<std::uint64_t>());
}

}  // namespace atc::store
