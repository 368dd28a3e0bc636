// Tests how atc finds and checks cuDNN, cuBLASLt and NVML, and convolutions without these
// libraries. Stubs in folders of the library path replace the libraries, and a stub with two
// devices replaces the driver. Each case runs in a child process, because a process loads each
// library once.
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cuda_calls.hpp"
#include "support/child.hpp"

namespace {

using atc::test::in_child;
using atc_test::expect_cuda_convolutions_refused;
using atc_test::expect_the_cpu_to_convolve;
using atc_test::library;
using testing::HasSubstr;
using testing::Not;

constexpr atc_device kSecond = {ATC_DEVICE_CUDA, 1};

std::string folder(const std::string& name) { return ATC_TEST_STUBS "/" + name; }

using Variables = std::vector<std::pair<const char*, const char*>>;

// Runs `check` in a child process that has these environment variables, and that finds the stub of
// the driver and the stubs in the folders `names`.
void with_stubs(const std::vector<std::string>& names, const Variables& variables,
                const std::function<void()>& check) {
  in_child([&] {
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    std::string path = ATC_TEST_DRIVER;
    for (const std::string& name : names) path += ":" + folder(name);
    ASSERT_DONE(atc_set_library_path(path.c_str()));
    check();
  });
}

std::string remarks(const char* name) { return library(name).remarks; }

// ---- cuDNN
// ----------------------------------------------------------------------------------------

TEST(Cudnn, IsDescribed) {
  with_stubs({"cudnn"}, {}, [] {
    const atc_library_info cudnn = library("cuDNN");
    EXPECT_EQ(cudnn.loaded, 1);
    EXPECT_STREQ(cudnn.version, "9.19.0");
    EXPECT_EQ(cudnn.file, folder("cudnn") + "/libcudnn.so.9");
    EXPECT_STREQ(cudnn.note, "");
    EXPECT_THAT(cudnn.remarks, Not(HasSubstr("part")));
    EXPECT_THAT(cudnn.remarks, Not(HasSubstr("compute capability")));
    std::int64_t version = 0;
    EXPECT_DONE(atc_cudnn_version(&version));
    EXPECT_EQ(version, 91900);
  });
}

TEST(Cudnn, TheFaultsOfItsVersionAreTold) {
  with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_VERSION", "91200"}}, [] {
    EXPECT_THAT(remarks("cuDNN"), HasSubstr("9.12.0 is known for a broken TF32 kernel"));
    EXPECT_THAT(remarks("cuDNN"), HasSubstr("wrong results for bf16 and f16 in three dimensions"));
  });
  with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_VERSION", "92000"}},
             [] { EXPECT_THAT(remarks("cuDNN"), Not(HasSubstr("three dimensions"))); });
}

// Returns the row of the named fault (a known fault of cuDNN) from the text of atc_faults_describe.
std::string fault(const std::string& name) {
  atc_bytes* bytes = nullptr;
  EXPECT_DONE(atc_faults_describe(&bytes));
  const std::string text(atc_bytes_data(bytes), atc_bytes_size(bytes));
  atc_bytes_destroy(bytes);
  const std::size_t at = text.find("\"name\":\"" + name + "\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('{', at);
  return text.substr(begin, text.find('}', at) - begin);
}

TEST(Cudnn, TheListOfFaultsSaysWhichApply) {
  with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_VERSION", "91200"}}, [] {
    EXPECT_THAT(fault("cudnn-tf32-3d"), HasSubstr("\"running\":\"9.12.0\""));
    EXPECT_THAT(fault("cudnn-tf32-3d"), HasSubstr("\"applies\":true"));
    EXPECT_THAT(fault("cudnn-engine-5-sm86"), HasSubstr("\"applies\":false"));
  });
  with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_VERSION", "92000"}},
             [] { EXPECT_THAT(fault("cudnn-tf32-3d"), HasSubstr("\"applies\":false")); });
}

TEST(Cudnn, TheListOfFaultsHasTheRulesOfAnErrataFile) {
  const std::string file = testing::TempDir() + "errata.json";
  std::ofstream(file) << R"({"version": 1, "rules": [{"rule_id": "old", "operation": "ConvFwd",
      "engine": 42, "cudnn_version_end": 91200}, {"rule_id": "new", "operation": "ConvFwd",
      "engine": 42, "cudnn_version_start": 91200}]})";
  with_stubs({"cudnn"},
             {{"ATC_STUB_CUDNN_VERSION", "91200"}, {"CUDNN_ERRATA_JSON_FILE", file.c_str()}}, [] {
               EXPECT_THAT(fault("old"), HasSubstr("\"applies\":false"));
               EXPECT_THAT(fault("new"), HasSubstr("\"applies\":true"));
               EXPECT_THAT(fault("new"), HasSubstr("errata.json"));
             });
}

