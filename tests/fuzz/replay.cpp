// A main for fuzz targets in builds without libFuzzer. It runs the target on every file of a
// folder, and then on changed files and random bytes for some seconds. The order of the inputs is
// the same in every run. A target's own mutator is used if there is one. Usage: TARGET SECONDS
// FOLDER, or TARGET FILE to run a single input.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
// This function is a weak symbol. Its address is null if the fuzz target has no mutator of its own.
// Most targets have none.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                                                     std::size_t size,
                                                                     std::size_t most,
                                                                     unsigned seed);

namespace {

using Bytes = std::vector<std::uint8_t>;

// the largest size of a changed input in bytes; libFuzzer has the same limit
constexpr std::size_t kMost = 4096;

std::mt19937_64& random_numbers() {
  static std::mt19937_64 numbers(20240229);
  return numbers;
}

std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_numbers()() % limit; }

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void run(const Bytes& input) { LLVMFuzzerTestOneInput(input.data(), input.size()); }

Bytes random_bytes() {
  Bytes bytes(64 + below(192));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(below(256));
  return bytes;
}

Bytes changed(Bytes input) {
  const std::size_t before = std::min(input.size(), kMost);
  input.resize(kMost);
  const auto seed = static_cast<unsigned>(below(1u << 31));
  std::size_t size = before;
  if (LLVMFuzzerCustomMutator != nullptr)
    size = LLVMFuzzerCustomMutator(input.data(), size, kMost, seed);
  else
    for (std::size_t edits = 1 + below(4); edits > 0; --edits)
      size = LLVMFuzzerMutate(input.data(), size, kMost);
  input.resize(size);
  return input;
}

// Runs the target on changed inputs for this many seconds. Each input is written to the file `last`
// before it runs, so that an input that crashes the target can be run again.
std::size_t run_changed(double seconds, const std::string& last, const std::vector<Bytes>& corpus) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  std::size_t count = 0;
  for (; Clock::now() < end; ++count) {
    const Bytes input = count % 8 == 0 ? random_bytes() : changed(corpus[below(corpus.size())]);
    std::ofstream(last, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
    run(input);
  }
  std::filesystem::remove(last);
  return count;
}

}  // namespace

// A small replacement for libFuzzer's function of this name. Changes the bytes in one place, and
// returns the new size.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  const auto byte = static_cast<std::uint8_t>(below(256));
  if (size == 0) {
    if (most > 0) data[0] = byte;
    return std::min<std::size_t>(most, 1);
  }
  const std::size_t at = below(size), length = 1 + below(std::min<std::size_t>(size - at, 8));
  switch (below(4)) {
    case 0:
      data[at] = byte;
      return size;
    case 1:
      data[at] = static_cast<std::uint8_t>(data[at] ^ 1u << below(8));
      return size;
    case 2:
      std::copy(data + at + length, data + size, data + at);
      return size - length;
    default: {  // inserts a copy of a part of the input at another place
      if (size + length > most) return size;
      const Bytes part(data + at, data + at + length);
      const std::size_t to = below(size + 1);
      std::copy_backward(data + to, data + size, data + size + length);
      std::copy(part.begin(), part.end(), data + to);
      return size + length;
    }
  }
}

int main(int argc, char** argv) {
  if (argc == 2) {
    run(read(argv[1]));
    return 0;
  }
  if (argc != 3) return 2;
  // the files of the corpus, sorted so that the inputs have the same order on every machine
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) paths.insert(entry.path());
  std::vector<Bytes> corpus;
  for (const std::filesystem::path& path : paths) corpus.push_back(read(path));
  if (corpus.empty()) return 1;
  for (const Bytes& input : corpus) run(input);
  const std::string last = std::filesystem::path(argv[0]).filename().string() + "-last-input";
  const std::size_t count = run_changed(std::strtod(argv[1], nullptr), last, corpus);
  std::printf("%zu files and %zu changed inputs\n", corpus.size(), count);
  return 0;
}
