// A bundle (an exported store) that atc has written. It has the entries 1 to 3 of entry_text()
// (session.hpp) with the configuration "bundled". The first entry has a compiled part.
#pragma once

namespace atc_sweep {

inline constexpr const char* kCompiledBundle =
    R"({"atc_bundle":2,"entries":3,"sidecars":1,"checksum":"0c3a919769be4dc5"})"
    "\n"
    R"({"schema":1,"checksum":"8610c0010e531f9a","key":{"environment":{"device":"sweep 0"},"problem":{"n":2}},"value":{"choice":{"configuration":"bundled","engine":"reference","version":"1"}}})"
    "\n"
    R"({"schema":1,"checksum":"2d05ed37d1ad8ab6","key":{"environment":{"device":"sweep 1"},"problem":{"n":1}},"value":{"choice":{"configuration":"bundled","engine":"reference","version":"1"},"sidecar":{"bytes":23,"hash":"f0b6097930d9012feda198db47cd386c"}}})"
    "\n"
    R"({"schema":1,"checksum":"a4d19e4c00ad58e6","key":{"environment":{"device":"sweep 1"},"problem":{"n":3}},"value":{"choice":{"configuration":"bundled","engine":"reference","version":"1"}}})"
    "\n"
    R"({"bytes":23,"hash":"f0b6097930d9012feda198db47cd386c","key":"923c4475774bdcf50c057bbbeeaf1e9c","zlib":"eJwrz0gsUUhUyMlMKkosqlRIzs8tyMxJTQEAZl0IuA=="})"
    "\n";

}  // namespace atc_sweep
