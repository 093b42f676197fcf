#include "answers.h"

#include <utility>

#include "command.h"

namespace primus_plan::app {

void Answers::add(std::optional<std::string> answer, bool starts) {
  sound_ = sound_ && answer && starts;
  if (answer) answers_.push_back(*std::move(answer));
}

int Answers::finish() {
  if (!answers_.empty()) output_.write(joined_answers(answers_, json_));
  output_.finish();
  return sound_ ? exit_clean : exit_findings;
}

}  // namespace primus_plan::app
