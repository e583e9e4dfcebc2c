// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/stored_answers.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/fields/json_reader.h"
#include "core/fields/json_writer.h"
#include "db/database.h"

namespace fuselab {

constexpr auto fields_of(const Ceiling*) {
  using fields::field;
  return fields::list<Ceiling>(field("kind", &Ceiling::kind), field("read_streams", &Ceiling::read_streams),
                               field("write_streams", &Ceiling::write_streams), field("nontemporal", &Ceiling::nontemporal),
                               field("footprint", &Ceiling::footprint), field("threads", &Ceiling::threads),
                               field("per_second", &Ceiling::per_second), field("low", &Ceiling::low),
                               field("high", &Ceiling::high), field("form", &Ceiling::form));
}

namespace engine {

constexpr auto fields_of(const CeilingAnswer*) {
  return fields::list<CeilingAnswer>(fields::field("rows", &CeilingAnswer::rows));
}
constexpr auto fields_of(const ExactAnswer*) {
  return fields::list<ExactAnswer>(fields::field("metrics", &ExactAnswer::metrics));
}

StoredAnswers::StoredAnswers(Engine& engine, ProfileRecord about, bool again) : engine_(engine), about_(std::move(about)) {
  if (again || about_.plan_key.empty()) return;
  auto known = engine_.queries().profiles(about_.plan_key, about_.device_id, about_.environment_key);
  if (known.ok()) known_ = std::move(known).value();  // what cannot be read is collected again
}

template <typename Answer>
std::optional<Answer> StoredAnswers::find(const std::string& collector, int version, CollectorNote& note) const {
  for (const ProfileRecord& record : known_) {
    if (record.collector != collector || record.version != version) continue;
    const nlohmann::json json = nlohmann::json::parse(record.body, nullptr, /*allow_exceptions=*/false);
    Answer answer;
    if (json.is_discarded() || !fields::read_fields(json, answer).ok()) continue;
    note.reused = true;
    note.created_unix_ms = record.created_unix_ms;
    note.cost_ms = record.cost_ms;
    return answer;
  }
  return std::nullopt;
}

template <typename Answer>
void StoredAnswers::add(const Answer& answer, const CollectorNote& note) {
  ProfileRecord record = about_;
  record.collector = note.collector;
  record.version = note.version;
  record.cost_ms = note.cost_ms;
  record.created_unix_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  record.body = fields::json_of<nlohmann::json>(answer).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // What lacks the same as before is no news.
  const auto same = [&](const ProfileRecord& known) {
    return known.collector == record.collector && known.version == record.version && known.body == record.body;
  };
  if (std::none_of(known_.begin(), known_.end(), same)) added_.push_back(std::move(record));
}

Status StoredAnswers::store() {
  if (added_.empty() || about_.trial_id.empty()) return {};
  const Config& config = engine_.config();
  if (config.read_only) return Error{ErrorCode::kUnavailable, config.database.string() + " is open for reading only"};
  FL_TRY(const auto database,
         db::Database::open(config.database, db::Access::kWrite, std::make_shared<db::Trust>(config.key_directory)));
  StoreBatch batch;
  batch.profiles = std::move(added_);
  return database->store().commit(batch);
}

template std::optional<CodeReport> StoredAnswers::find(const std::string&, int, CollectorNote&) const;
template std::optional<CounterSet> StoredAnswers::find(const std::string&, int, CollectorNote&) const;
template std::optional<Sweep> StoredAnswers::find(const std::string&, int, CollectorNote&) const;
template std::optional<CeilingAnswer> StoredAnswers::find(const std::string&, int, CollectorNote&) const;
template std::optional<DeviceTrace> StoredAnswers::find(const std::string&, int, CollectorNote&) const;
template std::optional<DeviceSeries> StoredAnswers::find(const std::string&, int, CollectorNote&) const;
template std::optional<DeviceSamples> StoredAnswers::find(const std::string&, int, CollectorNote&) const;
template std::optional<ExactAnswer> StoredAnswers::find(const std::string&, int, CollectorNote&) const;
template void StoredAnswers::add(const CodeReport&, const CollectorNote&);
template void StoredAnswers::add(const CounterSet&, const CollectorNote&);
template void StoredAnswers::add(const Sweep&, const CollectorNote&);
template void StoredAnswers::add(const CeilingAnswer&, const CollectorNote&);
template void StoredAnswers::add(const DeviceTrace&, const CollectorNote&);
template void StoredAnswers::add(const DeviceSeries&, const CollectorNote&);
template void StoredAnswers::add(const DeviceSamples&, const CollectorNote&);
template void StoredAnswers::add(const ExactAnswer&, const CollectorNote&);

}  // namespace engine
}  // namespace fuselab
