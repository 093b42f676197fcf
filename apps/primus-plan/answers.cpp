#include "answers.h"

#include <utility>

#include "command.h"

namespace primus_plan::app {

void Answers::add(std::optional<std::string> answer) {
  if (answer) {
    answers_.push_back(*std::move(answer));
  } else {
    complete_ = false;
  }
}

int Answers::finish() {
  if (!answers_.empty()) output_.write(joined_answers(answers_, json_));
  output_.finish();
  return complete_ ? exit_clean : exit_findings;
}

}  // namespace primus_plan::app
