// Tests a store that consists of several folders (layers). A look-up joins the entries of all
// layers. Only the first layer is written.
#include "store/layered_store.hpp"

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "fixtures.hpp"
#include "store/bundle.hpp"
#include "store/join.hpp"
#include "store/origin.hpp"

namespace atc::store::testing {
namespace {

using ::testing::HasSubstr;

constexpr Secret kTheirs{5, 6};

Json firm(const std::string& configuration, int roster) {
  Json made = value(configuration);
  for (int i = 0; i < roster; ++i) made["roster"].push_back({"e" + std::to_string(i), "1"});
  return made;
}

Json provisional(const std::string& configuration, int roster) {
  Json made = firm(configuration, roster);
  made[kProvisional] = {{"risk", 0.1}};
  return made;
}

class Layers : public ::testing::Test {
 protected:
  // Opens a store that consists of the folders "mine", "fleet" and "pack", in this order.
  void open_all(Mode mode = Mode::read_write) {
    Options options;
    options.mode = mode;
    options.secret = kSecret;
    options.warn = [this](const std::string& line) { warnings_.push_back(line); };
    store_ = open_layers({scratch_ / "mine", scratch_ / "fleet", scratch_ / "pack"}, options);
  }
  std::unique_ptr<Opened> layer(const char* name, std::optional<Secret> secret = kSecret) {
    return open(scratch_ / name, Mode::read_write, 1'000'000, secret);
  }
  std::shared_ptr<const Entry> get(int channels) { return store_->get(key(channels)); }

