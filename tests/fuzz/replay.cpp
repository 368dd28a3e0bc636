// A main for fuzz targets where there is no libFuzzer: replays every file of a folder, then a
// number of random inputs, the same in every run. Usage: TARGET COUNT FOLDER, or TARGET FILE to
// replay one.
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

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void run(const Bytes& input) { LLVMFuzzerTestOneInput(input.data(), input.size()); }

// Half of the inputs are entirely random, half are a file of the corpus with a few bytes replaced.
// Each input is written to disk before it runs, so that one that crashes can be replayed.
void run_random(std::size_t count, const std::vector<Bytes>& corpus) {
  std::mt19937_64 random(20240229);
  const std::string last = "fuzz-last-input";
  for (std::size_t i = 0; i < count; ++i) {
    Bytes input = corpus.empty() || i % 2 == 0 ? Bytes(64 + random() % 192)
                                               : corpus[random() % corpus.size()];
    if (corpus.empty() || i % 2 == 0) {
      for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
    } else {
      for (int edits = 1 + random() % 4; edits > 0 && !input.empty(); --edits)
        input[random() % input.size()] = static_cast<std::uint8_t>(random());
    }
    std::ofstream(last, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
    run(input);
  }
  std::filesystem::remove(last);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    run(read(argv[1]));
    return 0;
  }
  if (argc != 3) return 2;
  std::set<std::filesystem::path> paths;  // sorted: the same inputs on every machine
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) paths.insert(entry.path());
  std::vector<Bytes> corpus;
  for (const std::filesystem::path& path : paths) corpus.push_back(read(path));
  for (const Bytes& input : corpus) run(input);
  const std::size_t count = std::strtoul(argv[1], nullptr, 10);
  run_random(count, corpus);
  std::printf("%zu files and %zu random inputs\n", corpus.size(), count);
  return corpus.empty();
}
