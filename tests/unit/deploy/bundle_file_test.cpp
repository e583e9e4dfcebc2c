// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/bundle_file.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/deploy/bundle/stored_zip.h"
#include "core/fields/json_schema.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::deploy {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Bundle sample() {
  Bundle bundle;
  bundle.manifest.made_by = "a test";
  bundle.manifest.environment = {"cpu:0", "A Processor", "x86-64-v3", "warm", "kept"};
  BundleKernel kernel;
  kernel.file = bundle.keep_code(std::vector<std::byte>(100, std::byte{7}));
  kernel.source = bundle.keep_source("int kernel;");
  kernel.entry = "kernel";
  kernel.configured = kTuned;
  kernel.arguments = {{"x", "in", "f32[16]", 64, 64}};
  kernel.preparation = BundlePreparation{"prepare", {0}, 4, 64};
  bundle.manifest.kernels = {kernel};
  BundlePiece piece;
  piece.name = "norm";
  piece.figure = BundleFigure{1500, 1400, 1600, true};
  piece.runner_up = BundleRunnerUp{"onednn:0 fused", 1800, 1.2};
  bundle.manifest.pieces = {piece};
  BundleModel model;
  model.name = "small";
  model.inputs = {{"x", "f32", {16}, 64, 0}};
  model.weights = {{"w", "f32[16]", 0, "file"}};
  model.values = {{"input", 0, 64}};
  model.steps = {{0, 0, {0}}};
  bundle.manifest.models = {model};
  bundle.weights.resize(64, std::byte{1});
  return bundle;
}

class BundleFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "fuselab-bundle-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::byte> write(const std::string& name, db::Trust& trust) {
    Bundle bundle = sample();
    const Status done = write_bundle(folder_ / name, bundle, trust);
    EXPECT_TRUE(done.ok()) << done.error().message;
    return platform::read_file(folder_ / name, {1 << 20}).value();
  }

  std::filesystem::path folder_;
};

TEST_F(BundleFile, GivesBackWhatWasWritten) {
  db::Trust trust(folder_ / "keys");
  write("a.fuselab", trust);
  const auto read = read_bundle(folder_ / "a.fuselab", trust);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read.value().trusted);
  Bundle bundle = sample();
  bundle.manifest.weights = {64, ContentHash::of(bundle.weights).hex()};
  EXPECT_EQ(manifest_text(read.value().manifest), manifest_text(bundle.manifest));
}

TEST_F(BundleFile, IsTheSameBytesForTheSameResultsAndKey) {
  db::Trust trust(folder_ / "keys");
  EXPECT_EQ(write("a.fuselab", trust), write("b.fuselab", trust));
}

TEST_F(BundleFile, OfAStrangerIsReadAndSaysSo) {
  db::Trust trust(folder_ / "keys"), stranger(folder_ / "others");
  write("a.fuselab", stranger);
  const auto read = read_bundle(folder_ / "a.fuselab", trust);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read.value().trusted);
  EXPECT_EQ("fuselab-ed25519 " + read.value().signer, stranger.public_key_text().value());
}

TEST_F(BundleFile, ThatWasChangedIsCorrupt) {
  db::Trust trust(folder_ / "keys");
  const auto bytes = write("a.fuselab", trust);
  const auto entries = read_stored_zip(bytes).value();
  for (const auto& [name, data] : entries) {
    auto changed = bytes;
    changed[static_cast<std::size_t>(data.data() - bytes.data()) + data.size() / 2] ^= std::byte{1};
    ASSERT_TRUE(platform::write_file_atomically(folder_ / "changed.fuselab", changed).ok());
    const auto read = read_bundle(folder_ / "changed.fuselab", trust);
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << name;
  }
}

TEST_F(BundleFile, TakesThePlaceOfABundleOnly) {
  db::Trust trust(folder_ / "keys");
  write("a.fuselab", trust);
  write("a.fuselab", trust);
  std::ofstream(folder_ / "thesis.txt") << "years of work";
  Bundle bundle = sample();
  const Status refused = write_bundle(folder_ / "thesis.txt", bundle, trust);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "thesis.txt"), 13U);
  std::ofstream(folder_ / "photos.zip") << std::string("PK\3\4", 4) << std::string(26, '\0') << "holidays/beach.jpg and more";
  EXPECT_FALSE(write_bundle(folder_ / "photos.zip", bundle, trust).ok()) << "a zip, and no bundle";
}

TEST_F(BundleFile, ThatIsNotThereOrNoneIsNamed) {
  db::Trust trust(folder_ / "keys");
  EXPECT_EQ(read_bundle(folder_ / "none", trust).error().code, ErrorCode::kNotFound);
  std::ofstream(folder_ / "text") << "no bundle";
  EXPECT_EQ(read_bundle(folder_ / "text", trust).error().code, ErrorCode::kCorrupt);
}