  const Scratch scratch_;
  std::vector<std::string> warnings_;
  std::shared_ptr<Store> store_;
};

TEST_F(Layers, ALookUpTakesTheBestOfAllLayers) {
  (*layer("mine"))->put(key(1), provisional("mine", 2));
  (*layer("fleet"))->put(key(1), firm("fleet", 2));
  (*layer("pack"))->put(key(2), firm("pack", 2));
  open_all();
  EXPECT_EQ(choice(get(1)), "fleet");
  EXPECT_EQ(choice(get(2)), "pack");
  EXPECT_EQ(get(3), nullptr);
  EXPECT_EQ(get(1), get(1)) << "it was joined again";
  EXPECT_EQ(store_->size(), 2U);
  const auto family = store_->find(environment(), "forward c1", [](const Entry&) { return true; });
  ASSERT_EQ(family.size(), 1U);
  EXPECT_EQ(choice(family.front()), "fleet");
  // A change in any folder (layer) of the store must be seen by the next look-up.
  (*layer("pack"))->put(key(1), firm("pack", 3));
  EXPECT_EQ(choice(get(1)), "pack");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Layers, OnlyTheFirstLayerIsWritten) {
  (*layer("fleet"))->put(key(1), firm("fleet", 2));
  layer("pack");
  const auto before = snapshot(scratch_ / "fleet");
  open_all();
  EXPECT_TRUE(store_->put(key(1), firm("new", 3)));
  EXPECT_TRUE(store_->put(key(2), firm("new", 3)));
  EXPECT_EQ(choice(get(1)), "new");
  EXPECT_TRUE(store_->remove(key(1)));
  EXPECT_EQ(choice(get(1)), "fleet") << "the other layer keeps it";
  EXPECT_EQ(snapshot(scratch_ / "fleet"), before);
  EXPECT_EQ(choice(open(scratch_ / "mine", Mode::read)->store->get(key(2))), "new");
}

TEST_F(Layers, TheEnvironmentsAreThoseOfAllLayers) {
  (*layer("mine"))->put(key(1), firm("mine", 2));
  (*layer("fleet"))->put(key(1), firm("fleet", 2));
  (*layer("fleet"))->put(key(1, 8, "3.1"), firm("fleet", 2));
  (*layer("pack"))->put(key(2, 8, "3.3"), firm("pack", 2));
  open_all();
  EXPECT_EQ(store_->environments(),
            (std::vector{environment("3.1"), environment("3.2"), environment("3.3")}));
}

TEST_F(Layers, TrustIsJudgedForEachLayer) {
  Json checked = firm("theirs", 3);
  checked[kChecked] = {{"lenient", ""}};
  (*layer("fleet", kTheirs))->put(key(1), checked);
  (*layer("fleet", kTheirs))->put(key(2), checked);
  (*layer("mine"))->put(key(1), firm("mine", 2));
  layer("pack");
  open_all();
  const auto both = get(1), alone = get(2);
  EXPECT_EQ(choice(both), "theirs");
  EXPECT_TRUE(both->value.contains(kReceived));
  EXPECT_FALSE(both->value.contains(kChecked)) << "a verdict of others was believed";
  ASSERT_TRUE(both->value.contains(kOthers));
  EXPECT_FALSE(both->value[kOthers][0].contains(kReceived)) << "it was measured here";
  EXPECT_TRUE(alone->value.contains(kReceived));
  EXPECT_FALSE(alone->value.contains(kChecked));
  // The verdict of this user's correctness gate on an entry of another layer is stored in the first
  // layer, and is used from then on.
  Json verdict = alone->value;
  verdict[kChecked] = {{"lenient", ""}};
  store_->put(key(2), verdict);
  EXPECT_TRUE(get(2)->value.contains(kChecked));
}

TEST_F(Layers, ASidecarComesFromTheLayerThatNamesIt) {
  const auto fleet = layer("fleet");
  Json with = firm("fleet", 2);
  const SidecarName name = (*fleet)->put_sidecar(key(1), "compiled");
  with[kSidecar] = to_json(name);
  (*fleet)->put(key(1), with);
  layer("pack");
  open_all();
  EXPECT_EQ(store_->sidecar(key(1), name), "compiled");
  EXPECT_EQ(store_->sidecar(key(2), name), std::nullopt);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Layers, AMissingLayerIsLeftOutButNotInReplay) {
  (*layer("mine"))->put(key(1), firm("mine", 2));
  layer("pack");
  open_all();
  EXPECT_EQ(choice(get(1)), "mine");
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_.front(), HasSubstr("fleet"));
  Status status{};
  EXPECT_THAT(error_of([&] { open_all(Mode::replay_only); }, &status), HasSubstr("fleet"));
  EXPECT_EQ(status, Status::io);
  layer("fleet");
  open_all(Mode::replay_only);
  EXPECT_EQ(store_->mode(), Mode::replay_only);
  EXPECT_EQ(choice(get(1)), "mine");
}

// The digest of the choices must not depend on the order of the layers. It must be the same if all
// of these stores are imported into one store.
TEST_F(Layers, TheDigestIsThatOfTheJoinedStores) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Scratch scratch;
    std::vector<std::unique_ptr<Opened>> stores;
    for (std::uint64_t i = 0; i < 3; ++i) {
      stores.push_back(open(scratch / std::to_string(i)));
      for (int channels = 0; channels < 4; ++channels) {
        const auto roll = [&](std::uint64_t what) {
          return static_cast<int>(
              mix(seed * 100 + i * 10 + static_cast<std::uint64_t>(channels), what) % 3);
        };
        if (roll(0) == 0) continue;
        const std::string name = "c" + std::to_string(roll(1));
        (*stores.back())
            ->put(key(channels), roll(2) == 0 ? provisional(name, roll(3)) : firm(name, roll(3)));
      }
    }
    Options options;
    options.secret = kSecret;
    const auto digest = [&](std::vector<std::string> order) {
      std::vector<fs::path> paths;
      for (const std::string& one : order) paths.push_back(scratch / one);
      return open_layers(paths, options)->digest();
    };
    const std::uint64_t expected = digest({"0", "1", "2"});
    EXPECT_EQ(digest({"2", "0", "1"}), expected) << "seed " << seed;
    ImportOptions joining;
    joining.present = Present::joined;
    for (const auto& other : {"1", "2"})
      (*stores[0])->import_bundle(open(scratch / other)->store->export_bundle(), joining);
    EXPECT_EQ((*stores[0])->digest(), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace atc::store::testing
