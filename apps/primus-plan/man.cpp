#include <fmt/core.h>

#include <algorithm>

#include "command.h"
#include "option_table.h"
#include "output.h"
#include "primus_plan/support/text.h"
#include "primus_plan/version.h"

namespace primus_plan::app {

namespace {

/// Plain text for troff: backslashes, hyphens that are to be typed, and dots that begin a line are written out; so is
/// the ellipsis, the one character beyond ASCII in the flags' descriptions.
std::string roff(std::string_view text) {
  constexpr std::string_view ellipsis = "\u2026";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool line_start = out.empty() || out.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (text.substr(i, ellipsis.size()) == ellipsis) {
      out += "\\&...";
      i += ellipsis.size() - 1;
    } else {
      out += c;
    }
  }
  return out;
}

std::string option_entry(const OptionRow& option) {
  std::string head;
  for (const std::string& name : option.names) {
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(name));
  }
  if (!option.value.empty() && !option.is_positional()) {
    const std::string value = fmt::format("\\fI{}\\fR", roff(option.value));
    head += option.value_is_optional ? fmt::format(" [{}]", value) : " " + value;
  }
  std::string text = fmt::format(".TP\n{}\n{}", head, roff(option.description));
  const bool listed = std::ranges::all_of(
      option.choices, [&](const std::string& choice) { return option.description.find(choice) != std::string::npos; });
  if (!listed) text += fmt::format(": {}", roff(join(option.choices, ", ")));
  return text + "\n";
}

/// Flags that most commands have are described once.
bool is_common(const OptionRow& option, const std::vector<CommandRow>& table) {
  constexpr std::ptrdiff_t enough = 3;
  return std::ranges::count_if(table, [&](const CommandRow& command) {
           return std::ranges::find(command.options, option) != command.options.end();
         }) >= enough;
}

std::string command_section(const CommandRow& command, const std::vector<CommandRow>& table) {
  std::string synopsis;
  std::string entries;
  bool common = false;
  for (const OptionRow& option : command.options) {
    if (option.is_positional()) synopsis += fmt::format(" \\fI{}\\fR", roff(option.names.front()));
    if (is_common(option, table)) {
      common = true;
    } else {
      entries += option_entry(option);
    }
  }
  return fmt::format(".SS \\fBprimus\\-plan {}\\fR{}{}\n{}.\n{}", roff(command.name), common ? " [\\fIFLAGS\\fR]" : "",
                     synopsis, roff(command.description), entries);
}

std::string common_section(const std::vector<CommandRow>& table) {
  std::vector<OptionRow> seen;
  std::string text;
  for (const CommandRow& command : table) {
    for (const OptionRow& option : command.options) {
      if (option.is_positional() || std::ranges::find(seen, option) != seen.end() || !is_common(option, table))
        continue;
      seen.push_back(option);
      text += option_entry(option);
    }
  }
  return text;
}

constexpr std::string_view description =
    "primus\\-plan reads the parallelism configuration of an LLM training experiment (Primus YAML for Megatron\\-LM, "
    "TorchTitan and MaxText) before a GPU is touched and says what the run will really do, and whether it will start.\n"
    ".PP\nTokens after \\fB\\-\\-\\fR are Primus's own command\\-line overrides.\n";

constexpr std::string_view tail =
    ".SH EXIT STATUS\n"
    ".TP\n0\nclean, or only warnings and notes\n"
    ".TP\n1\nerrors were found (with \\fB\\-\\-strict\\fR warnings too), or \\fB\\-\\-diff\\fR has something to "
    "change\n"
    ".TP\n2\nwrong usage, an unreadable or unwritable file, or an internal fault\n"
    ".SH ENVIRONMENT\n"
    ".TP\nPRIMUS_ROOT, PRIMUS_PATH\nthe Primus tree whose presets are used\n"
    ".TP\nNNODES, GPUS_PER_NODE, WORLD_SIZE, SLURM_NNODES\nthe size of the launch\n"
    ".TP\nNO_COLOR, FORCE_COLOR\ncolours off or on\n";

std::string page() {
  const std::vector<CommandRow> table = option_table();
  std::string text = fmt::format(
      ".TH PRIMUS\\-PLAN 1 \"\" \"primus\\-plan {}\"\n.SH NAME\nprimus\\-plan \\- say what a training run will do "
      "before it starts\n.SH SYNOPSIS\n\\fBprimus\\-plan\\fR \\fICOMMAND\\fR [\\fIFLAGS\\fR] \\fIFILE\\fR ... "
      "[\\-\\- \\fIPRIMUS OVERRIDES\\fR]\n.SH DESCRIPTION\n{}.SH COMMANDS\n",
      roff(version), description);
  for (const CommandRow& command : table) text += command_section(command, table);
  return text + ".SH COMMON FLAGS\n" + common_section(table) + std::string(tail);
}

}  // namespace

Run declare_man(CLI::App& /*app*/, const std::vector<std::string>& /*tokens*/) {
  return [] {
    write_stdout(page());
    return exit_clean;
  };
}

}  // namespace primus_plan::app
