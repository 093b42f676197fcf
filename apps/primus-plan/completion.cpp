#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "command.h"
#include "flag_values.h"
#include "option_table.h"
#include "output.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

using Table = std::vector<CommandRow>;

/// Single quotes for a POSIX shell: a quote inside ends the text, stands escaped, and begins it again.
std::string quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

/// What `escaped` holds gets a backslash.
std::string escape(std::string_view text, std::string_view escaped) {
  std::string out;
  for (const char c : text) {
    if (escaped.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

bool takes_files(const OptionRow& option) {
  return option.value == "FILE" || option.value == "DIR" || option.value.ends_with("=FILE");
}

// ---- bash ----

std::string bash_case(const CommandRow& command, const OptionRow& option) {
  std::string labels;
  for (const std::string& name : option.names) {
    labels += fmt::format("{}'{} {}'", labels.empty() ? "" : "|", command.name, name);
  }
  if (!option.choices.empty()) {
    return fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", labels,
                       join(option.choices, " "));
  }
  // An empty answer lets readline complete files; other values are the user's own. Where no value need follow, a dash
  // begins the next flag.
  return fmt::format("    {}) {}{}return ;;\n", labels, takes_files(option) ? "" : "compopt +o default; ",
                     option.value_is_optional ? "[[ $word == -* ]] || " : "");
}

std::string bash_script(const Table& table) {
  std::string cases;
  std::string words;
  std::string names;
  for (const CommandRow& command : table) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string flags;
    std::string arguments;
    for (const OptionRow& option : command.options) {
      if (option.is_positional()) {
        for (const std::string& choice : option.choices) arguments += " " + choice;
        continue;
      }
      for (const std::string& name : option.names) flags += " " + name;
      if (!option.value.empty()) cases += bash_case(command, option);
    }
    words += fmt::format("    {}) flags='{}' arguments='{}' ;;\n", command.name, flags.substr(1),
                         arguments.empty() ? "" : arguments.substr(1));
  }
  return fmt::format(R"(# bash completion for primus-plan
_primus_plan() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local flags= arguments=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  # bash takes --flag=value apart at the equals sign
  if [[ $word == = ]]; then word=; fi
  if [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case "$command $previous" in
{}  esac
  case "$command" in
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ -n $arguments ]]; then
    COMPREPLY=($(compgen -W "$arguments" -- "$word"))
  fi
}}
complete -o default -F _primus_plan primus-plan
)",
                     names, cases, words);
}

// ---- zsh ----

std::string zsh_action(const OptionRow& option) {
  if (!option.choices.empty()) return fmt::format("({})", join(option.choices, " "));
  if (option.value == "DIR") return "_files -/";
  return takes_files(option) ? "_files" : " ";
}

std::string zsh_option(const OptionRow& option, const std::string& name) {
  const std::string description = escape(option.description, "[]:\\");
  if (option.value.empty()) return quote(fmt::format("*{}[{}]", name, description));
  const std::string_view joint = name.starts_with("--") ? "=" : "+";
  return quote(fmt::format("*{}{}[{}]:{}{}:{}", name, joint, description, option.value_is_optional ? ":" : "",
                           escape(option.value, ":\\"), zsh_action(option)));
}

std::string zsh_script(const Table& table) {
  std::string names;
  std::string cases;
  for (const CommandRow& command : table) {
    names += fmt::format("    {}\n", quote(command.name + ":" + escape(command.description, ":\\")));
    std::string specs;
    for (const OptionRow& option : command.options) {
      if (option.is_positional()) {
        specs += " \\\n        " +
                 quote(fmt::format("*:{}:{}", option.value, option.choices.empty() ? "_files" : zsh_action(option)));
        continue;
      }
      for (const std::string& name : option.names) specs += " \\\n        " + zsh_option(option, name);
    }
    cases += fmt::format("    {})\n      _arguments -s{}\n      ;;\n", command.name, specs);
  }
  return fmt::format(R"(#compdef primus-plan
_primus_plan() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{}  esac
}}
# sourced: registers; loaded from fpath: completes
if [[ $funcstack[1] == _primus-plan ]]; then
  _primus_plan "$@"
else
  compdef _primus_plan primus-plan
fi
)",
                     names, cases);
}

// ---- fish ----

std::string fish_quote(std::string_view text) { return "'" + escape(text, "'\\") + "'"; }

std::string fish_option(const CommandRow& command, const OptionRow& option) {
  std::string out = fmt::format("complete -c primus-plan -n '__fish_seen_subcommand_from {}'", command.name);
  if (!option.is_positional()) {
    for (const std::string& name : option.names) {
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    // Without either fish takes the next word for a file or a flag, which an optional value may be.
    if (!option.value.empty() && !option.value_is_optional) out += takes_files(option) ? " -r -F" : " -x";
    out += " -d " + fish_quote(option.description);
  }
  if (!option.choices.empty()) out += fmt::format(" -a '{}'", join(option.choices, " "));
  return out + "\n";
}

std::string fish_script(const Table& table) {
  std::string out = "# fish completion for primus-plan\n";
  for (const CommandRow& command : table) {
    out += fmt::format("complete -c primus-plan -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                       fish_quote(command.description));
  }
  for (const CommandRow& command : table) {
    for (const OptionRow& option : command.options) {
      if (!option.is_positional() || !option.choices.empty()) out += fish_option(command, option);
    }
  }
  return out;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const Table& table);
};
constexpr std::array<Shell, 3> shells{{{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}}};

int print_script(const std::string& shell) {
  for (const Shell& known : shells) {
    if (known.name == shell) write_stdout(known.script(option_table()));
  }
  return exit_clean;
}

}  // namespace

Run declare_completion(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto shell = std::make_shared<std::string>();
  std::vector<std::string> names;
  std::ranges::transform(shells, std::back_inserter(names), [](const Shell& known) { return std::string(known.name); });
  app.add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(one_of(names));
  return [shell] { return print_script(*shell); };
}

}  // namespace primus_plan::app
