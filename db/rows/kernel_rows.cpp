// SPDX-License-Identifier: Apache-2.0
#include "db/rows/kernel_rows.h"

#include <algorithm>

#include "db/connection/compression.h"
#include "db/connection/row_io.h"
#include "db/rows/enum_text.h"
#include "db/rows/json_columns.h"

namespace fuselab::db {
namespace {

const char* const kInsertKernel =
    "INSERT INTO kernel (key, graph, backend, generator, generator_version, source, target, compiler, compiler_version, flags, "
    "library,"
    " library_version, config, launch_config, source_hash, source_module, abi, resources, generate_ns, compile_ns, binary_bytes, "
    "level,"
    " host, origin) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

const char* const kSelectKernel =
    "SELECT k.graph, k.backend, k.generator, k.generator_version, k.source, k.target, k.compiler, k.compiler_version, k.flags, "
    "k.library,"
    " k.library_version, k.config, k.launch_config, k.source_module, k.abi, k.resources, k.generate_ns, k.compile_ns, "
    "k.binary_bytes,"
    " k.level, s.hash, s.bytes, s.text FROM kernel k JOIN source s ON s.hash = k.source_hash WHERE k.key = ?";

const char* const kSelectBinary =
    "SELECT b.format, b.metadata, b.hash, b.bytes, b.data, b.signer, b.signature, k.abi, k.source_module, k.resources"
    " FROM kernel_binary b"
    " JOIN kernel k ON k.no = b.kernel WHERE k.key = ?";

std::string name_for_people(const std::string& key) {
  return "kernel " + key.substr(0, 12);
}

Error corrupt(const std::string& key, const std::string& what) {
  return {ErrorCode::kCorrupt, name_for_people(key) + ": " + what +
                                   " is not what was stored: the database was edited or is damaged; measure this kernel again"};
}

Error untrusted(const std::string& key, const std::string& why, const std::string& remedy) {
  return {ErrorCode::kUntrusted, name_for_people(key) + ": " + why +
                                     "; recompile it from its stored source: `fuselab tune --remeasure --keep SUBJECT`" + remedy};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void insert_source(Connection& connection, const std::string& hash, const std::string& text, const RowOrigin& origin) {
  SQLite::Statement& known = connection.statement("SELECT 1 FROM source WHERE hash = ?");
  RowBinder(known).text(hash);
  if (known.executeStep()) return;
  const auto frame = compress(bytes_of(text));
  SQLite::Statement& insert = connection.statement("INSERT INTO source (hash, bytes, text, host, origin) VALUES (?,?,?,?,?)");
  RowBinder(insert).text(hash).integer(static_cast<std::int64_t>(text.size())).blob(frame).text(origin.host).text(origin.origin);
  insert.exec();
}

Status read_identity(RowReader& row, KernelIdentity& identity) {
  FL_TRY(identity.graph, ContentHash::from_hex(row.text()));
  identity.backend = row.text();
  identity.generator = row.text();
  identity.generator_version = row.text();
  FL_TRY(identity.source, ContentHash::from_hex(row.text()));
  identity.target = row.text();
  identity.compiler = row.text();
  identity.compiler_version = row.text();
  identity.flags = row.text();
  identity.library = row.text();
  identity.library_version = row.text();
  identity.config = row.text();
  return {};
}

Status read_rest(RowReader& row, CompiledKernel& kernel) {
  FL_TRY_VOID(from_json(row.text(), kernel.config));
  FL_TRY_VOID(from_json(row.text(), kernel.source));
  FL_TRY_VOID(from_json(row.text(), kernel.abi));
  FL_TRY_VOID(from_json(row.text(), kernel.resources));
  kernel.metrics.generate_time = {row.real()};
  kernel.metrics.compile_time = {row.real()};
  kernel.metrics.binary_size = {row.integer()};
  FL_TRY(kernel.metrics.level, parse_optimization_level(row.text()));
  const std::string hash = row.text();
  const std::int64_t bytes = row.integer();
  FL_TRY(const auto text, decompress(row.blob(), bytes));
  kernel.source.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
  if (ContentHash::of(text).hex() != hash) return Error{ErrorCode::kCorrupt, "the source has another hash"};
  return {};
}

// Columns that say again what the identity or another column says: one of them alone was edited where they disagree. Empty: none.
std::string contradiction(const CompiledKernel& kernel) {
  const KernelIdentity& identity = kernel.identity;
  const auto config = LaunchConfig::parse(identity.config);  // as text, the word "1" would pass for the number
  if (!config.ok() || config.value() != kernel.config) return "its launch configuration";
  const bool without_text = kernel.source.text.empty() && !identity.library.empty();
  if (!without_text && ContentHash::of(kernel.source.text) != identity.source) return "its source";
  const SourceModule& source = kernel.source;
  if (source.generator != identity.generator || source.generator_version != identity.generator_version) return "its generator";
  if (source.entry != kernel.abi.entry || source.abi != kernel.abi) return "its call record";
  return "";
}

// Records that came with a merge may be anybody's words and are not to be signed here, so those of one's own compilation take their
// place. `beside_binary`: also where a binary was signed with them.
void replace_merged_records(Connection& connection, const CompiledKernel& kernel, bool beside_binary) {
  const std::string key = kernel.kernel_id(), origin(name_of(Origin::kMerged));
  const std::string abi = to_json(kernel.abi), source_module = to_json(kernel.source), resources = to_json(kernel.resources);
  SQLite::Statement& update = connection.statement(
      "UPDATE kernel SET abi = ?, source_module = ?, resources = ? WHERE key = ? AND origin = ?"
      " AND (? OR NOT EXISTS (SELECT 1 FROM kernel_binary WHERE kernel = no))");
  RowBinder(update).text(abi).text(source_module).text(resources).text(key).text(origin).integer(beside_binary);
  update.exec();
}

Status read_binary(Connection& connection, const std::string& key, Trust& trust, CompiledKernel& kernel, KernelSigners& signers) {
  SQLite::Statement& query = connection.statement(kSelectBinary);
  RowBinder(query).text(key);
  if (!query.executeStep()) return {};
  RowReader row(query);
  SignedBinary content{key, {}, row.text(), "", row.text(), "", ""};
  kernel.binary.format = content.format;
  if (!from_json(content.metadata, kernel.binary.metadata).ok()) return corrupt(key, "the binary's record");
  const std::string hash = row.text();
  const std::int64_t bytes = row.integer();
  auto data = decompress(row.blob(), bytes);
  Signature signature{row.text(), {}};
  const auto raw = row.blob();
  content.abi = row.text();
  content.source_module = row.text();
  content.resources = row.text();
  if (!data.ok() || raw.size() != signature.bytes.size()) return untrusted(key, "its stored binary is damaged", "");
  std::transform(raw.begin(), raw.end(), signature.bytes.begin(), [](std::byte byte) { return static_cast<std::uint8_t>(byte); });
  content.binary = ContentHash::of(data.value());
  if (content.binary.hex() != hash) return untrusted(key, "its stored binary is not the one that was signed", "");
  Status checked = trust.check(content.hash(), signature);
  // Binaries of before had less signed; such a signature fits no newer binary.
  const bool fits_not = !checked.ok() && checked.error().code == ErrorCode::kCorrupt;
  if (fits_not) checked = trust.check(content.hash_without_records(), signature);
  if (!checked.ok()) {
    // Trust in somebody mends no signature that does not fit.
    const bool fits = checked.error().code == ErrorCode::kUntrusted;
    if (fits) signers.stranger = signature.signer;
    const std::string add = ", or, if you trust who made it, run `fuselab trust add \"fuselab-ed25519 " + signature.signer + "\"`";
    const std::string& why = checked.error().message;
    return untrusted(key, fits ? "its binary was " + why : why + " the stored binary", fits ? add : "");
  }
  signers.source = {signature.signer, ""};
  kernel.binary.data = std::move(data).value();
  return {};
}

}  // namespace

ContentHash SignedBinary::hash() const {
  return IdentityHasher("signed-binary-2")
      .add("kernel", kernel_key)
      .add("binary", binary)
      .add("format", format)
      .add("abi", abi)
      .add("metadata", metadata)
      .add("source_module", source_module)
      .add("resources", resources)
      .finish();
}

ContentHash SignedBinary::hash_without_records() const {
  return IdentityHasher("signed-binary")
      .add("kernel", kernel_key)
      .add("binary", binary)
      .add("format", format)
      .add("abi", abi)
      .finish();
}

Status insert_kernel(Connection& connection, const CompiledKernel& kernel, Trust& trust, const RowOrigin& origin) {
  const KernelIdentity& identity = kernel.identity;
  const std::string key = kernel.kernel_id();
  SQLite::Statement& known = connection.statement("SELECT 1 FROM kernel WHERE key = ?");
  RowBinder(known).text(key);
  if (known.executeStep()) {
    replace_merged_records(connection, kernel, false);
    return vouch(connection, kernel, trust);
  }
  const std::string source_hash = ContentHash::of(kernel.source.text).hex();
  if (!kernel.source.text.empty() && identity.source.hex() != source_hash) {
    return invalid_argument(name_for_people(key) + ": its identity names another source than it carries");
  }
  if (const std::string what = contradiction(kernel); !what.empty()) {
    return invalid_argument(name_for_people(key) + ": " + what + " is another than its identity or its source says");
  }
  insert_source(connection, source_hash, kernel.source.text, origin);
  const std::string graph = identity.graph.hex(), source = identity.source.hex();
  const std::string config = to_json(kernel.config), source_module = to_json(kernel.source), abi = to_json(kernel.abi);
  const std::string resources = to_json(kernel.resources);
  SQLite::Statement& insert = connection.statement(kInsertKernel);
  RowBinder row(insert);
  row.text(key).text(graph).text(identity.backend).text(identity.generator).text(identity.generator_version).text(source);
  row.text(identity.target).text(identity.compiler).text(identity.compiler_version).text(identity.flags).text(identity.library);
  row.text(identity.library_version).text(identity.config).text(config).text(source_hash).text(source_module).text(abi);
  row.text(resources).real(kernel.metrics.generate_time.count).real(kernel.metrics.compile_time.count);
  row.integer(kernel.metrics.binary_size.count).name(name_of(kernel.metrics.level)).text(origin.host).text(origin.origin);
  insert.exec();
  return vouch(connection, kernel, trust);
}

Status insert_binary(Connection& connection, const CompiledKernel& kernel, Trust& trust, const RowOrigin& origin) {
  const std::string key = kernel.kernel_id();
  replace_merged_records(connection, kernel, true);
  FL_TRY_VOID(vouch(connection, kernel, trust));
  SQLite::Statement& find = connection.statement("SELECT no, abi, source_module, resources FROM kernel WHERE key = ?");
  RowBinder(find).text(key);
  FL_ASSERT(find.executeStep());
  RowReader found(find);
  const std::int64_t no = found.integer();
  // The stored record, which may be an earlier compilation's, is what a reader will get and check.
  SignedBinary content{key, ContentHash::of(kernel.binary.data), kernel.binary.format, "", to_json(kernel.binary.metadata), "", ""};
  content.abi = found.text();
  content.source_module = found.text();
  content.resources = found.text();
  if (content.abi != to_json(kernel.abi)) {
    return invalid_argument(name_for_people(key) +
                            ": is stored with another call record (ABI); its generator must change its version");
  }
  FL_TRY(const Signature signature, trust.sign(content.hash()));
  const auto frame = compress(kernel.binary.data);
  const std::string hex = content.binary.hex();
  SQLite::Statement& insert = connection.statement(
      "INSERT OR REPLACE INTO kernel_binary (kernel, format, metadata, hash, bytes, data, signer, signature, host, origin)"
      " VALUES (?,?,?,?,?,?,?,?,?,?)");
  RowBinder row(insert);
  row.integer(no).text(content.format).text(content.metadata).text(hex);
  row.integer(static_cast<std::int64_t>(kernel.binary.data.size())).blob(frame).text(signature.signer);
  row.blob(std::as_bytes(std::span(signature.bytes))).text(origin.host).text(origin.origin);
  insert.exec();
  return {};
}

Result<std::optional<CompiledKernel>> read_kernel_text(Connection& connection, const std::string& key) {
  SQLite::Statement& query = connection.statement(kSelectKernel);
  RowBinder(query).text(key);
  if (!query.executeStep()) return std::optional<CompiledKernel>();
  CompiledKernel kernel;
  RowReader row(query);
  if (!read_identity(row, kernel.identity).ok() || kernel.kernel_id() != key) return corrupt(key, "its identity");
  if (!read_rest(row, kernel).ok()) return corrupt(key, "its source or call record");
  if (const std::string what = contradiction(kernel); !what.empty()) return corrupt(key, what);
  return std::optional(std::move(kernel));
}

Result<std::optional<CompiledKernel>> read_kernel(Connection& connection, const std::string& key, Trust& trust,
                                                  KernelSigners* signers) {
  KernelSigners found;
  KernelSigners& told = signers != nullptr ? *signers : found;
  FL_TRY(auto kernel, read_kernel_text(connection, key));
  if (!kernel) return kernel;
  FL_TRY(told.source, read_voucher(connection, key, trust));
  FL_TRY_VOID(read_binary(connection, key, trust, *kernel, told));
  return kernel;
}

}  // namespace fuselab::db
