// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/model_check.h"

#include "app/engine/subject/subject.h"

namespace fuselab::gui {

Status check_choice(const engine::Config& config, const ModelChoice& choice) {
  const std::string subject = choice.subject.toStdString();
  FL_TRY([[maybe_unused]] const std::string known, engine::own_part_of_shape(subject, {}, config.model_links));
  return engine::check_shape_names({subject}, choice.binding.toStdString(), config.model_links);
}

}  // namespace fuselab::gui
