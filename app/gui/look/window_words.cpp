// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/window_words.h"

#include <QCache>
#include <QRegularExpression>
#include <algorithm>
#include <array>

namespace fuselab::gui {
namespace {

constexpr int kKnownMessages = 512;

struct Words {
  const char* of_terminal;  // a regular expression
  const char* of_window;
};

// Commands that one control of the window does.
constexpr std::array kCommands = std::to_array<Words>({
    {"`fuselab baseline save[^`]*`", "“Save baseline…” on the Gate page"},
    {"`fuselab check --help`", "the guide"},
    {"`fuselab check --json-lines FILE` or `--record FILE`", "a run in CI"},
    {"`fuselab check --against COMMIT`", "a commit to compare with, in the terminal program"},
    {"`fuselab baseline extend`", "the terminal program"},
    {"`fuselab bench` or `tune`", "the Tuning page"},
    {"`compare --wide`, `compare --json` and the Results page", "the pages Compare and Results"},
    {"`fuselab compare --wide` marks them, --json has the reasons", "the Compare page marks them and has the reasons"},
    {"`fuselab tune --remeasure SUBJECT`", "“Measure again” on the Tuning page"},
    {"`fuselab tune --remeasure --keep SUBJECT`", "“Measure again” and “Keep all binaries” on the Tuning page"},
    {"`fuselab export` without --no-measure does that", "the Tuning page does that"},
    {"; `fuselab workloads` lists them", "; the list of the field has all"},
    {"`fuselab default clear`", "“Let measurements decide” in the menu Default"},
    {"`fuselab backends (?:install|remove)[^`]*`", "the tab Install on the Devices page"},
});

// Longer phrases come before the options in them: the first that fits is taken.
constexpr std::array kPhrases = std::to_array<Words>({
    {"with --db\\b", "by “Open another database” in the File menu"},
    {"--db names another", "“Open another database” in the File menu names another"},
    {"--db\\b", "“Open another database” in the File menu"},
    {"left out by --no-device\\b", "left out by the choice of devices"},
    {"--no-device\\b", "the devices that are left out"},
    {"--device ([a-z])", "the device \\1"},
    {"--prefer ([a-z])", "prefer \\1"},
    {"--accept-licence\\b", "with its licence accepted"},
    {"--accept ([a-z-]+) takes it", "the box that accepts \\1 takes it"},
    {"--accept ([a-z-]+)", "the box that accepts \\1"},
    {"bind them with --shape\\b", "bind them in the Shape field"},
    {": --shape (\\S+)", ": \\1 in the Shape field"},
    {"(\\d+) --shape for", "\\1 shapes for"},
    {"a --shape\\b", "a Shape"},
    {"--shape (?=[a-z]+=)", "in the Shape field "},
    {"--shape\\b", "Shape"},
    {"--remeasure\\b", "“Measure again”"},
    {"--no-measure\\b", "its box for measured pieces alone"},
    {"--budget (\\d+)", "a Budget of \\1 s"},
    {"--budget\\b", "Budget"},
    {"--trials\\b", "Trials"},
    {"--dtype\\b", "Type"},
    {"--level\\b", "Level"},
    {"--mode\\b", "Caches"},
    {"--seed\\b", "the seed"},
    {"--strategy\\b", "Strategy"},
    {"--keep\\b", "“Keep all binaries”"},
    {"--cold\\b", "“Also cold”"},
    {"--whole\\b", "the option for slow whole models"},
    {"--decide\\b", "the option for more processes"},
    {"--allow-unconfirmed\\b", "“Allow unconfirmed”"},
    {"--require-complete\\b", "“Require complete”"},
    {"--invent-weights\\b", "“Invent weights”"},
    {"more than --max-loss ([\\d.]+)", "more than the \\1 % that are allowed"},
    {"--max-loss\\b", "the most that it may cost"},
    {"--target ([a-z])", "the target \\1"},
    {"--target\\b", "the target"},
    {"--config\\b", "Launch configuration"},
    {"--piece names another", "another one can be chosen in Piece"},
    {"--exact\\b", "the terminal program"},
    {"--seconds gives more", "the terminal program can take more"},
    {"--input\\b", "the file of an input"},
    {"--value\\b", "the number of an input"},
    {"--case\\b", "the choice of cases"},
    {"--cross-machine\\b", "the terminal program"},
    {"--follow-links follows", "the terminal program can follow"},
    {"--feedback\\b", "the output that is fed back"},
    {"--times N\\b", "several runs"},
    {"--steps\\b", "the steps"},
    {"--tolerance\\b", "a tolerance"},
    {"--drill\\b", "the drill"},
    {"--margin\\b", "the margin"},
    {"--dry-run\\b", "on the Models page"},
    {"--expires (\\w+)", "an expiry of \\1"},
    {"--to (\\S+)", "the file \\1"},
});

// The place in the window for a verb of the terminal program.
constexpr std::array kPlaces = std::to_array<Words>({
    {"tune|run", "the Tuning page"},
    {"bench", "“Measure once” on the Tuning page"},
    {"compare", "the Compare page"},
    {"decide|select|crossover|gains", "the Decide page"},
    {"default", "the default backend on the Decide page"},
    {"profile", "the Profile page"},
    {"export", "the Export page"},
    {"inspect", "the bundle on the Export page"},
    {"exec", "Run on the Models page"},
    {"fuse|import", "the Models page"},
    {"workloads", "the list of models"},
    {"devices|survey|backends|ceilings", "the Devices page"},
    {"check|baseline|selftest", "the Gate page"},
    {"history|bisect", "the History page"},
    {"doctor", "Doctor in the Tools menu"},
    {"trust", "Trusted keys in the Tools menu"},
});

QString place_of(const QString& verb) {
  for (const Words& place : kPlaces) {
    const QRegularExpression verbs(QStringLiteral("^(?:%1)$").arg(QString::fromUtf8(place.of_terminal)));
    if (verbs.match(verb).hasMatch()) return QString::fromUtf8(place.of_window);
  }
  return QStringLiteral("the terminal program");
}

// "run `fuselab devices` for all" → "open the Devices page for all".
QString with_places(const QString& text) {
  static const QRegularExpression kCommand(QStringLiteral("(\\brun )?`(?:fuselab(?:-gui)? +)?([a-z]+)(?: [^`]*)?`"));
  static const QRegularExpression kOurs(QStringLiteral("^`fuselab|--|^`(?:tune|fuse|bench|compare|devices)`$"));
  QString changed;
  qsizetype from = 0;
  for (auto found = kCommand.globalMatch(text); found.hasNext();) {
    const QRegularExpressionMatch match = found.next();
    const QString quoted = match.captured().mid(match.captured(1).size());
    if (!kOurs.match(quoted).hasMatch()) continue;
    changed += text.mid(from, match.capturedStart() - from) + (match.captured(1).isEmpty() ? QString() : QStringLiteral("open "));
    changed += place_of(match.captured(2));
    from = match.capturedEnd();
  }
  return changed + text.mid(from);
}

// Messages stand in tables: each pattern is compiled once.
template <typename Phrases>
std::vector<std::pair<QRegularExpression, QString>> compiled(const Phrases& phrases) {
  std::vector<std::pair<QRegularExpression, QString>> patterns;
  for (const Words& phrase : phrases)
    patterns.emplace_back(QRegularExpression(QString::fromUtf8(phrase.of_terminal)), QString::fromUtf8(phrase.of_window));
  return patterns;
}

}  // namespace

QString window_words(const std::string& message) {
  QString text = QString::fromStdString(message);
  const bool names_any = text.contains(QLatin1String("--")) || text.contains(QLatin1Char('`'));
  if (!names_any) return text;
  // A table asks for the same message with every painting, and a hundred patterns take a while.
  thread_local QCache<QString, QString> known(kKnownMessages);
  if (const QString* words = known.object(text)) return *words;
  const QString message_text = text;
  static const auto kCommandPatterns = compiled(kCommands), kPhrasePatterns = compiled(kPhrases);
  for (const auto& [pattern, words] : kCommandPatterns) text.replace(pattern, words);
  text = with_places(text);
  for (const auto& [pattern, words] : kPhrasePatterns) text.replace(pattern, words);
  known.insert(message_text, new QString(text));
  return text;
}

}  // namespace fuselab::gui
