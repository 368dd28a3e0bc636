// Tests the structs that the library reads and the caller writes.
#include <cstdlib>

#include "client.hpp"
#include "support/temp_folder.hpp"

namespace {

atc_status make_plan(const atc_conv_problem* problem, const atc_conv_options* options) {
  atc_conv_plan* plan = nullptr;
  const atc_status status = atc_conv_plan_create(&plan, kCpu, problem, options);
  atc_conv_plan_destroy(plan);
  return status;
}

void check_problem() {
  Guarded<atc_conv_problem> problem;
  fill(problem.get());
  const auto check = [&](auto&& call) { reads("atc_conv_problem", problem, call); };
  check([&] { return atc_conv_operand_shape(nullptr, nullptr, problem.get(), ATC_OPERAND_Y); });
  check([&] { return make_plan(problem.get(), nullptr); });
  check([&] {
    atc_conv_plan* plan = nullptr;
    const atc_status status = atc_conv_plan_acquire(&plan, kCpu, problem.get(), nullptr, nullptr);
    atc_conv_plan_release(plan);
    return status;
  });
  check([&] {
    Tensors tensors;
    const atc_status status =
        atc_convolution(problem.get(), &tensors.x, &tensors.w, nullptr, &tensors.y, nullptr);
    EXPECT(status != ATC_OK || tensors.right());
    return status;
  });
}

void check_operands() {
  Guarded<atc_conv_problem> problem;
  fill(problem.get());
  Tensors tensors;
  Guarded<atc_conv_operands> operands;
  operands.set(atc_conv_operands{});
  operands->struct_size = sizeof(atc_conv_operands);
  operands->x = &tensors.x;
  operands->w = &tensors.w;
  operands->y = &tensors.y;
  reads("atc_conv_operands", operands, [&] {
    const atc_status status = atc_convolution_v2(problem.get(), operands.get(), nullptr);
    EXPECT(status != ATC_OK || tensors.right());
    return status;
  });
}

void check_options() {
  Guarded<atc_conv_problem> problem;
  fill(problem.get());
  Guarded<atc_conv_options> options;
  options.set(atc_conv_options{});
  options->struct_size = sizeof(atc_conv_options);
  reads("atc_conv_options", options, [&] { return make_plan(problem.get(), options.get()); });
  reads("atc_conv_options", options, [&] {
    atc_conv_plan* plan = nullptr;
    const atc_status status =
        atc_conv_plan_acquire(&plan, kCpu, problem.get(), options.get(), nullptr);
    atc_conv_plan_release(plan);
    return status;
  });
}

void check_settings() {
  Guarded<atc_settings> settings;
  settings.set(atc_settings{});
  settings->struct_size = sizeof(atc_settings);
  EXPECT(atc_settings_get(settings.get()) == ATC_OK);
  reads("atc_settings", settings, [&] { return atc_settings_apply(settings.get()); });
}

void* no_memory(void*, std::uint64_t, atc_device, atc_stream) { return nullptr; }
void nothing_to_free(void*, void*, atc_device, atc_stream) {}
void nothing_to_write(void*, std::int32_t, const char*) {}

void check_extensions() {
  Guarded<atc_settings_source> source;
  source.set(atc_settings_source{});
  source->struct_size = sizeof(atc_settings_source);
  reads("atc_settings_source", source, [&] { return atc_settings_source_set(source.get()); });
  EXPECT(atc_settings_source_set(nullptr) == ATC_OK);

  Guarded<atc_allocator> allocator;
  allocator.set(atc_allocator{});
  allocator->struct_size = sizeof(atc_allocator);
  allocator->alloc = no_memory;
  allocator->free = nothing_to_free;
  reads("atc_allocator", allocator, [&] { return atc_allocator_set(allocator.get()); });
  EXPECT(atc_allocator_set(nullptr) == ATC_OK);

  Guarded<atc_log_sink> sink;
  sink.set(atc_log_sink{});
  sink->struct_size = sizeof(atc_log_sink);
  sink->write = nothing_to_write;
  reads("atc_log_sink", sink, [&] { return atc_log_sink_set(sink.get()); });
  EXPECT(atc_log_sink_set(nullptr) == ATC_OK);
}

void check_trace() {
  Guarded<atc_trace_options> options;
  options.set(atc_trace_options{});
  options->struct_size = sizeof(atc_trace_options);
  reads("atc_trace_options", options, [&] {
    const atc_status status = atc_trace_start(options.get());
    if (status == ATC_OK) EXPECT(atc_trace_stop(nullptr) == ATC_OK);
    return status;
  });
  Guarded<atc_conv_problem> problem;
  fill(problem.get());
  EXPECT(atc_trace_start(nullptr) == ATC_OK);
  reads("atc_conv_problem", problem, [&] {
    atc_trace_call* call = nullptr;
    const atc_status status = atc_trace_call_begin(&call, kCpu, problem.get(), "c", nullptr);
    atc_trace_call_end(call);
    return status;
  });
  EXPECT(atc_trace_stop(nullptr) == ATC_OK);
}

template <typename T>
void check_store_options(const char* type, atc_status (*call)(atc_store* store, const T* options),
                         atc_store* store) {
  Guarded<T> options;
  options.set(T{});
  options->struct_size = sizeof(T);
  reads(type, options, [&] { return call(store, options.get()); });
}

// A bundle (an exported store) without entries.
struct Bundle {
  atc_bytes* bytes = nullptr;
  const void* data = nullptr;
  std::size_t size = 0;

  explicit Bundle(const atc_store* store) {
    EXPECT(atc_store_export(&bytes, store) == ATC_OK);
    data = atc_bytes_data(bytes);
    size = atc_bytes_size(bytes);
  }
  ~Bundle() { atc_bytes_destroy(bytes); }
  Bundle(const Bundle&) = delete;
  Bundle& operator=(const Bundle&) = delete;
};

void check_store() {
  const atc::test::TempFolder folder;
  atc_store* store = nullptr;
  EXPECT(atc_store_open(&store, folder.c_str(), ATC_STORE_READ_WRITE) == ATC_OK);
  check_store_options<atc_store_import_options>(
      "atc_store_import_options",
      [](atc_store* to, const atc_store_import_options* options) {
        const Bundle bundle(to);
        return atc_store_import(nullptr, nullptr, to, bundle.data, bundle.size, options);
      },
      store);
  check_store_options<atc_store_merge_options>(
      "atc_store_merge_options",
      [](atc_store* of, const atc_store_merge_options* options) {
        const Bundle bundle(of);
        atc_bytes* merged = nullptr;
        const atc_status status = atc_store_merge(&merged, &bundle.data, &bundle.size, 1, options);
        atc_bytes_destroy(merged);
        return status;
      },
      store);
  check_store_options<atc_store_put_options>(
      "atc_store_put_options",
      [](atc_store* to, const atc_store_put_options* options) {
        constexpr char kEntry[] =
            R"({"key": {"environment": {"device": "test"}, "problem": {"n": 1}},)"
            R"( "value": {"choice": {"engine": "a"}}})";
        return atc_store_put(to, kEntry, sizeof(kEntry) - 1, options);
      },
      store);
  atc_store_close(store);
}

}  // namespace

void check_read_structs() {
  check_store();
  check_problem();
  check_operands();
  check_options();
  check_settings();
  check_extensions();
  check_trace();
}
