// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/trust_dialog.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/arrangement.h"

namespace fuselab::gui {

TrustDialog::TrustDialog(engine::Config config, QWidget* parent)
    : QDialog(parent),
      config_(std::move(config)),
      own_(new QLineEdit(this)),
      known_(new QPlainTextEdit(this)),
      key_(new QLineEdit(this)),
      answer_(make_line(QStringLiteral("trust.answer"))) {
  setObjectName(QStringLiteral("trust"));
  setWindowTitle(tr("Trusted keys"));
  setAttribute(Qt::WA_DeleteOnClose);
  const Named named{"trust."};
  named(own_, "own", tr("Your key"), tr("What a colleague adds to accept your binaries"))->setReadOnly(true);
  named(known_, "known", tr("Trusted keys"), tr("Binaries signed by these run here"))->setReadOnly(true);
  known_->setTabChangesFocus(true);
  named(key_, "key", tr("Another key"), tr("Binaries signed by it run here with your rights. Add keys of people you trust alone"));
  key_->setPlaceholderText(QStringLiteral("fuselab-ed25519 …"));
  auto* button = named(new QPushButton(tr("Trust this key"), this), "add", tr("Trust this key"), key_->toolTip());
  connect(button, &QPushButton::clicked, this, &TrustDialog::add);
  auto* form = new QFormLayout;
  form->addRow(own_->accessibleName(), own_);
  form->addRow(known_->accessibleName(), known_);
  form->addRow(key_->accessibleName(), key_);
  auto* column = new QVBoxLayout(this);
  column->addLayout(form);
  column->addWidget(answer_);
  column->addWidget(button, 0, Qt::AlignRight);
  resize(720, 320);
  show_keys();
}

void TrustDialog::show_keys() {
  const auto own = engine::own_public_key(config_);
  own_->setText(own.ok() ? text_of(own.value()) : QString());
  if (!own.ok()) show_line(answer_, window_words(own.error()), Tone::kBad);
  QStringList lines;
  const auto signers = engine::trusted_signers(config_);
  if (!signers.ok()) return show_line(answer_, window_words(signers.error()), Tone::kBad);
  for (const engine::TrustedSigner& signer : signers.value())
    lines << QStringLiteral("%1  %2").arg(text_of(signer.public_key), text_of(signer.name));
  known_->setPlainText(lines.join(QLatin1Char('\n')));
}

void TrustDialog::add() {
  const auto signer = engine::trust(config_, key_->text().trimmed().toStdString());
  if (!signer.ok()) return show_line(answer_, window_words(signer.error()), Tone::kBad);
  key_->clear();
  show_keys();
  show_line(answer_, tr("Binaries signed by %1 are accepted from now on.").arg(text_of(signer.value().name)), Tone::kGood);
  emit trusted();
}

}  // namespace fuselab::gui
