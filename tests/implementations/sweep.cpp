// Runs each implementation that oneDNN offers on random layers. The output and the workspace have
// guard regions. Each result is compared with the reference.
//
//   onednn_sweep [--layers N] [--seed S]
//
// Exit code 0: no finding. Exit code 1: findings. A finding is printed with the command that
// repeats it. Layer i of a run has the seed S + i, so `--layers 1 --seed S+i` runs layer i alone.
#include <dnnl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "core/format.hpp"
#include "engines/onednn/onednn_engine.hpp"
#include "implementations/layers.hpp"
#include "support/expected.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Fill;

// If a layer takes longer than this many seconds, an implementation counts as hanging. The layers
// are so small that they need far less time on any machine.
constexpr unsigned kHangs = 600;

// The text of the current layer and offer. The signal handler prints it after a crash.
std::array<char, 2048> under_way{};

void show_crash(int signal) {
  constexpr std::string_view kWords = "CRASHED OR HANGS in\n";
  const auto write = [](const char* text, std::size_t size) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, text, size);
  };
  write(kWords.data(), kWords.size());
  write(under_way.data(), ::strnlen(under_way.data(), under_way.size()));
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

struct Arguments {
  std::uint64_t layers = 200, seed = 1;
};

bool parse(int count, char** texts, Arguments& arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = texts[i], value = texts[i + 1];
    std::uint64_t* const target = name == "--layers" ? &arguments.layers
                                  : name == "--seed" ? &arguments.seed
                                                     : nullptr;
    if (target == nullptr) return false;
    const char* const end = value.data() + value.size();
    if (std::from_chars(value.data(), end, *target).ptr != end || value.empty()) return false;
  }
  return count % 2 == 1;
}

struct Counts {
  std::uint64_t offers = 0, findings = 0, without = 0;
  std::map<std::string, std::uint64_t> implementations;
};

std::string implementation_of(const std::string& configuration) {
  return configuration.substr(configuration.find("impl=") + 5);
}

// Runs the offer (one implementation of oneDNN) on the inputs. Returns a description of the offer's
// fault, or "" if the offer has no fault.
std::string fault_of(const Engine& engine, const Problem& problem, const Offer& offer,
                     std::array<test::Inputs, 2>& inputs,
                     const std::array<test::Expected, 2>& expected) {
  try {
    const auto prepared = engine.prepare(problem, {}, offer.configuration);
    for (std::size_t pass = 0; pass < inputs.size(); ++pass) {
      test::Workspace workspace(prepared->workspace_size());
      GuardedBuffer output(problem.output());
      inputs[pass].reset(output);
      prepared->execute(inputs[pass].with_output(output.data()), workspace.data(), nullptr);
      if (std::string violation = workspace.violation(); !violation.empty()) return violation;
      if (std::string wrong = expected[pass].compare(output); !wrong.empty()) return wrong;
    }
  } catch (const std::exception& error) {
    return format("threw: {}", error.what());
  }
  return "";
}

void check_layer(const Engine& engine, std::uint64_t seed, Counts& counts) {
  const Problem problem = test::draw_layer(seed);
  std::string why_not;
  const std::vector<Offer> offers = engine.offers(problem, {}, why_not);
  if (offers.empty()) ++counts.without;
  std::array<test::Inputs, 2> inputs{test::Inputs{problem, Fill::ternary, seed},
                                     test::Inputs{problem, Fill::normal, seed}};
  const std::array<test::Expected, 2> expected{test::Expected{problem, inputs[0], Fill::ternary},
                                               test::Expected{problem, inputs[1], Fill::normal}};
  for (const Offer& offer : offers) {
    const std::string repeat = format("onednn_sweep --layers 1 --seed {}\n  {}\n  {}\n", seed,
                                      test::label(problem), offer.configuration);
    std::strncpy(under_way.data(), repeat.c_str(), under_way.size() - 1);
    ::alarm(kHangs);
    ++counts.offers;
    ++counts.implementations[implementation_of(offer.configuration)];
    const std::string fault = fault_of(engine, problem, offer, inputs, expected);
    if (fault.empty()) continue;
    ++counts.findings;
    std::printf("FOUND %s  %s\n", repeat.c_str(), fault.c_str());
  }
}

int run(const Arguments& arguments) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
    std::signal(signal, show_crash);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const auto engine = make_onednn_engine();
  std::printf("oneDNN %s, instruction sets up to %#x\n", engine->version().c_str(),
              static_cast<unsigned>(dnnl_get_effective_cpu_isa()));
  Counts counts;
  for (std::uint64_t i = 0; i < arguments.layers; ++i)
    check_layer(*engine, arguments.seed + i, counts);
  for (const auto& [name, count] : counts.implementations)
    std::printf("  %6llu %s\n", static_cast<unsigned long long>(count), name.c_str());
  std::printf("%llu layers, %llu without an offer, %llu offers, %llu findings\n",
              static_cast<unsigned long long>(arguments.layers),
              static_cast<unsigned long long>(counts.without),
              static_cast<unsigned long long>(counts.offers),
              static_cast<unsigned long long>(counts.findings));
  return counts.findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace atc

int main(int count, char** texts) {
  atc::Arguments arguments;
  if (!atc::parse(count, texts, arguments)) {
    std::fputs("usage: onednn_sweep [--layers N] [--seed S]\n", stderr);
    return 2;
  }
  return atc::run(arguments);
}
