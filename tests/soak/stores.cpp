#include "stores.hpp"

namespace soak {

namespace {

constexpr std::size_t kActs = 9;

Bytes owned(atc_bytes* bytes) { return Bytes(bytes); }

}  // namespace

void Stores::act(Random& random, const atc_conv_problem& problem) {
  act(random.below(kActs), random, problem);
}

void Stores::do_everything(const atc_conv_problem& problem) {
  Random random(1, 1);
  for (std::size_t what = 0; what < kActs; ++what) act(what, random, problem);
}

void Stores::act(std::size_t what, Random& random, const atc_conv_problem& problem) {
  const std::size_t value = random.below(64);
  switch (what) {
    case 0:
      open(random.of(modes_));
      break;
    case 1:
      if (!open_.empty()) open_.erase(open_.begin());
      break;
    case 2:
      use(random);
      break;
    case 3:
      read(writable(random), problem);
      break;
    case 4:
    case 5:
      write(writable(random), problem, what == 5 && value % 8 == 0);
      break;
    case 6:
      bundle(writable(random), value % 2 == 0);
      break;
    case 7:
      sweep(writable(random), value);
      break;
    default: {
      atc_store* in_use = nullptr;
      done(atc_store_in_use(&in_use), "atc_store_in_use");
      atc_store_close(in_use);
      report_.count(Kind::store_read);
    }
  }
}

void Stores::open(atc_store_mode mode) {
  if (open_.size() == kMostOpen) open_.erase(open_.begin());
  atc_store* store = nullptr;
  done(atc_store_open(&store, folder_.c_str(), mode), "atc_store_open");
  open_.push_back({std::unique_ptr<atc_store, CloseStore>(store), mode});
  report_.count(Kind::store_opened);
}

void Stores::use(Random& random) {
  done(atc_store_use(any(random)), "atc_store_use");
  report_.count(Kind::store_used);
}

const atc_store* Stores::any(Random& random) const {
  const std::size_t drawn = random.below(kMostOpen);
  return drawn < open_.size() ? open_[drawn].handle.get() : nullptr;
}

const atc_store* Stores::writable(Random& random) {
  const std::size_t first = random.below(kMostOpen);
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Open& found = open_[(first + i) % open_.size()];
    if (found.mode == ATC_STORE_READ_WRITE) return found.handle.get();
  }
  open(ATC_STORE_READ_WRITE);
  return open_.back().handle.get();
}

void Stores::read(const atc_store* store, const atc_conv_problem& problem) {
  auto info = ATC_SIZED(atc_store_info);
  done(atc_store_describe(&info, store), "atc_store_describe");
  atc_bytes* entry = nullptr;
  done(atc_store_get(&entry, store, device_, &problem, nullptr), "atc_store_get",
       {ATC_ERROR_NOT_TUNED});
  owned(entry);
  atc_bytes* list = nullptr;
  done(atc_store_list(&list, store), "atc_store_list");
  owned(list);
  std::uint64_t number = 0;
  done(atc_store_digest(&number, store), "atc_store_digest");
  done(atc_store_provisional(&number, store), "atc_store_provisional");
  report_.count(Kind::store_read);
}

void Stores::write(const atc_store* store, const atc_conv_problem& problem, bool remove) {
  atc_bytes* made = nullptr;
  if (!done(atc_store_get(&made, store, device_, &problem, nullptr), "atc_store_get",
            {ATC_ERROR_NOT_TUNED}))
    return;
  const Bytes entry = owned(made);
  const char* const text = atc_bytes_data(made);
  const std::size_t size = atc_bytes_size(made);
  if (remove)
    done(atc_store_remove(nullptr, store, text, size), "atc_store_remove");
  else
    done(atc_store_put(store, text, size, nullptr), "atc_store_put");
  report_.count(Kind::store_written);
}

void Stores::bundle(const atc_store* store, bool replace) {
  atc_bytes* made = nullptr;
  done(atc_store_export(&made, store), "atc_store_export");
  const Bytes exported = owned(made);
  const void* const bundles[] = {atc_bytes_data(made), atc_bytes_data(made)};
  const std::size_t sizes[] = {atc_bytes_size(made), atc_bytes_size(made)};
  atc_bytes* merged = nullptr;
  done(atc_store_merge(&merged, bundles, sizes, 2, nullptr), "atc_store_merge");
  const Bytes both = owned(merged);
  auto options = ATC_STORE_IMPORT_OPTIONS_INIT;
  options.replace = replace ? ATC_ON : ATC_OFF;
  done(atc_store_import(nullptr, nullptr, store, atc_bytes_data(merged), atc_bytes_size(merged),
                        &options),
       "atc_store_import");
  report_.count(Kind::store_bundled);
}

void Stores::sweep(const atc_store* store, std::size_t keep) {
  atc_bytes* made = nullptr;
  done(atc_store_verify(&made, store), "atc_store_verify");
  const Bytes bad = owned(made);
  if (atc_bytes_size(made) != 0)
    report_.stop(std::string("atc_store_verify finds bad files: ") + atc_bytes_data(made));
  done(atc_store_prune(nullptr, store, keep), "atc_store_prune");
  report_.count(Kind::store_swept);
}

void Stores::let_go() {
  done(atc_store_use(nullptr), "atc_store_use");
  open_.clear();
}

}  // namespace soak