// A published schema as the list of fields gives it: definitions in the places of their references, nothing of what is said to
// people alone.
Json as_listed(const Json& schema, const Json& definitions) {
  if (schema.is_object() && schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>().substr(std::string_view("#/$defs/").size());
    return as_listed(definitions.at(name), definitions);
  }
  if (!schema.is_structured()) return schema;
  Json plain = schema;
  if (plain.is_object() && plain.contains("description") && plain["description"].is_string()) plain.erase("description");
  for (Json& inner : plain) inner = as_listed(inner, definitions);
  if (plain.is_object() && plain.contains("required")) std::sort(plain["required"].begin(), plain["required"].end());
  return plain;
}

TEST(BundleSchema, SaysWhatTheListOfFieldsSays) {
  std::ifstream file(SCHEMA_FOLDER "/bundle.schema.json");
  Json published = Json::parse(file);
  const Json definitions = published["$defs"];
  for (const char* const name : {"$schema", "title", "$defs"}) published.erase(name);
  EXPECT_EQ(as_listed(published, definitions), as_listed(fields::schema_of<Json, BundleManifest>(), {}));
}

TEST(BundleManifestText, OfAnotherVersionIsRefused) {
  std::string text = manifest_text({});
  EXPECT_TRUE(parse_manifest(text).ok());
  text.replace(text.find("fuselab.bundle/1"), 16, "fuselab.bundle/9");
  const auto parsed = parse_manifest(text);
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(parse_manifest("[]").error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(parse_manifest(R"({"schema":"fuselab.bundle/1"})").error().message, HasSubstr("'made_by' is missing"));
}

// A bundle of before figures said how they were measured is read as one that does not say it.
TEST(BundleManifestText, OfAnOlderFuselabIsRead) {
  BundleManifest manifest = sample().manifest;
  manifest.commit = "0123456789";
  manifest.measured = {BundleMeasuring{"A Processor", "0x1", "Linux 6", "performance, boost on", "0.1.0", "warm", "plan", 0,
                                       "uniform, seed 1", 1, "15 samples"}};
  manifest.pieces[0].figure->measured = 0;
  const auto whole = parse_manifest(manifest_text(manifest));
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(whole.value().commit, "0123456789");
  EXPECT_EQ(whole.value().measured, manifest.measured);
  EXPECT_EQ(whole.value().pieces[0].figure->measured, 0);
  Json older = Json::parse(manifest_text(manifest));
  older.erase("commit");
  older.erase("measured");
  older["pieces"][0]["figure"].erase("measured");
  const auto read = parse_manifest(older.dump());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().commit, "");
  EXPECT_TRUE(read.value().measured.empty());
  EXPECT_FALSE(read.value().pieces[0].figure->measured);
}

// In a process of its own, because the limit on file sizes cannot be raised again: the exit code says what went wrong.
int write_with_room_for(std::size_t bytes, const std::filesystem::path& file, const std::filesystem::path& keys) {
  ::signal(SIGXFSZ, SIG_IGN);
  db::Trust trust(keys);
  if (!trust.public_key_text().ok()) return 1;
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
  Bundle bundle = sample();
  bundle.weights.resize(100'000, std::byte{3});
  const Status written = write_bundle(file, bundle, trust);
  if (written.ok()) return 2;
  return written.error().code == ErrorCode::kIo && written.error().message.find('\n') == std::string::npos ? 0 : 3;
}

TEST_F(BundleFile, IsKeptWhereTheDiskIsFull) {
  db::Trust trust(folder_ / "keys");
  const auto before = write("a.fuselab", trust);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(write_with_room_for(4096, folder_ / "a.fuselab", folder_ / "keys"));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(platform::read_file(folder_ / "a.fuselab", {1 << 24}).value(), before);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 2U) << "the bundle and the keys: nothing half written stays";
}

// What nobody named in the manifest is somebody else's.
TEST_F(BundleFile, WithAnEntryThatItsManifestDoesNotNameIsRefused) {
  db::Trust trust(folder_ / "keys");
  const auto bytes = write("a.fuselab", trust);
  ZipEntries entries = read_stored_zip(bytes).value();
  const std::vector<std::byte> foreign(10, std::byte{1});
  entries.emplace("kernels/" + ContentHash::of(foreign).hex() + ".so", foreign);
  const auto more = write_stored_zip(entries).value();
  ASSERT_TRUE(platform::write_file_atomically(folder_ / "b.fuselab", more).ok());
  const auto read = read_bundle(folder_ / "b.fuselab", trust);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(read.error().message, HasSubstr("not named by the manifest"));
}

}  // namespace
}  // namespace fuselab::deploy
