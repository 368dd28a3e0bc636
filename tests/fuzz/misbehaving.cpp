#include "misbehaving.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "calls.hpp"

namespace fuzz {

namespace {

// The largest depth of nested calls of atc: a callback calls atc, and a callback of that call calls
// atc again.
constexpr int kDeepest = 2;
constexpr std::size_t kLongestName = 63, kLongestConfiguration = 512;

atc_status tune(const atc_conv_problem& p) {
  atc_tune_options options{};
  options.struct_size = sizeof options;
  options.problem_budget_seconds = 0.001;
  return atc_tune(nullptr, kCpu, &p, 1, &options, nullptr, nullptr);
}

}  // namespace

atc_conv_problem scaling() {
  atc_conv_problem p;
  REQUIRE_CALL(atc_conv_problem_init(&p, 1) == ATC_OK);
  p.input[0] = 4;
  return p;
}

bool refused_somehow(atc_status status) {
  REQUIRE_CALL(status >= ATC_OK && status <= ATC_ERROR_INTERNAL);
  REQUIRE(status == ATC_OK || atc_last_error()[0] != '\0');
  return status != ATC_OK;
}

struct Misbehaving::Callbacks {
  static Misbehaving& of(void* user) { return *static_cast<Misbehaving*>(user); }

  static atc_status offers(void* user, const atc_conv_problem*, const atc_engine_limits*,
                           atc_offer_callback offer, void* payload) {
    Misbehaving& self = of(user);
    const std::uint8_t kind = self.in_.raw<std::uint8_t>();
    for (int count = kind == 255 ? 2000 : kind % 4; count > 0; --count)
      self.make_offer(offer, payload);
    self.call_atc();
    return self.status();
  }

  static atc_status prepare(void** prepared, void* user, const atc_conv_problem*,
                            const atc_engine_limits*, const char*) {
    Misbehaving& self = of(user);
    self.call_atc();
    if (self.in_.below(2) == 1) *prepared = user;
    const atc_status status = self.status();
    if (status == ATC_OK) ++self.prepared_;
    return status;
  }

  static atc_status set_weights(void* user, void*, const void*) {
    of(user).call_atc();
    return of(user).status();
  }

  static atc_status execute(void* user, void*, atc_engine_operands* operands) {
    Misbehaving& self = of(user);
    self.call_atc();
    const auto* const x = static_cast<const float*>(operands->x);
    const auto* const w = static_cast<const float*>(operands->w);
    auto* const y = static_cast<float*>(operands->y);
    const bool right = self.in_.below(2) == 0 && w != nullptr;
    for (int i = 0; i < 4; ++i)
      self.own_output_[i] = y[i] = right ? w[0] * x[i] : self.in_.raw<float>();
    if (self.in_.below(2) == 0) operands->result = self.own_output_;
    return self.status();
  }

  static void release(void* user, void*) {
    ++of(user).released_;
    of(user).call_atc();
  }

  static void destroy(void* user) {
    ++of(user).destroyed_;
    of(user).call_atc();
  }

  static atc_status get(std::int64_t* out, void* user, std::int32_t) {
    of(user).call_atc();
    *out = of(user).in_.number();
    return of(user).status();
  }
  static atc_status set(void* user, std::int32_t, std::int64_t) {
    of(user).call_atc();
    return of(user).status();
  }
  static atc_status manual_seed(void* user, std::uint64_t, std::int32_t) {
    return of(user).status();
  }
  static atc_status synchronize(void* user, std::int32_t) { return of(user).status(); }

  // Returns NULL, or memory with the alignment that atc requires of an allocator.
  static void* alloc(void* user, std::uint64_t size, atc_device, atc_stream) {
    Misbehaving& self = of(user);
    self.call_atc();
    if (self.in_.below(4) == 1 || size > std::uint64_t{1} << 24) return nullptr;
    return std::aligned_alloc(64, (size + 63) / 64 * 64);
  }
  static void free(void* user, void* pointer, atc_device, atc_stream) {
    of(user).call_atc();
    std::free(pointer);
  }