// If a library cannot be used, the field `note` of atc_library_info says why, and what the user can
// do about it. `note` has room for 511 characters. If the path of the library is so long that the
// text is cut off, the advice must still be complete. So it stands before the path.
TEST(Cudnn, TheWayOutStandsBeforeALongPath) {
  const auto far = [](std::string name) {
    for (int i = 0; i < 400; ++i) name += "/.";
    return name;
  };
  for (const auto& [name, variables] : std::vector<std::pair<std::string, Variables>>{
           {"cudnn", {{"ATC_STUB_CUDNN_VERSION", "90100"}}},
           {"cudnn", {{"ATC_STUB_CUDNN_CUDART", "13000"}}},
           {"cudnn_torn", {}}})
    with_stubs({far(name)}, variables, [] {
      EXPECT_THAT(library("cuDNN").note, HasSubstr("install"));
      EXPECT_THAT(library("cuDNN").note, HasSubstr("ATC_LIBRARY_PATH"));
    });
}

TEST(Cudnn, ADeviceThatItDoesNotKnowYetIsTold) {
  with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_DEVICE", "910"}}, [] {
    EXPECT_THAT(remarks("cuDNN"), HasSubstr("up to 9.1, cuda:1 (Stub 200) is of 10.3"));
    EXPECT_THAT(remarks("cuDNN"), Not(HasSubstr("cuda:0")));
  });
}

TEST(Cudnn, APartOfAnotherVersionIsAnErrorThatNamesTheFiles) {
  with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_OPS", "1002"}}, [] {
    for (const std::string& named :
         {folder("cudnn") + "/libcudnn.so.9", folder("cudnn") + "/libcudnn_ops.so.9",
          std::string("ATC_LIBRARY_PATH")}) {
      EXPECT_THAT(remarks("cuDNN"), HasSubstr(named));
      expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, named.c_str());
      expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, named.c_str(), kSecond);
    }
    expect_the_cpu_to_convolve();
  });
}

// Expects that atc calls cuDNN for a convolution. The call fails with an error that only the stub
// of cuDNN returns.
void expect_cudnn_to_be_used() {
  const atc_conv_problem problem = atc_test::small_problem();
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kSecond, &problem, nullptr), ATC_ERROR_DEVICE,
                 "OF_THE_STUB");
}

// Convolutions do not use the part libcudnn_adv of cuDNN. So a wrong version of this part is
// reported, but is no error.
TEST(Cudnn, APartThatIsNotUsedIsNoError) {
  with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_ADV", "1002"}}, [] {
    EXPECT_THAT(remarks("cuDNN"), HasSubstr("libcudnn_adv.so.9"));
    expect_cudnn_to_be_used();
  });
}

// Returns the path of the named part of cuDNN if the process has loaded this part, otherwise "".
std::string loaded_part(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return "";
  return map->l_name;
}

TEST(Cudnn, ThePartsOfNewerVersionsAreKnown) {
  with_stubs({"cudnn_new"}, {}, [] {
    expect_cudnn_to_be_used();
    EXPECT_EQ(loaded_part("libcudnn_engines_tensor_ir.so.9"),
              folder("cudnn_new") + "/libcudnn_engines_tensor_ir.so.9");
    // Convolutions do not use the part libcudnn_ext of cuDNN, so atc has not loaded it yet.
    EXPECT_EQ(loaded_part("libcudnn_ext.so.9"), "");
    EXPECT_THAT(remarks("cuDNN"), Not(HasSubstr("part")));
    EXPECT_EQ(loaded_part("libcudnn_ext.so.9"), folder("cudnn_new") + "/libcudnn_ext.so.9");
  });
  with_stubs({"cudnn_new"}, {{"ATC_STUB_CUDNN_EXT", "1002"}}, [] {
    EXPECT_THAT(remarks("cuDNN"), HasSubstr(folder("cudnn_new") + "/libcudnn_ext.so.9"));
    expect_cudnn_to_be_used();
  });
  with_stubs({"cudnn_new_reduced"}, {}, [] {
    EXPECT_THAT(remarks("cuDNN"), HasSubstr("libcudnn_ext.so.9, which convolutions may do"));
    EXPECT_THAT(remarks("cuDNN"), Not(HasSubstr("tensor_ir")));
    expect_cudnn_to_be_used();
  });
}

