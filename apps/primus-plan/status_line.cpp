#include "status_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "output.h"
#include "primus_plan/support/terminal_text.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

void write_as_it_is(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

StatusLine::StatusLine() : is_at_terminal_(::isatty(STDERR_FILENO) == 1) {}

void StatusLine::show(std::string_view line) {
  if (!is_at_terminal_) return say(std::string(line) + "\n");
  const std::string safe = terminal_text(line);
  const std::size_t columns = display_width(safe);
  write_as_it_is("\r" + safe + std::string(columns_ - std::min(columns_, columns), ' '));
  columns_ = columns;
}

void StatusLine::clear() {
  if (columns_ == 0) return;
  show("");
  write_as_it_is("\r");
}

}  // namespace primus_plan::app
