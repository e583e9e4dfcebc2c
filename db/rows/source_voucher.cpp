// SPDX-License-Identifier: Apache-2.0
#include "db/rows/source_voucher.h"

#include <algorithm>

#include "db/connection/migrations.h"
#include "db/connection/row_io.h"
#include "db/rows/json_columns.h"

namespace fuselab::db {
namespace {

ContentHash signed_content(const std::string& kernel_key, const std::string& abi, const std::string& source_module) {
  return IdentityHasher("signed-source").add("kernel", kernel_key).add("abi", abi).add("source_module", source_module).finish();
}

}  // namespace

Status vouch(Connection& connection, const CompiledKernel& kernel, Trust& trust) {
  const std::string key = kernel.kernel_id(), abi = to_json(kernel.abi), source_module = to_json(kernel.source);
  FL_TRY(const Signature signature, trust.sign(signed_content(key, abi, source_module)));
  // The same words signed again give the same signature, so that a row which is signed already is not written.
  SQLite::Statement& update = connection.statement(
      "UPDATE kernel SET signer = ?1, signature = ?2 WHERE key = ?3 AND abi = ?4 AND source_module = ?5"
      " AND (signer <> ?1 OR signature <> ?2)");
  RowBinder(update).text(signature.signer).blob(std::as_bytes(std::span(signature.bytes))).text(key).text(abi).text(source_module);
  update.exec();
  return {};
}

Result<SourceVoucher> read_voucher(Connection& connection, const std::string& kernel_key, Trust& trust) {
  const SourceVoucher nobody{"", "nobody signed its source"};
  if (connection.integer("PRAGMA user_version") < kSchemaOfVouchers) return nobody;
  SQLite::Statement& query = connection.statement("SELECT signer, signature, abi, source_module FROM kernel WHERE key = ?");
  RowBinder(query).text(kernel_key);
  if (!query.executeStep()) return nobody;
  RowReader row(query);
  Signature signature{row.text(), {}};
  const auto raw = row.blob();
  if (signature.signer.empty() && raw.empty()) return nobody;
  const std::string abi = row.text(), source_module = row.text();
  if (raw.size() == signature.bytes.size()) {
    std::transform(raw.begin(), raw.end(), signature.bytes.begin(), [](std::byte byte) { return static_cast<std::uint8_t>(byte); });
  }
  const Status checked = trust.check(signed_content(kernel_key, abi, source_module), signature);
  if (checked.ok()) return SourceVoucher{signature.signer, ""};
  if (checked.error().code != ErrorCode::kUntrusted) {
    return Error{ErrorCode::kUntrusted, "kernel " + kernel_key.substr(0, 12) + ": " + checked.error().message +
                                            " its source: the database was edited or is damaged; measure this kernel again"};
  }
  return SourceVoucher{signature.signer, "its source was " + checked.error().message + " (`fuselab trust add \"fuselab-ed25519 " +
                                             signature.signer + "\"` accepts that key)"};
}

}  // namespace fuselab::db
