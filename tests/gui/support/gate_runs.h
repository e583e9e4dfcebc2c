// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace fuselab::gui::test {

// Forty runs of the gate as a file of JSON lines in this folder: `gelu` stays, `softmax` is 10 % slower from the 26th run on, when
// the driver changed, too; one of its runs is far off. The file's name.
QString write_gate_runs(const QString& folder);

}  // namespace fuselab::gui::test
