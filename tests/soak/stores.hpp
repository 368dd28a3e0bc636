// Handles of one store folder. Several threads open this store, write to it, remove its files and
// put the store into use at the same time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "random.hpp"
#include "report.hpp"

namespace soak {

struct CloseStore {
  void operator()(atc_store* store) const { atc_store_close(store); }
};
struct DestroyBytes {
  void operator()(atc_bytes* bytes) const { atc_bytes_destroy(bytes); }
};
using Bytes = std::unique_ptr<atc_bytes, DestroyBytes>;

// The handles that one thread has of the store.
class Stores {
 public:
  // Each time the store is opened, one of `modes` is drawn at random as its mode. A mode that is
  // listed more often is drawn more often.
  Stores(Report& report, std::string folder, atc_device device, std::vector<atc_store_mode> modes)
      : report_(report), folder_(std::move(folder)), device_(device), modes_(std::move(modes)) {}

  // Does one random action with the store, or with the store's entry of the problem.
  void act(Random& random, const atc_conv_problem& problem);
  // Does each action once. No other thread may write the store meanwhile, and the store must have a
  // record of the problem.
  void do_everything(const atc_conv_problem& problem);
  // Returns a handle with which the store can be written. If no such handle is open, opens one.
  const atc_store* writable(Random& random);
  // Returns one of the open handles at random, or null. Null means that the call has no store of
  // its own.
  const atc_store* any(Random& random) const;
  // Takes the store out of use, so that the process uses no store, and closes all handles.
  void let_go();

 private:
  struct Open {
    std::unique_ptr<atc_store, CloseStore> handle;
    atc_store_mode mode;
  };
  static constexpr std::size_t kMostOpen = 3;

  void act(std::size_t what, Random& random, const atc_conv_problem& problem);
  void open(atc_store_mode mode);
  void use(Random& random);
  void read(const atc_store* store, const atc_conv_problem& problem);
  void write(const atc_store* store, const atc_conv_problem& problem, bool remove);
  void bundle(const atc_store* store, bool replace);
  void sweep(const atc_store* store, std::size_t keep);
  bool done(atc_status status, const char* call,
            std::initializer_list<atc_status> documented = {}) {
    return report_.done(status, call, folder_, documented);
  }

  Report& report_;
  const std::string folder_;
  const atc_device device_;
  const std::vector<atc_store_mode> modes_;
  std::vector<Open> open_;
};

}  // namespace soak
