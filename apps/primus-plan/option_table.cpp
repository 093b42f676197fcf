#include "option_table.h"

#include <sstream>

#include "command.h"

namespace primus_plan::app {

namespace {

/// CLI11 appends the words of IsMember to the type name: "TEXT:{a,b}".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::vector<std::string> out;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) out.push_back(word);
  return out;
}

OptionRow row_of(const CLI::Option& option) {
  OptionRow row{
      .names = {}, .description = option.get_description(), .value = {}, .choices = {}, .group = option.get_group()};
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  if (row.names.empty()) row.names.push_back(option.get_single_name());
  // A flag of CLI11 has the type of its variable; that it takes no words is said by the number it expects.
  if (option.get_items_expected_max() == 0) return row;
  const std::string type = option.get_type_name();
  row.choices = choices_of(type);
  row.value = row.is_positional() ? row.names.front() : type.substr(0, type.find_first_of(":{ "));
  if (row.value.empty() || row.value == "TEXT") row.value = "WORD";
  row.value_is_optional = !row.is_positional() && option.get_items_expected_min() == 0;
  return row;
}

}  // namespace

std::vector<CommandRow> option_table() {
  std::vector<CommandRow> out;
  for (const Command& command : commands()) {
    CLI::App app;
    app.set_help_flag("-h,--help", "this help");
    static_cast<void>(command.declare(app, {}));
    CommandRow& row = out.emplace_back(CommandRow{std::string(command.name), std::string(command.description), {}});
    for (const CLI::Option* option : app.get_options()) row.options.push_back(row_of(*option));
  }
  return out;
}

}  // namespace primus_plan::app
