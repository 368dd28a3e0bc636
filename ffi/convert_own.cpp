#include "convert_own.hpp"

#include "adapters.hpp"
#include "convert.hpp"
#include "store_handle.hpp"

namespace atc::ffi {

std::optional<conv::Knowledge> to_knowledge(const atc_store* store, std::int32_t use_store) {
  const bool used = to_switch(use_store, "options.use_store").value_or(true);
  if (!used && store != nullptr)
    fail(Status::invalid_argument,
         "options.use_store is off (1), but options.store is set: leave one of them 0");
  if (!used) return conv::Knowledge::without_store();
  if (store == nullptr) return std::nullopt;
  return conv::Knowledge::of(store->store);
}

void check_race_memory(const conv::PlanOptions& options) {
  if (options.race_memory == 0)
    fail(Status::invalid_argument,
         "options.race_memory_limit allows 0 bytes: a race needs memory; use a number of bytes, or "
         "leave it out for a quarter of the free memory");
}

atc_allocator read_allocator(const atc_allocator& allocator, const char* name) {
  const auto known = read_struct(&allocator, name);
  if (known.device_type != 0 && known.device_type != ATC_DEVICE_CPU &&
      known.device_type != ATC_DEVICE_CUDA)
    fail(Status::invalid_argument, "{}.device_type is {}: use 1 (CPU), 2 (CUDA) or 0 for both",
         name, known.device_type);
  return known;
}

std::shared_ptr<Allocator> to_allocator(const atc_allocator* allocator) {
  constexpr const char* kName = "options.allocator";
  if (allocator == nullptr) return nullptr;
  const auto known = read_allocator(*allocator, kName);
  if (known.destroy != nullptr)
    fail(Status::invalid_argument,
         "{}.destroy is set, but options do not take `user` over: leave it out", kName);
  return make_allocator(known, kName, nullptr);
}

}  // namespace atc::ffi
