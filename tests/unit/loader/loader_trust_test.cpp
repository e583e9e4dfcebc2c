// SPDX-License-Identifier: Apache-2.0
// Who made it, and whether it is what they made: nothing is executed that is not vouched for.
#include <gmock/gmock.h>

#include <cstring>

#include "app/deploy/bundle/stored_zip.h"
#include "tests/unit/loader/bundle_writer.h"

namespace fuselab {
namespace {

using testing::HasSubstr;

constexpr const char* kStranger = "fuselab-ed25519 3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29 colleague";

class LoaderTrust : public LoaderTest {
 protected:
  // The bundle with one entry's bytes replaced, as somebody would who has no key.
  std::vector<std::byte> with_entry(const std::string& name, const std::vector<std::byte>& contents) {
    const auto bytes = written(small_bundle());
    auto entries = deploy::read_stored_zip(bytes).value();
    entries[name] = contents;
    return deploy::write_stored_zip(entries).value();
  }
  std::vector<std::byte> contents_of(const std::string& name) {
    const auto bytes = written(small_bundle());
    const auto entries = deploy::read_stored_zip(bytes).value();
    const auto found = entries.at(name);
    return {found.begin(), found.end()};
  }
  std::string code_name() { return "kernels/" + small_bundle().manifest.kernels[0].file + ".so"; }
};

TEST_F(LoaderTrust, TakesTheKeyInBothForms) {
  const auto bytes = written(small_bundle());
  const std::string line = own_key() + " somebody", digits = own_key().substr(std::strlen("fuselab-ed25519 "));
  for (const std::string& form : {line, digits}) {
    const char* const keys[] = {kStranger, form.c_str()};
    ASSERT_EQ(fl_open_memory(bytes.data(), bytes.size(), keys, 2, 0, &bundle_, &error_), FL_OK) << error_.message;
    fl_close(bundle_);
    bundle_ = nullptr;
  }
  const char* const bad[] = {"fuselab-ed25519 12"};
  EXPECT_EQ(fl_open_memory(bytes.data(), bytes.size(), bad, 1, 0, &bundle_, &error_), FL_INVALID_ARGUMENT);
}

TEST_F(LoaderTrust, RefusesForeignBundles) {
  const auto bytes = written(small_bundle());
  EXPECT_EQ(open_untrusted(bytes), FL_UNTRUSTED);
  const char* const keys[] = {kStranger};
  EXPECT_EQ(fl_open_memory(bytes.data(), bytes.size(), keys, 1, 0, &bundle_, &error_), FL_UNTRUSTED);
  EXPECT_THAT(error_.message, HasSubstr("not among the trusted keys"));
  EXPECT_EQ(open_untrusted(bytes, FL_ALLOW_UNSIGNED), FL_OK) << error_.message;
}

TEST_F(LoaderTrust, RefusesUnsignedBundlesUnlessAllowed) {
  const auto bytes = edited([](nlohmann::json&) {});
  EXPECT_EQ(open(bytes), FL_UNSIGNED);
  EXPECT_THAT(error_.message, HasSubstr("FL_ALLOW_UNSIGNED"));
  EXPECT_EQ(open(bytes, FL_ALLOW_UNSIGNED), FL_OK) << error_.message;
}

TEST_F(LoaderTrust, RefusesAManifestThatWasChanged) {
  auto manifest = contents_of("manifest.json");
  const std::string_view text(reinterpret_cast<const char*>(manifest.data()), manifest.size());
  manifest[text.find("\"threads\":2") + 10] = std::byte{'1'};
  const auto bytes = with_entry("manifest.json", manifest);
  EXPECT_EQ(open(bytes), FL_CORRUPT);
  EXPECT_THAT(error_.message, HasSubstr("signature does not fit"));
  EXPECT_EQ(open(bytes, FL_ALLOW_UNSIGNED), FL_CORRUPT) << "a signature that is there has to fit";
}

TEST_F(LoaderTrust, RefusesCodeThatWasSwapped) {
  auto code = contents_of(code_name());
  code[code.size() / 2] ^= std::byte{1};
  EXPECT_EQ(open(with_entry(code_name(), code), FL_ALLOW_UNSIGNED), FL_CORRUPT);
  EXPECT_THAT(error_.message, HasSubstr("not the code that the manifest vouches for"));
  EXPECT_EQ(open(with_entry(code_name(), {}), FL_ALLOW_UNSIGNED), FL_CORRUPT);
}

TEST_F(LoaderTrust, FindsChangedWeightsWhenAsked) {
  auto weights = contents_of("weights.bin");
  weights[0] ^= std::byte{1};
  const auto bytes = with_entry("weights.bin", weights);
  EXPECT_EQ(open(bytes, FL_VERIFY_WEIGHTS), FL_CORRUPT);
  EXPECT_THAT(error_.message, HasSubstr("weights"));
  weights.pop_back();
  EXPECT_EQ(open(with_entry("weights.bin", weights)), FL_CORRUPT) << "their size is checked in any case";
}

TEST_F(LoaderTrust, RefusesWhatIsCutAnywhere) {
  const auto bytes = written(small_bundle());
  for (std::size_t size = 1; size < bytes.size(); size += 97)
    ASSERT_EQ(open({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}), FL_CORRUPT) << size;
  auto longer = bytes;
  longer.push_back({});
  EXPECT_EQ(open(longer), FL_CORRUPT);
}

// Whatever single byte changes, either it is found or it cannot matter: padding, dates and weights alone stay unnoticed.
TEST_F(LoaderTrust, FindsChangesOfSingleBytesInItsRecords) {
  const auto bytes = written(small_bundle());
  const auto entries = deploy::read_stored_zip(bytes).value();
  for (const char* const name : {"manifest.json", "signature"}) {
    const auto data = entries.at(name);
    const auto begin = static_cast<std::size_t>(data.data() - bytes.data());
    for (std::size_t at = begin; at < begin + data.size(); at += 13) {
      auto changed = bytes;
      changed[at] ^= std::byte{0x10};
      ASSERT_NE(open(changed), FL_OK) << name << " at " << at - begin;
    }
  }
}

TEST_F(LoaderTrust, RefusesEntriesThatDoNotBelong) {
  for (const char* const name : {"../evil.so", "kernels/evil.so", "lib.so", "/etc/passwd", "kernels/", "Manifest.json"}) {
    EXPECT_EQ(open(with_entry(name, std::vector<std::byte>(8))), FL_CORRUPT) << name;
  }
}

// The directory names an entry twice: the second record takes the first one's name of the same length.
TEST_F(LoaderTrust, RefusesEntriesThatAreThereTwice) {
  deploy::Bundle bundle = small_bundle();
  auto bytes = written(bundle);
  std::string first = "sources/" + bundle.manifest.kernels[0].source, second = "sources/" + bundle.manifest.kernels[1].source;
  for (std::size_t at = 0; at + first.size() <= bytes.size(); ++at) {
    if (std::memcmp(bytes.data() + at, second.data(), second.size()) == 0)
      std::memcpy(bytes.data() + at, first.data(), first.size());
  }
  EXPECT_EQ(open(bytes, FL_ALLOW_UNSIGNED), FL_CORRUPT);
  EXPECT_THAT(error_.message, testing::AnyOf(HasSubstr("twice"), HasSubstr("signature")));
}

TEST_F(LoaderTrust, NamesTheFileThatIsNotThere) {
  EXPECT_EQ(fl_open("no-such.fuselab", nullptr, 0, 0, &bundle_, &error_), FL_NOT_FOUND);
  EXPECT_THAT(error_.message, HasSubstr("no-such.fuselab"));
  EXPECT_STREQ(fl_status_name(FL_NOT_FOUND), "not-found");
}

}  // namespace
}  // namespace fuselab
