#include <fmt/core.h>

#include <utility>

#include "report/paint.h"
#include "report/wrap.h"
#include "session/command.h"

namespace primus_plan::session {

namespace {

/// Scripts that call scripts.
constexpr int deepest_script = 8;

std::string usage(const Command& command) {
  return fmt::format("{}{}{}", command.name, command.form.empty() ? "" : " ", command.form);
}

std::string list_text(const TextStyle& style) {
  const Paint paint(style.color);
  std::string text;
  std::string_view group;
  for (const Command& command : commands()) {
    if (command.group != group) text += fmt::format("{}{}\n", group.empty() ? "" : "\n", paint.bold(command.group));
    group = command.group;
    text += wrapped(fmt::format("  {:<9} {}", command.name, command.help), 12, style) + "\n";
  }
  text += "\n";
  text += wrapped(
      "Which layout fits, and write it down: show, goal fits, plan, apply 1, write. help COMMAND says more; Tab "
      "completes.",
      0, style);
  return text + "\n";
}

Result command_help(const Command& command) {
  Result out;
  out.text = [&command](const TextStyle& style) {
    std::string text = Paint(style.color).bold(usage(command)) + "\n";
    text += wrapped(fmt::format("  {}", command.help), 2, style) + "\n";
    std::string_view more = command.more;
    while (!more.empty()) {
      const std::string_view line = more.substr(0, more.find('\n'));
      text += wrapped(fmt::format("  {}", line), 4, style) + "\n";
      more.remove_prefix(std::min(line.size() + 1, more.size()));
    }
    return text;
  };
  return out;
}

std::string trouble(const std::string& name, std::size_t number, const std::string& error) {
  return fmt::format("{}:{}: {}", name, number, error);
}

}  // namespace

Result run_help(Session& /*session*/, const Line& line) {
  if (line.count() > 1) {
    const Command* command = find_command(line[1]);
    if (command != nullptr) return command_help(*command);
    std::vector<std::string> names;
    for (const Command& known : commands()) names.emplace_back(known.name);
    throw Refusal(fmt::format("no command {}{}", line[1], hint(line[1], names)));
  }
  Result out;
  out.text = list_text;
  return out;
}

Result run_quit(Session& /*session*/, const Line& /*line*/) {
  Result out;
  out.ends = true;
  return out;
}

Result run_script(Session& session, const Line& line) {
  if (session.desk.script_depth >= deepest_script) throw Refusal("scripts call scripts too deep");
  const std::string name = without_quotes(line[1], "the name of the script");
  const std::string text = session.host().read(name);
  Result out;
  ++session.desk.script_depth;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size() && out.ok && !out.ends;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    ++number;
    const std::string command = text.substr(at, end - at);
    at = end + 1;
    if (out.was_stopped && is_command(command)) {
      out.ok = false;
      out.error = trouble(name, number, std::string(not_run));
      break;
    }
    Result one = session.run(command);
    if (one.command.empty()) continue;
    out.was_stopped = one.was_stopped;
    out.ends = one.ends;
    if (!one.ok) {
      out.ok = false;
      out.error = trouble(name, number, one.error);
    }
    out.inner.push_back(std::move(one));
  }
  --session.desk.script_depth;
  return out;
}

}  // namespace primus_plan::session
