// Fuzzes functions of store.h on a store whose folder is damaged and whose entries have arbitrary
// values. Each function must return a status that the header lists, plans must still be made, and
// nothing outside of the folder may change. The input has two parts. The bytes before the first '{'
// select the damage and the calls. The rest is the value of an entry.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bundle_with_sidecar.hpp"
#include "calls.hpp"
#include "mutate_json.hpp"
#include "support/temp_folder.hpp"
#include "tree.hpp"

namespace {

namespace fs = std::filesystem;

using fuzz::Bytes;
using fuzz::Input;
using fuzz::kCpu;
using fuzz::refused;
using fuzz::Tree;

using Store = std::unique_ptr<atc_store, decltype(&atc_store_close)>;

constexpr const char* kCanary = "what is outside of a store stays as it is";

Store open(const fs::path& folder, atc_store_mode mode) {
  atc_store* store = nullptr;
  refused(atc_store_open(&store, folder.c_str(), mode), {ATC_ERROR_IO});
  return Store(store, atc_store_close);
}

atc_conv_problem problem(std::int64_t batch) {
  atc_conv_problem p;
  REQUIRE_CALL(atc_conv_problem_init(&p, 1) == ATC_OK);
  p.batch = batch;
  p.input[0] = 4;
  p.kernel[0] = 2;
  return p;
}

atc_status import(const Store& store, std::string_view bundle, bool replaces) {
  atc_store_import_options options{};
  options.struct_size = sizeof options;
  options.replace = replaces ? ATC_ON : ATC_OFF;
  options.trust_compiled = ATC_ON;
  return atc_store_import(nullptr, nullptr, store.get(), bundle.data(), bundle.size(), &options);
}

// An engine that computes the convolutions of problem(). A race (the timing of the candidates)
// needs an engine besides the reference engine. A build without oneDNN has no other such engine.
struct Twin {
  static atc_status offers(void*, const atc_conv_problem*, const atc_engine_limits*,
                           atc_offer_callback offer, void* payload) {
    atc_engine_offer made{};
    made.struct_size = sizeof made;
    made.configuration = "loop";
    return offer(&made, payload);
  }
  static atc_status prepare(void** prepared, void*, const atc_conv_problem* p,
                            const atc_engine_limits*, const char*) {
    *prepared = new std::int64_t(p->batch);
    return ATC_OK;
  }
  static atc_status execute(void*, void* prepared, atc_engine_operands* operands) {
    const auto* const x = static_cast<const float*>(operands->x);
    const auto* const w = static_cast<const float*>(operands->w);
    auto* const y = static_cast<float*>(operands->y);
    for (std::int64_t n = 0; n < *static_cast<std::int64_t*>(prepared); ++n)
      for (std::int64_t o = 0; o < 3; ++o)
        y[3 * n + o] = x[4 * n + o] * w[0] + x[4 * n + o + 1] * w[1];
    return ATC_OK;
  }
  static void release(void*, void* prepared) { delete static_cast<std::int64_t*>(prepared); }

  static void add() {
    atc_engine engine{};
    engine.struct_size = sizeof engine;
    engine.device_type = ATC_DEVICE_CPU;
    engine.name = "twin";
    engine.version = "1";
    engine.offers = offers;
    engine.prepare = prepare;
    engine.execute = execute;
    engine.release = release;
    REQUIRE_CALL(atc_engine_register(&engine) == ATC_OK);
  }
};

// The state of the store in which each input begins. The store has entries of two problems, and a
// third entry that has a sidecar (a file with compiled parts). No convolution problem has the third
// entry's key.
struct Start {
  atc::test::TempFolder folder;
  Tree tree{folder.path() / "store"};
  fs::path outside = folder.path() / "outside";
  Tree::Files files;
  std::string key;  // the key of the store's entry for problem(1), as JSON

  Start() {
    atc_log_level_set(ATC_LOG_OFF);
    fs::create_directory(outside);
    std::ofstream(outside / "canary") << kCanary;
    Twin::add();
    const Store store = open(tree.root(), ATC_STORE_READ_WRITE);
    tune(store, problem(1));
    tune(store, problem(2));
    REQUIRE_CALL(import(store, fuzz::kBundleWithSidecar, false) == ATC_OK);
    key = key_of(store, problem(1));
    files = tree.files();
    // The store has at least six files: three entries, two manifests, and a sidecar (a file with
    // the compiled parts of an entry).
    REQUIRE(files.size() > 5);
  }

  static void tune(const Store& store, const atc_conv_problem& p) {
    atc_tune_options options{};
    options.struct_size = sizeof options;
    options.store = store.get();
    options.problem_budget_seconds = 0.1;
    REQUIRE_CALL(atc_tune(nullptr, kCpu, &p, 1, &options, nullptr, nullptr) == ATC_OK);
  }

