// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/subject_list.h"

#include <QRegularExpression>
#include <QStringList>

namespace fuselab::gui {
namespace {

constexpr QChar kBackslash = u'\\';

// Returns where the graph text that begins at `start` ends, or `start` itself if none begins there or it does not end.
qsizetype end_of_graph(const QString& text, qsizetype start) {
  static const QRegularExpression kHead(QStringLiteral("\\Ggraph\\s*\\("));
  if (!kHead.match(text, start, QRegularExpression::NormalMatch, QRegularExpression::NoMatchOption).hasMatch()) return start;
  int depth = 0;
  for (qsizetype at = start; at < text.size(); ++at) {
    const QChar sign = text[at];
    if (QStringLiteral("([{").contains(sign)) ++depth;
    if (!QStringLiteral(")]}").contains(sign)) continue;
    --depth;
    if (depth <= 0 && sign == u'}') return at + 1;
  }
  return start;
}

class Splitter {
 public:
  explicit Splitter(const QString& text) : text_(text) {}

  std::vector<std::string> split() {
    while (at_ < text_.size()) take(text_[at_]);
    end_word();
    return std::move(words_);
  }

 private:
  void take(QChar sign) {
    if (sign.isSpace()) {
      ++at_;
      return end_word();
    }
    if (!begun_) {
      begun_ = true;
      const qsizetype end = end_of_graph(text_, at_);
      word_ = text_.mid(at_, end - at_);
      at_ = end;
      if (!word_.isEmpty()) return;
    }
    ++at_;
    if (sign == u'"' || sign == u'\'') return take_quoted(sign);
    if (sign == kBackslash && at_ < text_.size()) sign = text_[at_++];
    word_ += sign;
  }

  void take_quoted(QChar quote) {
    while (at_ < text_.size()) {
      QChar sign = text_[at_++];
      if (sign == quote) return;
      const bool escapes = quote == u'"' && sign == kBackslash && at_ < text_.size();
      if (escapes && (text_[at_] == u'"' || text_[at_] == kBackslash)) sign = text_[at_++];
      word_ += sign;
    }
  }

  void end_word() {
    if (begun_) words_.push_back(word_.toStdString());
    begun_ = false;
    word_.clear();
  }

  const QString& text_;
  qsizetype at_ = 0;
  bool begun_ = false;
  QString word_;
  std::vector<std::string> words_;
};

QString quoted(QString subject) {
  subject.replace(kBackslash, QLatin1String("\\\\")).replace(u'"', QLatin1String("\\\""));
  return u'"' + subject + u'"';
}

}  // namespace

std::vector<std::string> split_subjects(const QString& text) {
  return Splitter(text).split();
}

QString joined_subjects(const std::vector<std::string>& subjects) {
  QStringList line;
  for (const std::string& subject : subjects) {
    const QString plain = QString::fromStdString(subject);
    line << (split_subjects(plain) == std::vector<std::string>{subject} ? plain : quoted(plain));
  }
  return line.join(u' ');
}

}  // namespace fuselab::gui