TEST(Cudnn, ANewerPartOfAnotherInstallIsAnError) {
  in_child([] {
    const std::string part = folder("cudnn_other") + "/libcudnn_engines_tensor_ir.so.9";
    ASSERT_NE(dlopen(part.c_str(), RTLD_NOW), nullptr);
    with_stubs({"cudnn_new"}, {},
               [&] { expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, part.c_str(), kSecond); });
    // The stub `cudnn` stands for a version of cuDNN without the part libcudnn_engines_tensor_ir.
    // So the wrong file of this part is not used, and is no error.
    with_stubs({"cudnn"}, {}, [] { expect_cudnn_to_be_used(); });
  });
}

TEST(Cudnn, APartThatIsMissingIsTold) {
  with_stubs({"cudnn_reduced"}, {}, [] {
    const std::string file = folder("cudnn_reduced") + "/libcudnn.so.9";
    EXPECT_THAT(remarks("cuDNN"), HasSubstr(file + " lacks its part libcudnn_ops.so.9"));
    EXPECT_THAT(remarks("cuDNN"), HasSubstr("libcudnn_cnn.so.9, which convolutions may do"));
    expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, "lacks its part libcudnn_ops.so.9");
    expect_the_cpu_to_convolve();
  });
}

// The process has loaded a part of cuDNN from another folder, but the file is an identical copy.
// This is reported, but is no error.
TEST(Cudnn, PartsFromTwoFoldersAreTold) {
  in_child([] {
    ASSERT_NE(dlopen((folder("cudnn_copy") + "/libcudnn_ops.so.9").c_str(), RTLD_NOW), nullptr);
    with_stubs({"cudnn"}, {}, [] {
      EXPECT_THAT(remarks("cuDNN"), HasSubstr("parts of cuDNN are loaded from"));
      EXPECT_THAT(remarks("cuDNN"), HasSubstr(folder("cudnn") + ":"));
      EXPECT_THAT(remarks("cuDNN"), HasSubstr(folder("cudnn_copy")));
      EXPECT_THAT(remarks("cuDNN"), Not(HasSubstr("in place of its own part")));
    });
    // atc checks the version of the part that was really loaded. This is the copy in the other
    // folder, so the error names the copy.
    with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_OPS", "1002"}}, [] {
      const std::string part = folder("cudnn_copy") + "/libcudnn_ops.so.9";
      expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, part.c_str());
    });
  });
}

// The versions of libcudnn.so.9 and of libcudnn_ops.so.9 differ. cuDNN compares its parts with each
// other, but not with libcudnn.so.9. So atc itself must find this mix.
TEST(Cudnn, APartOfAnotherInstallIsAnErrorThatNamesTheFiles) {
  in_child([] {
    ASSERT_NE(dlopen((folder("cudnn_other") + "/libcudnn_ops.so.9").c_str(), RTLD_NOW), nullptr);
    with_stubs({"cudnn"}, {}, [] {
      for (const std::string& named :
           {folder("cudnn") + "/libcudnn.so.9 finds ", folder("cudnn_other") + "/libcudnn_ops.so.9",
            std::string("LD_LIBRARY_PATH")}) {
        EXPECT_THAT(remarks("cuDNN"), HasSubstr(named));
        expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, named.c_str(), kSecond);
      }
      expect_the_cpu_to_convolve();
    });
  });
}

TEST(Cudnn, WithoutItsFirstPartItIsNotEvenAskedForItsVersion) {
  with_stubs({"cudnn_torn"}, {}, [] {
    const atc_library_info cudnn = library("cuDNN");
    EXPECT_STREQ(cudnn.version, "");
    EXPECT_THAT(cudnn.note, HasSubstr(folder("cudnn_torn") + "/libcudnn.so.9 lacks its part"));
    EXPECT_THAT(cudnn.note, HasSubstr("libcudnn_graph.so.9"));
    expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, "libcudnn_graph.so.9");
    expect_the_cpu_to_convolve();
  });
}

TEST(Cudnn, ADriverThatIsTooOldIsAnErrorThatSaysSo) {
  const Variables newer = {{"ATC_STUB_CUDNN_CUDART", "13000"}};
  with_stubs({"cudnn"}, newer, [] {
    for (const char* named :
         {"/libcudnn.so.9 was built for CUDA 13.0", "driver is for CUDA 12.8"}) {
      EXPECT_THAT(library("cuDNN").note, HasSubstr(named));
      expect_cuda_convolutions_refused(ATC_ERROR_LIBRARY, named, kSecond);
    }
    std::int32_t available = -1;
    EXPECT_DONE(atc_cudnn_is_available(&available));
    EXPECT_EQ(available, 0);
    expect_the_cpu_to_convolve();
  });
  // Different minor versions of CUDA are no error, because only the major version has to be the
  // same.
  with_stubs({"cudnn"}, {{"ATC_STUB_CUDNN_CUDART", "13010"}, {"ATC_STUB_DRIVER_VERSION", "13000"}},
             [] { EXPECT_STREQ(library("cuDNN").note, ""); });
}

