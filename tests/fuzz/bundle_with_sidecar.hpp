// A bundle of one entry with a sidecar (a file of compiled plans that belongs to the entry). The
// entry's key is valid, but no convolution problem has this key.
#pragma once

namespace fuzz {

inline constexpr const char* kBundleWithSidecar =
    R"({"atc_bundle":2,"entries":1,"sidecars":1,"checksum":"6b5eea5773e97300"})"
    "\n"
    R"({"schema":1,"checksum":"4cb9c217bc85e632","key":{"environment":{"device":"none","schema":1},"problem":{"p":1}},"value":{"candidates":[{"configuration":"direct","deviation":0.0001,"engine":"reference","executions":60,"max":0.002,"mean":0.0015,"median":0.00125,"min":0.001,"outcome":1,"samples":30,"version":"1","workspace":0}],"choice":{"configuration":"direct","engine":"reference","version":"1"},"date":"2026-01-01T00:00:00Z","default":0,"executions":120,"host":"build","roster":[["reference","1"]],"seconds":0.25,"sidecar":{"bytes":162,"hash":"ab3b319b10f8e03b2c1db785589fe60d"},"technique":4,"winner":0}})"
    "\n"
    R"({"bytes":162,"hash":"ab3b319b10f8e03b2c1db785589fe60d","key":"93ffcb6e87ce013b25aa411b2ada59b2","zlib":"eJxLzs8tyMxJTVEoSa0oUchPU0jMU0jNS8/MS9VRyE4tKFHIzFNIVEgDKgFJZpYUK+SX5ykk01EXADI6OJg="})"
    "\n";

}  // namespace fuzz
