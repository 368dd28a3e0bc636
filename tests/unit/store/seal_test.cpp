// Tests stores that were copied from another machine. atc recognises such a store by the seals
// (signatures) of its entries, which need the secret of the user who wrote them. The choices of a
// copied store are used after a check. The compiled parts of a copied store are not used.
#include "store/seal.hpp"

#include <gmock/gmock.h>

#include "fixtures.hpp"
#include "store/bundle.hpp"
#include "store/index.hpp"
#include "store/origin.hpp"
#include "store/record.hpp"
#include "store/sidecar.hpp"

namespace atc::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Secret kOther{1, 2};
constexpr const char* kText = "compiled";

// The test vectors are those of SipHash's authors. The key is the bytes 0 to 15. A message of n
// bytes is the bytes 0 to n - 1.
TEST(Seal, IsSipHashOf128Bits) {
  constexpr Secret kKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(seal_of(kKey, ""), "e6a825ba047f81a3930255c71472f66d");
  EXPECT_EQ(seal_of(kKey, std::string(1, '\0')), "44af996bd8c187da45fc229b11597634");
}

TEST(Seal, DependsOnEachBitAndEachPart) {
  const std::string message = sealed_message("entry", "key", "some bytes that are sealed");
  const std::string seal = seal_of(kOther, message);
  EXPECT_THAT(seal, SizeIs(kSealBytes));
  for (std::size_t at = 0; at < message.size(); ++at) {
    std::string changed = message;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_NE(seal_of(kOther, changed), seal) << at;
  }
  EXPECT_NE(seal_of({1, 3}, message), seal);
  EXPECT_NE(seal_of({0, 2}, message), seal);
  EXPECT_NE(seal_of(kOther, message + '\0'), seal);
  EXPECT_NE(sealed_message("a", "b", "c"), sealed_message("a", "", "b\nc"));
}

class Elsewhere : public ::testing::Test {
 protected:
  // Makes a store with one decision that has a sidecar (a file with its compiled part).
  void SetUp() override { fill(here_, kSecret); }
  static void fill(const fs::path& path, std::optional<Secret> secret) {
    const auto store = open(path, Mode::read_write, 1000, secret);
    Json decision = value("a");
    decision[kSidecar] = to_json((*store)->put_sidecar(key(64), kText));
    (*store)->put(key(64), decision);
  }
  // Returns the path of a copy of the store, made as by `cp -r` or `tar x`.
  fs::path copied(const fs::path& from) const {
    const fs::path to = scratch_ / "copy";
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
    return to;
  }
  static void expect_own(const fs::path& path, std::optional<Secret> secret,
                         Mode mode = Mode::read_write) {
    const auto store = open(path, mode, 1000, secret);
    const auto entry = (*store)->get(key(64));
    ASSERT_NE(entry, nullptr);
    EXPECT_FALSE(entry->elsewhere);
    EXPECT_FALSE(entry->value.contains(kSeal));
    EXPECT_EQ((*store)->sidecar(key(64), name_of_sidecar(kText)), kText);
    EXPECT_THAT(read_bundle((*store)->export_bundle()).sidecars, SizeIs(1));
    EXPECT_THAT(store->warnings, IsEmpty());
  }
  static void expect_elsewhere(const fs::path& path, std::optional<Secret> secret,
                               Mode mode = Mode::read_write) {
    const auto store = open(path, mode, 1000, secret);
    const auto entry = (*store)->get(key(64));
    EXPECT_EQ(choice(entry), "a");
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(entry->elsewhere);
    EXPECT_FALSE(entry->foreign);
    EXPECT_FALSE(entry->value.contains(kSeal));
    EXPECT_THAT(sidecars_of(entry->value), ElementsAre(name_of_sidecar(kText)))
        << "it is written anew under this name";
    EXPECT_EQ((*store)->sidecar(key(64), name_of_sidecar(kText)), std::nullopt);
    EXPECT_THAT(read_bundle((*store)->export_bundle()).sidecars, IsEmpty());
    EXPECT_THAT((*store)->list(), SizeIs(1));
    EXPECT_THAT((*store)->verify(), IsEmpty());
    EXPECT_THAT(store->warnings, IsEmpty());
  }

  const Scratch scratch_;
  const fs::path here_ = scratch_ / "here";
};

TEST_F(Elsewhere, ACopyFromAnotherMachineGivesNoCompiledParts) {
  for (const Mode mode : {Mode::read_write, Mode::read, Mode::replay_only})
    expect_elsewhere(copied(here_), kOther, mode);
}

// If the home folder is on a network, several machines share the store and the user's secret. Then
// the entries count as own on all of these machines.
TEST_F(Elsewhere, WhatTheSameUserWroteIsOwnOnEveryMachineOfThisHome) {
  for (const Mode mode : {Mode::read_write, Mode::read, Mode::replay_only}) {
    expect_own(here_, kSecret, mode);
    expect_own(copied(here_), kSecret, mode);
  }
}

