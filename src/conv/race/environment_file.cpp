#include "conv/race/environment_file.hpp"

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"
#include "store/files.hpp"
#include "store/hash.hpp"
#include "store/strict_json.hpp"
#include "store/trust.hpp"

namespace atc::conv {

std::string EnvironmentFile::name(const store::Json& environment) const {
  return format("{}-{}.json", kind, store::hex64(store::hash64(environment.dump())));
}

bool EnvironmentFile::read(const store::Json& environment, const store::Store& store,
                           const std::function<void(const store::Json&)>& take) const {
  // If the store does not work, its folder may not exist, so no file is read.
  if (!store.trouble().empty()) return true;
  const std::string path = (store.directory() / name(environment)).string();
  const store::FileText file = store::read_file(path, most_bytes);
  if (file.state == store::FileText::State::absent) return true;
  std::string trouble = file.reason;
  if (file.state == store::FileText::State::read) {
    try {
      store::Json json;
      if (store::parse_strictly(file.text, &json, &trouble)) {
        take(json);
        return true;
      }
    } catch (const store::Json::exception& error) {
      trouble = error.what();
    } catch (const Error& error) {
      trouble = error.what();
    }
  }
  log_once(LogLevel::warning, format("{} is taken for absent: {}{}", path, trouble, effect));
  return false;
}

int EnvironmentFile::write(const store::Json& environment, const store::Store& store,
                           const std::string& text) const {
  store::WriteOptions options;
  options.mode = store::file_mode(store::sharing_of_process());
  return store::write_file(store.directory().string() + "/.", name(environment), text, options,
                           nullptr);
}

}  // namespace atc::conv
