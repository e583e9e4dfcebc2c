// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/hand_over.h"

#include <QAction>
#include <QFileInfo>
#include <QMenu>
#include <algorithm>

#include "app/engine/subject/model_names.h"
#include "app/gui/link/command_text.h"
#include "app/gui/link/snapshots.h"
#include "app/gui/look/figures.h"
#include "core/types/dtype.h"

namespace fuselab::gui {
namespace {

constexpr int kMostInMenu = 100;  // letters of a command

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::hand_over", text);
}

class Ways {
 public:
  Ways(const Handed& handed, PageId from, const engine::Config& config) : handed_(handed), from_(from), config_(config) {}

  std::vector<WayOn> take() {
    if (!handed_.graph.isEmpty()) tune(QStringLiteral("tune-piece"), tr("Tune this piece"), of_piece());
    if (!handed_.model.isEmpty()) tune(QStringLiteral("tune-model"), tr("Tune this model"), of_model());
    profile();
    stored();
    run();
    const bool piece_alone = handed_.model.isEmpty();
    if (!handed_.model.isEmpty() || !handed_.graph.isEmpty())
      add(QStringLiteral("export"), piece_alone ? tr("Export this piece") : tr("Export this model"), PageId::kExport,
          piece_alone ? of_piece() : of_model(),
          subject("export", piece_alone, "f32").option("to", file_name() + ".fuselab").text());
    return std::move(ways_);
  }

 private:
  // A page is no way on from itself, except to another model or piece that it can be given.
  void add(const QString& name, const QString& text, PageId page, const Handed& handed, const std::string& command) {
    if (page != from_) ways_.push_back({name, text, page, handed, command});
  }

  Handed of_model() const {
    Handed model;
    model.model = handed_.model;
    model.binding = handed_.binding;
    model.dtype = handed_.dtype;
    model.level = handed_.level;
    model.device = handed_.device;
    return model;
  }
  Handed of_piece() const {
    Handed piece = handed_;
    piece.model.clear();
    piece.binding.clear();
    piece.trial.clear();
    return piece;
  }

  // What is stored of a model may be of another type than the usual one: a command that looks at it names the type.
  CommandText subject(const char* verb, bool piece, const char* usual_type) const {
    CommandText command(config_, verb);
    command.word((piece ? handed_.graph : handed_.model).toStdString());
    if (piece) return command;
    command.option("shape", handed_.binding.toStdString()).option("dtype", handed_.dtype.toStdString(), usual_type);
    return command.option("level", handed_.level.toStdString(), engine::JobSpec().level);
  }
  std::string on_device(CommandText command) const { return command.option("device", handed_.device.toStdString()).text(); }

  std::string file_name() const {
    const QString name = QFileInfo(handed_.model).completeBaseName();
    return name.isEmpty() || name.contains(u'(') ? "model" : name.toStdString();
  }

  void tune(const QString& name, const QString& text, const Handed& handed) {
    add(name, text, PageId::kTuning, handed, on_device(subject("tune", !handed.graph.isEmpty(), "f32")));
  }

  void profile() {
    const QString name = QStringLiteral("profile");
    const std::string trial = handed_.trial.toStdString();
    if (!trial.empty()) {
      add(name, tr("Profile this trial"), PageId::kProfile, handed_, CommandText(config_, "profile").option("trial", trial).text());
      Handed source = handed_;
      source.source = true;
      ways_.push_back({QStringLiteral("source"), tr("Source of this trial"), PageId::kResults, source,
                       CommandText(config_, "profile").option("trial", trial).flag("all", true).text()});
    } else if (!handed_.model.isEmpty()) {
      const std::string piece = handed_.piece_key.toStdString();
      add(name, piece.empty() ? tr("Profile this model") : tr("Profile this piece"), PageId::kProfile, handed_,
          on_device(subject("profile", false, "").option("piece", piece)));
    } else if (!handed_.graph.isEmpty()) {
      add(name, tr("Profile this piece"), PageId::kProfile, handed_, on_device(subject("profile", true, "")));
    }
  }

