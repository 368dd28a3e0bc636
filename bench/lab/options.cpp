#include "options.hpp"

#include "cells.hpp"
#include "command_line.hpp"

namespace atc::lab {

namespace {

constexpr const char* kUsage =
    R"(usage: {} [options]
  --family NAME        first, dense, pointwise, 3d, grouped, depthwise, depthwise-1d, patch,
                       video-patch, batch-1; default all
  --layers NAME,...    those alone
  --ops OP,...         forward, forward-bias, backward-data, backward-weight; default all
  --sets SET,...       {{fp32,tf32,fp16,bf16}}-{{first,last}}; default all
  --engines NAME,...   who may race, such as cudnn; default everybody but the reference
  --budget SECONDS     of one race; default 10
  --total SECONDS      after which no race is begun; what is left is said
  --out FILE           one JSON line per race; default standard output
  --resume             leave out what FILE has already
  --shapes FILE, --classes FILE, --commit TEXT
)";

const std::vector<std::string> kFamilies = {"all",   "first",       "dense",     "pointwise",
                                            "3d",    "grouped",     "depthwise", "depthwise-1d",
                                            "patch", "video-patch", "batch-1"};

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  options.ops = kOps;
  options.sets = kSets;
  bench::CommandLine line(kUsage);
  line.text("family", options.family);
  line.texts("layers", options.layers);
  line.texts("ops", options.ops);
  line.texts("sets", options.sets);
  line.texts("engines", options.engines);
  line.number("budget", options.budget);
  line.number("total", options.total);
  line.text("out", options.out);
  line.flag("resume", options.resume);
  line.text("shapes", options.shapes);
  line.text("classes", options.classes);
  line.text("commit", options.commit);
  line.parse(argc, argv);
  if (options.resume && options.out.empty()) line.refuse();
  bench::expect_one_of("family", kFamilies, {options.family});
  bench::expect_one_of("ops", kOps, options.ops);
  bench::expect_one_of("sets", kSets, options.sets);
  return options;
}

}  // namespace atc::lab