TEST_F(Elsewhere, WithoutASecretNothingIsOwn) {
  expect_elsewhere(here_, std::nullopt);
  fill(scratch_ / "none", std::nullopt);
  expect_elsewhere(scratch_ / "none", std::nullopt);
}

TEST_F(Elsewhere, AStoreOfTheTimeBeforeSealsBecomesOwnAsItIsWrittenAgain) {
  const fs::path old = scratch_ / "old";
  fill(old, std::nullopt);
  expect_elsewhere(old, kSecret);
  const auto store = open(old);
  const Json decision = (*store)->get(key(64))->value;
  (*store)->put_sidecar(key(64), kText);
  EXPECT_TRUE((*store)->get(key(64))->elsewhere);
  (*store)->put(key(64), decision);
  EXPECT_FALSE((*store)->get(key(64))->elsewhere);
  expect_own(old, kSecret);
}

// A record of an older version of atc contains its compiled text. The text comes from elsewhere and
// is not used. In its place the record gets the name of a sidecar (a file for the text). A process
// that compiles again can write this sidecar.
TEST_F(Elsewhere, ACompiledTextWithinAnEntryIsNotUsed) {
  const fs::path old = scratch_ / "old";
  Json decision = value("a");
  decision[kCompiled] = kText;
  decision["others"] = {value("b"), value("c")};
  decision["others"][0][kCompiled] = "another";
  open(old, Mode::read_write, 1000, std::nullopt)->store->put(key(64), decision);
  const Json read = open(old)->store->get(key(64))->value;
  EXPECT_FALSE(read.contains(kCompiled) || read["others"][0].contains(kCompiled)) << read;
  EXPECT_THAT(sidecars_of(read), ElementsAre(name_of_sidecar(kText), name_of_sidecar("another")));
}

// A seal (the signature of an entry) is only valid for the text for which it was made, and for the
// key of the entry.
TEST_F(Elsewhere, ASealBelongsToItsEntryAndItsText) {
  const auto store = open(here_);
  (*store)->put_sidecar(key(32), "another text");
  const auto file = [&](int channels, const char* text) {
    const Place place = CanonicalKey(key(channels)).place();
    return here_ / hex64(place.environment) / Index::file_name(place, name_of_sidecar(text).hash);
  };
  const std::string mine = read(file(64, kText)), others = read(file(32, "another text"));
  const auto stream = [](const std::string& of) { return of.substr(kSealBytes); };
  const auto seal = [](const std::string& of) { return of.substr(0, kSealBytes); };
  write(file(64, kText), seal(others) + stream(mine));
  EXPECT_EQ((*store)->sidecar(key(64), name_of_sidecar(kText)), std::nullopt);
  write(file(32, kText), mine);
  EXPECT_EQ((*store)->sidecar(key(32), name_of_sidecar(kText)), std::nullopt) << "of another key";
  write(file(64, kText), mine);
  EXPECT_EQ((*store)->sidecar(key(64), name_of_sidecar(kText)), kText);
  // The choice of the entry was changed. The checksum is right for the new text, but the seal (the
  // signature of the entry) belongs to the old text.
  const std::string entry = read(entry_files(here_).front());
  Json changed = Json::parse(entry)["value"];
  EXPECT_TRUE(changed.contains(kSeal));
  changed["choice"]["configuration"] = "b";
  write(entry_files(here_).front(), encode(CanonicalKey(key(64)), changed) + "\n");
  const auto read_again = (*store)->get(key(64));
  EXPECT_EQ(choice(read_again), "b");
  EXPECT_TRUE(read_again->elsewhere);
}

TEST_F(Elsewhere, WhatIsImportedWithTrustIsOwnFromThenOn) {
  const std::string bundle = open(here_)->store->export_bundle();
  EXPECT_THAT(bundle, ::testing::Not(::testing::HasSubstr(kSeal)));
  const fs::path there = scratch_ / "there";
  EXPECT_EQ(open(there, Mode::read_write, 1000, kOther)->store->import_bundle(bundle).added, 1U);
  expect_own(there, kOther);
  EXPECT_EQ(open(there, Mode::read_write, 1000, kOther)->store->export_bundle(), bundle);
}

// If an entry with a seal (a signature) would be too long, the entry is written without the seal.
TEST_F(Elsewhere, AnEntryWithoutRoomForASealIsWrittenWithout) {
  Json large = value("x");
  large["pad"] = "";
  const std::size_t rest = entry_to_text({key(1), large}).size();
  large["pad"] = std::string(kMaxEntryBytes - 1 - rest, 'p');
  const auto store = open(here_);
  EXPECT_TRUE((*store)->put(key(1), large));
  EXPECT_EQ(open(here_)->store->get(key(1))->value, large);
  EXPECT_TRUE(open(here_)->store->get(key(1))->elsewhere);
}

}  // namespace
}  // namespace atc::store::testing