  static std::string key_of(const Store& store, const atc_conv_problem& p) {
    atc_bytes* out = nullptr;
    REQUIRE_CALL(atc_store_get(&out, store.get(), kCpu, &p, nullptr) == ATC_OK);
    const Bytes bytes = fuzz::take(out);
    const std::string_view text = fuzz::text_of(bytes);
    const std::size_t begin = text.find("\"key\":") + 6, end = text.find(",\"value\":");
    REQUIRE(begin < end && end != std::string_view::npos);
    return std::string(text.substr(begin, end - begin));
  }
};

Start& start() {
  static Start start;
  return start;
}

bool put(const Store& store, std::string_view value, bool replaces) {
  atc_store_put_options options{};
  options.struct_size = sizeof options;
  options.replace_firm = replaces ? ATC_ON : ATC_OFF;
  options.trust_compiled = ATC_ON;
  const std::string entry = "{\"key\":" + start().key + ",\"value\":" + std::string(value) + "}";
  return !refused(atc_store_put(store.get(), entry.data(), entry.size(), &options),
                  {ATC_ERROR_BAD_RECORD, ATC_ERROR_IO});
}

void plan(Input& in, const Store& store) {
  atc_conv_options options{};
  options.struct_size = sizeof options;
  options.store = store.get();
  options.require_firm = static_cast<std::int32_t>(in.below(3));
  options.workspace_limit = in.below(2) == 0 ? 0 : ATC_NONE;
  const atc_conv_problem p = problem(1 + static_cast<std::int64_t>(in.below(3)));
  atc_conv_plan* out = nullptr;
  if (refused(atc_conv_plan_create(&out, kCpu, &p, &options),
              {ATC_ERROR_NOT_TUNED, ATC_ERROR_UNSUPPORTED}))
    return;
  const fuzz::Plan made(out, atc_conv_plan_destroy);
  fuzz::Call call;
  REQUIRE(call.describe(p));
  REQUIRE_CALL(call.execute(out) == ATC_OK);
}

// Checks that exported entries can be imported into another store.
void export_and_import(const Store& store) {
  atc_bytes* out = nullptr;
  if (refused(atc_store_export(&out, store.get()), {})) return;
  const Bytes bundle = fuzz::take(out);
  atc_bytes* merged = nullptr;
  const void* const bundles[] = {atc_bytes_data(out), fuzz::kBundleWithSidecar};
  const size_t sizes[] = {atc_bytes_size(out), std::string_view(fuzz::kBundleWithSidecar).size()};
  REQUIRE_CALL(atc_store_merge(&merged, bundles, sizes, 2, nullptr) == ATC_OK);
  fuzz::take(merged);
  const Tree copy(start().folder.path() / "copy");
  {
    const Store other = open(copy.root(), ATC_STORE_READ_WRITE);
    REQUIRE_CALL(import(other, fuzz::text_of(bundle), false) == ATC_OK);
    atc_store_info info{};
    info.struct_size = sizeof info;
    REQUIRE_CALL(atc_store_describe(&info, other.get()) == ATC_OK);
    std::uint64_t digest = 0, copied = 0;
    REQUIRE_CALL(atc_store_digest(&digest, store.get()) == ATC_OK);
    REQUIRE_CALL(atc_store_digest(&copied, other.get()) == ATC_OK);
    REQUIRE(digest == copied);
  }
  copy.clear();
}

void call(Input& in, const Store& store, std::string_view value) {
  atc_bytes* out = nullptr;
  switch (in.below(11)) {
    case 0:
      if (!refused(atc_store_list(&out, store.get()), {})) fuzz::take(out);
      break;
    case 1: {
      const atc_conv_problem p = problem(1);
      if (!refused(atc_store_get(&out, store.get(), kCpu, &p, nullptr), {ATC_ERROR_NOT_TUNED}))
        fuzz::take(out);
      break;
    }
    case 2:
      put(store, value, in.below(2) == 1);
      break;
    case 3:
      export_and_import(store);
      break;
    case 4:
      if (!refused(atc_store_verify(&out, store.get()), {})) fuzz::take(out);
      break;
    case 5:
      refused(atc_store_prune(nullptr, store.get(), in.below(4)), {ATC_ERROR_IO});
      break;
    case 6: {
      const std::string entry = "{\"key\":" + start().key + ",\"value\":{\"choice\":{}}}";
      refused(atc_store_remove(nullptr, store.get(), entry.data(), entry.size()), {ATC_ERROR_IO});
      break;
    }
    case 7: {
      std::uint64_t count = 0;
      refused(atc_store_provisional(&count, store.get()), {});
      break;
    }
    case 8:
      refused(import(store, fuzz::kBundleWithSidecar, in.below(2) == 1), {ATC_ERROR_IO});
      break;
    case 9:
      start().tree.damage(in, start().outside);
      break;
    default:
      plan(in, store);
  }
}

void require_nothing_outside() {
  const fs::directory_iterator items(start().outside);
  REQUIRE(std::distance(begin(items), end(items)) == 1);
  std::ifstream file(start().outside / "canary", std::ios::binary);
  REQUIRE(std::string(std::istreambuf_iterator<char>(file), {}) == kCanary);
}

std::size_t split(const std::uint8_t* data, std::size_t size) {
  return std::min(fuzz::text_of(data, size).find('{'), size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  start();
  const std::size_t at = split(data, size);
  Input in(data, at);
  const std::string_view value = fuzz::text_of(data + at, size - at);
  start().tree.fill(start().files);
  for (std::size_t n = in.below(4); n > 0; --n) start().tree.damage(in, start().outside);
  {
    const Store store = open(start().tree.root(), 1 + static_cast<atc_store_mode>(in.below(4)));
    if (store != nullptr)
      for (std::size_t n = 1 + in.below(6); n > 0; --n) call(in, store, value);
  }
  start().tree.clear();
  require_nothing_outside();
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  const std::size_t at = split(data, size);
  const std::string_view calls = fuzz::text_of(data, at),
                         value = fuzz::text_of(data + at, size - at);
  const std::string text = seed % 2 == 0 ? fuzz::changed_bytes(calls) + std::string(value)
                                         : std::string(calls) + fuzz::changed_json(value, seed / 2);
  return fuzz::give_back(text, data, most);
}
