// SPDX-License-Identifier: Apache-2.0
#include "app/reports/page_style.h"

#include "embedded/report_css.h"

namespace fuselab::reports {

std::string_view page_style() {
  return embedded_files().front().text;
}

}  // namespace fuselab::reports