// ---- cuBLASLt
// -------------------------------------------------------------------------------------

TEST(CublasLt, IsDescribed) {
  with_stubs({"cublas12"}, {}, [] {
    const atc_library_info cublas = library("cuBLASLt");
    EXPECT_EQ(cublas.loaded, 1);
    EXPECT_STREQ(cublas.version, "12.2.3");
    EXPECT_EQ(cublas.file, folder("cublas12") + "/libcublasLt.so.12");
    EXPECT_STREQ(cublas.note, "");
  });
}

TEST(CublasLt, TheFirstFolderOfThePathDecidesBetweenVersions) {
  const Variables newer = {{"ATC_STUB_DRIVER_VERSION", "13000"}};
  with_stubs({"cublas12", "cublas13"}, newer,
             [] { EXPECT_STREQ(library("cuBLASLt").version, "12.2.3"); });
  with_stubs({"cublas13", "cublas12"}, newer,
             [] { EXPECT_STREQ(library("cuBLASLt").version, "13.2.3"); });
}

TEST(CublasLt, ThePathGoesBeforeWhatIsLoadedAndThatBeforeTheSystem) {
  in_child([] {
    ASSERT_NE(dlopen((folder("cublas12") + "/libcublasLt.so.12").c_str(), RTLD_NOW), nullptr);
    with_stubs({}, {}, [] {
      EXPECT_EQ(library("cuBLASLt").file, folder("cublas12") + "/libcublasLt.so.12");
    });
    with_stubs({"cublas13"}, {{"ATC_STUB_DRIVER_VERSION", "13000"}},
               [] { EXPECT_STREQ(library("cuBLASLt").version, "13.2.3"); });
  });
}

TEST(CublasLt, ADriverThatIsTooOldIsTold) {
  with_stubs({"cublas13"}, {}, [] {
    EXPECT_THAT(library("cuBLASLt").note, HasSubstr("libcublasLt.so.13 was built for CUDA 13.0"));
  });
}

bool system_has(const char* name) {
  void* const handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  return handle != nullptr && dlclose(handle) == 0;
}

TEST(CublasLt, ItsAbsenceIsToldWithACure) {
  if (system_has("libcublasLt.so.13") || system_has("libcublasLt.so.12"))
    GTEST_SKIP() << "this system has a cuBLASLt";
  with_stubs({}, {}, [] {
    const atc_library_info cublas = library("cuBLASLt");
    EXPECT_EQ(cublas.loaded, 0);
    EXPECT_THAT(cublas.note, HasSubstr("libcublasLt.so.13"));
    EXPECT_THAT(cublas.note, HasSubstr("ATC_LIBRARY_PATH"));
  });
}

// ---- NVML
// -----------------------------------------------------------------------------------------

TEST(Nvml, IsDescribed) {
  with_stubs({"nvml"}, {}, [] {
    const atc_library_info nvml = library("NVML");
    EXPECT_EQ(nvml.loaded, 1);
    EXPECT_STREQ(nvml.version, "580.12.34");
    EXPECT_EQ(nvml.file, folder("nvml") + "/libnvidia-ml.so.1");
    EXPECT_STREQ(nvml.note, "");
  });
}

TEST(Nvml, ItMayForbid) {
  with_stubs({"nvml", "cudnn"}, {{"ATC_STUB_NVML", "refuses"}}, [] {
    EXPECT_THAT(library("NVML").note, HasSubstr("refused with nvmlReturn 4"));
    std::int32_t available = -1;
    EXPECT_DONE(atc_cudnn_is_available(&available));
    EXPECT_EQ(available, 1);
  });
}

TEST(Nvml, ItMayBeAbsent) {
  if (system_has("libnvidia-ml.so.1")) GTEST_SKIP() << "this system has NVML";
  with_stubs({"cudnn"}, {}, [] {
    EXPECT_EQ(library("NVML").loaded, 0);
    EXPECT_THAT(library("NVML").note, HasSubstr("libnvidia-ml.so.1 was not found"));
    EXPECT_STREQ(library("cuDNN").note, "");
  });
}

// ---- All libraries
// ------------------------------------------------------------------------------------------

TEST(Libraries, NoneIsOpenedWithoutADevice) {
  with_stubs({"cudnn", "cublas12", "nvml"}, {{"ATC_STUB_DRIVER", "none"}}, [] {
    for (const char* name : {"cuDNN", "cuBLASLt", "NVML"}) {
      EXPECT_EQ(library(name).loaded, 0) << name;
      EXPECT_THAT(library(name).note, HasSubstr("no CUDA device can be used")) << name;
    }
  });
}

}  // namespace