  static void write(void* user, std::int32_t, const char* line) {
    REQUIRE(line != nullptr);
    of(user).call_atc();
  }
};

atc_status Misbehaving::status() { return in_.below(4) != 1 ? ATC_OK : in_.number32(); }

// Returns a text in memory of exactly its size, so that AddressSanitizer finds reads beyond it. A
// text of more than `longest` bytes has no NUL at its end, because atc may read at most `longest` +
// 1 bytes.
const char* Misbehaving::text(std::size_t longest) {
  const std::size_t kind = in_.below(8);
  text_.assign(kind == 1 ? longest + 1 : kind == 2 ? longest : in_.below(16), 'a');
  if (kind >= 3)
    for (char& c : text_) c = in_.raw<char>();
  if (kind != 1) text_.push_back('\0');
  text_.shrink_to_fit();
  return text_.data();
}

void Misbehaving::make_offer(atc_offer_callback offer, void* payload) {
  atc_engine_offer made[2] = {};
  made[0].struct_size =
      in_.below(8) == 1 ? in_.raw<std::uint32_t>() % (sizeof made + 1) : sizeof made[0];
  made[0].flags = in_.below(4) == 1 ? in_.raw<std::uint32_t>() : in_.below(32);
  made[0].workspace = in_.below(4) == 1 ? static_cast<std::uint64_t>(in_.number()) : 0;
  made[0].configuration = in_.below(8) == 1 ? nullptr : text(kLongestConfiguration);
  made[0].notes = in_.below(2) == 1 ? "notes" : nullptr;
  // If atc refuses an offer, the reason is reported by the call of atc that has called this
  // callback. So no error text is checked here.
  const atc_status status = offer(in_.below(16) == 1 ? nullptr : made, payload);
  REQUIRE(status >= ATC_OK && status <= ATC_ERROR_INTERNAL);
  if (status != ATC_OK) return;
  if (made[0].configuration != nullptr) offered_ = made[0].configuration;
}

// Makes a call of atc from within a callback. If the call would have to wait until the callback
// returns, atc must return ATC_ERROR_BUSY instead.
void Misbehaving::call_atc() {
  if (depth_ >= kDeepest) return;
  ++depth_;
  const atc_conv_problem p = scaling();
  switch (in_.below(32)) {
    case 1:
      atc_error_set(std::string(in_.below(2) == 1 ? 5000 : 10, 'e').c_str());
      break;
    case 2:
      refused_somehow(atc_engine_unregister(name()));
      break;
    case 3:
      refused_somehow(atc_cache_clear());
      break;
    case 4:
      refused_somehow(tune(p));
      break;
    case 5: {
      atc_conv_plan* plan = nullptr;
      if (!refused_somehow(atc_conv_plan_create(&plan, kCpu, &p, nullptr)))
        atc_conv_plan_destroy(plan);
      break;
    }
    case 6:
      refused_somehow(atc_set_benchmark_limit_cudnn(in_.number32()));
      break;
    case 7: {
      atc_settings settings{};
      settings.struct_size = sizeof settings;
      refused_somehow(atc_settings_get(&settings));
      break;
    }
    case 8:
      refused_somehow(atc_store_use(nullptr));
      break;
    case 9:
      refused_somehow(atc_manual_seed(7));
      break;
    default:
      break;
  }
  --depth_;
}

void Misbehaving::register_engine() {
  atc_engine engine{};
  engine.struct_size = sizeof engine;
  engine.device_type = in_.below(8) == 1 ? in_.number32() : ATC_DEVICE_CPU;
  engine.user = this;
  engine.offers = Callbacks::offers;
  engine.prepare = Callbacks::prepare;
  engine.set_weights = in_.below(2) == 1 ? Callbacks::set_weights : nullptr;
  engine.execute = in_.below(16) == 1 ? nullptr : Callbacks::execute;
  engine.release = Callbacks::release;
  engine.destroy = Callbacks::destroy;
  engine.name = name();
  engine.version = in_.below(8) == 1 ? text(kLongestName) : "1";
  has_engine_ = !refused_somehow(atc_engine_register(&engine));
  registered_ += has_engine_ ? 1 : 0;
}

void Misbehaving::register_others() {
  REQUIRE_CALL(atc_log_level_set(ATC_LOG_OFF) == ATC_OK);
  const std::size_t which = in_.below(8);
  if ((which & 1) != 0) {
    atc_settings_source source{};
    source.struct_size = sizeof source;
    source.user = this;
    source.get = Callbacks::get;
    source.set = in_.below(4) == 1 ? nullptr : Callbacks::set;
    source.manual_seed = Callbacks::manual_seed;
    source.synchronize = Callbacks::synchronize;
    source.destroy = Callbacks::destroy;
    registered_ += refused_somehow(atc_settings_source_set(&source)) ? 0 : 1;
  }
  if ((which & 2) != 0) {
    atc_allocator allocator{};
    allocator.struct_size = sizeof allocator;
    allocator.user = this;
    allocator.alloc = Callbacks::alloc;
    allocator.free = Callbacks::free;
    allocator.destroy = Callbacks::destroy;
    registered_ += refused_somehow(atc_allocator_set(&allocator)) ? 0 : 1;
  }
  if ((which & 4) != 0) {
    atc_log_sink sink{};
    sink.struct_size = sizeof sink;
    sink.format = in_.below(4) == 1 ? in_.number32() : static_cast<std::int32_t>(in_.below(2));
    sink.user = this;
    sink.write = Callbacks::write;
    sink.destroy = Callbacks::destroy;
    if (!refused_somehow(atc_log_sink_set(&sink))) {
      ++registered_;
      REQUIRE_CALL(atc_log_level_set(ATC_LOG_DEBUG) == ATC_OK);
    }
  }
}

void Misbehaving::unregister() {
  depth_ = kDeepest;  // from now on, the callbacks do not call atc
  REQUIRE_CALL(atc_log_level_set(ATC_LOG_OFF) == ATC_OK);
  REQUIRE_CALL(atc_settings_source_set(nullptr) == ATC_OK);
  REQUIRE_CALL(atc_log_sink_set(nullptr) == ATC_OK);
  REQUIRE_CALL(atc_cache_clear() == ATC_OK);
  REQUIRE_CALL(atc_allocator_set(nullptr) == ATC_OK);
  if (has_engine_) {
    const atc_status status = atc_engine_unregister(name());
    // One of the engine's own callbacks may already have unregistered the engine. Then the status
    // is ATC_ERROR_INVALID_ARGUMENT.
    REQUIRE_CALL(status == ATC_OK || status == ATC_ERROR_INVALID_ARGUMENT);
  }
  REQUIRE(prepared_ == released_);
  REQUIRE(destroyed_ == registered_);
}

std::string Misbehaving::choice() const {
  return offered_.empty() ? "" : std::string(name()) + "@1:" + offered_;
}

}  // namespace fuzz
