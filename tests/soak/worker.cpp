#include "worker.hpp"

namespace soak {

namespace {

constexpr atc_device kCpu = {ATC_DEVICE_CPU, 0};
// The budget of a race (the timing of the candidates) in seconds. The budget is long enough for a
// few candidates of such small layers.
constexpr double kRaceSeconds = 0.01;
constexpr const char* kReference = "reference@1:direct";
// The techniques (methods of timing candidates) whose races end after a number of executions. With
// the other techniques a race takes some seconds.
constexpr atc_technique kTechniques[] = {ATC_TECHNIQUE_ONCE, ATC_TECHNIQUE_MEDIAN_OF_THREE,
                                         ATC_TECHNIQUE_INTERLEAVED};

}  // namespace

Worker::Worker(const World& world, std::size_t number)
    : world_(world),
      number_(number),
      random_(world.options.seed, 1 + number),
      calls_(world.report),
      stores_(world.report, world.store_folder, kCpu,
              {ATC_STORE_READ_WRITE, ATC_STORE_READ_WRITE, ATC_STORE_READ_WRITE,
               ATC_STORE_READ_WRITE, ATC_STORE_READ, ATC_STORE_OFF, ATC_STORE_REPLAY_ONLY}),
      engine_(world.report, number) {}

void Worker::run(Rest& rest) {
  warm_up();
  while (rest.carry_on([this] { stores_.let_go(); })) act();
}

void Worker::warm_up() {
  engine_.flip();
  for (std::size_t i = number_; i < world_.layers.size(); i += world_.options.threads) {
    const Layer& layer = *world_.layers[i];
    for (std::size_t way = 0; way < 12; ++way) call(layer, i);
    if (!is_raced(i)) continue;
    for (int times = 0; times < 4; ++times) race(layer);
    for (int times = 0; times < 9; ++times) stores_.act(random_, layer.problem());
  }
  for (int times = 0; times < 20; ++times) world_.switches.toggle(random_);
  clear();
}

void Worker::act() {
  const std::size_t index = random_.below(world_.layers.size());
  const Layer& layer = *world_.layers[index];
  const std::size_t drawn = random_.below(100);
  if (drawn < 70) {
    call(layer, index);
  } else if (drawn < 73) {
    race(*world_.layers[index / kRacedOneIn * kRacedOneIn]);
  } else if (drawn < 83) {
    world_.switches.toggle(random_);
  } else if (drawn < 84) {
    world_.switches.restore();
  } else if (drawn < 94) {
    stores_.act(random_, world_.layers[index / kRacedOneIn * kRacedOneIn]->problem());
  } else if (drawn < 99) {
    engine_.flip();
  } else {
    clear();
  }
}

void Worker::call(const Layer& layer, std::size_t index) {
  const std::size_t drawn = random_.below(14);
  const Terms terms = Terms::drawn(random_, stores_.any(random_));
  const bool staged = random_.once_in(2);
  const std::string other = other_engine();
  if (drawn < 6) {
    calls_.eager(layer);
  } else if (drawn < 9) {
    calls_.plan(layer, terms, 1 + drawn % 3);
  } else if (drawn < 10) {
    calls_.acquired(layer, random_.once_in(2));
  } else if (drawn < 11) {
    calls_.packed(layer, terms);
  } else if (drawn < 12) {
    calls_.given(layer, kReference, false);
  } else if (drawn < 13 || !suits_own_engine(layer.known())) {
    if (layer.known().batch() > 0) calls_.given(layer, world_.choices[index], false);
  } else {
    calls_.given(layer, other + "@1:" + (staged ? "staged" : "direct"), true);
  }
}

void Worker::race(const Layer& layer) {
  const std::string barred[] = {"", "onednn", "reference", other_engine()};
  const std::string& drawn = random_.of(barred);
  calls_.race(layer, stores_.any(random_), drawn, random_.of(kTechniques), kRaceSeconds);
}

std::string Worker::other_engine() {
  return "soak-" + std::to_string(random_.below(world_.options.threads));
}

void Worker::clear() {
  world_.report.done(atc_cache_clear(), "atc_cache_clear", "the plans");
  world_.report.count(Kind::cache_clear);
}

}  // namespace soak