  void stored() {
    if (!handed_.piece_key.isEmpty()) add(QStringLiteral("results"), tr("Results of this piece"), PageId::kResults, handed_, {});
    if (!handed_.model.isEmpty())
      add(QStringLiteral("compare"), handed_.piece_key.isEmpty() ? tr("Compare this model") : tr("Compare this piece"),
          PageId::kCompare, handed_, on_device(subject("compare", false, "")));
    else if (!handed_.piece_key.isEmpty())
      add(QStringLiteral("compare"), tr("Compare this piece"), PageId::kCompare, handed_, {});
  }

  void run() {
    const std::string id = handed_.run.toStdString();
    if (id.empty()) return;
    const auto figures = [&](const char* verb) { return CommandText(config_, verb).option("run", id).text(); };
    Handed run;
    run.run = handed_.run;
    add(QStringLiteral("run-results"), tr("Trials of this run"), PageId::kResults, run, {});
    add(QStringLiteral("run-compare"), tr("Figures of this run"), PageId::kCompare, run, figures("compare"));
    add(QStringLiteral("run-decide"), tr("Decide from this run"), PageId::kDecide, run, figures("decide"));
    add(QStringLiteral("run-diff"), tr("Compare with another run"), PageId::kDiff, run, {});
  }

  const Handed& handed_;
  PageId from_;
  const engine::Config& config_;
  std::vector<WayOn> ways_;
};

}  // namespace

std::vector<WayOn> ways_on(const Handed& handed, PageId from, const engine::Config& config) {
  return Ways(handed, from, config).take();
}

void add_ways_on(QMenu& menu, const std::vector<WayOn>& ways, const std::string& own_command,
                 const std::function<void(const WayOn&)>& go, const std::function<void(const std::string&)>& copy) {
  for (const WayOn& way : ways) {
    QAction* const action = menu.addAction(way.text, &menu, [go, way] { go(way); });
    action->setObjectName(QStringLiteral("handover.") + way.name);
  }
  auto* const commands = new QMenu(tr("Copy as command"), &menu);
  const auto offer = [&](const QString& name, const std::string& command) {
    if (command.empty()) return;
    QString text = text_of(command);
    if (text.size() > kMostInMenu) text = text.left(kMostInMenu - 1) + kPendingText;
    QAction* const action =
        commands->addAction(text.replace(u'&', QStringLiteral("&&")), &menu, [copy, command] { copy(command); });
    action->setObjectName(QStringLiteral("copy.") + name);
    action->setData(text_of(command));
  };
  offer(QStringLiteral("page"), own_command);
  for (const WayOn& way : ways) offer(way.name, way.command);
  if (!menu.isEmpty()) menu.addSeparator();
  menu.addMenu(commands);
  commands->setEnabled(!commands->isEmpty());
}

Handed stored_piece(const Snapshots& views, const CurrentModel& models, const std::string& piece_key) {
  Handed handed;
  handed.piece_key = text_of(piece_key);
  const auto catalog = views.catalog();
  if (catalog == nullptr) return handed;
  const auto piece = std::find_if(catalog->pieces.begin(), catalog->pieces.end(),
                                  [&](const PieceRecord& record) { return record.key == piece_key; });
  if (piece != catalog->pieces.end()) {
    handed.piece = text_of(piece->name);
    handed.graph = text_of(piece->canonical_text);
  }
  const auto use = std::find_if(catalog->model_pieces.begin(), catalog->model_pieces.end(), [&](const ModelPieceRecord& record) {
    return record.piece_key == piece_key && record.position != ModelPieceRecord::kWholeModel;
  });
  if (use == catalog->model_pieces.end()) return handed;
  handed.model = models.subject_of(text_of(engine::ModelNames(*catalog).shown(use->model)));
  handed.binding = text_of(use->binding);
  handed.dtype = text_of(use->dtype);
  handed.level = text_of(use->level);
  return handed;
}

Handed gated_subject(const std::string& subject, const std::string& device) {
  Handed handed;
  handed.device = text_of(device);
  const QString text = text_of(subject);
  if (text.startsWith(QLatin1String("graph"))) {
    handed.graph = text;
    return handed;
  }
  // The type and the extents stand at the end, and a path in front of them may hold blanks.
  QStringList words = text.split(u' ');
  if (words.size() > 1 && parse_dtype(words.last().toStdString())) handed.dtype = words.takeLast();
  if (words.size() > 1 && words.last().contains(u'=')) handed.binding = words.takeLast();
  handed.model = words.join(u' ');
  return handed;
}

}  // namespace fuselab::gui
