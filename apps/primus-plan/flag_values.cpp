#include "flag_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "command.h"
#include "primus_plan/backends/backend.h"
#include "primus_plan/config/launch.h"
#include "primus_plan/support/text.h"

namespace primus_plan::app {

namespace {

std::string must_be(std::string_view what, std::string_view text) {
  return fmt::format("must be {}, not '{}'", what, text);
}

std::string fault_of_whole_number(const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  const bool legal = error == std::errc{} && at == end && number >= least && number <= most;
  if (legal && text == std::to_string(number)) return {};
  return must_be(fmt::format("a whole number from {} to {}", least, most), text);
}

/// "--strict = maybe" in two.
std::pair<std::string, std::string> halves(std::string_view text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + separator.size()))};
}

std::string conversion_fault(std::string_view said, const CLI::App& app) {
  const auto [name, value] = halves(halves(said, ": ").second, " = ");
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr || option->get_items_expected_max() > 0) return fmt::format("{} cannot be '{}'", name, value);
  return fmt::format("{} takes no value: leave out ={}", name, value);
}

std::string validation_fault(std::string_view said) {
  const auto [name, fault] = halves(said, ": ");
  const bool has_subject = fault.starts_with("must ") || fault.starts_with("needs ");
  return has_subject ? name + " " + fault : std::string(said);
}

std::string count_fault(std::string_view said, std::string_view command) {
  const auto [name, fault] = halves(said, ": ");
  return fault.starts_with("At Most 1 required")
             ? fmt::format("{} is given more than once", name)
             : fmt::format("{} needs a value (see primus-plan {} --help)", name, command);
}

}  // namespace

std::string with_rule(std::string_view sentence, std::string_view rule_id) {
  const RuleInfo* rule = find_rule(rule_id);
  return rule == nullptr ? std::string(sentence) : fmt::format("{} [{} {}]", sentence, rule->id, rule->name);
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return {[least, most](const std::string& text) { return fault_of_whole_number(text, least, most); }, ""};
}

CLI::Validator launch_size() {
  const auto refuse = [](const std::string& text) {
    const std::string fault = fault_of_whole_number(text, 1, largest_launch);
    return fault.empty() ? fault : with_rule(fault, "CF216");
  };
  return {refuse, ""};
}

CLI::Validator real_number(double least, double most, std::string_view unit) {
  const auto refuse = [least, most, unit = std::string(unit)](const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && at == end && number >= least && number <= most) return std::string();
    return must_be(fmt::format("a number of {} from {:.15g} to {:.15g}", unit, least, most), text);
  };
  return {refuse, ""};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto refuse = [words](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return must_be((words.size() > 1 ? "one of " : "") + join(words, ", "), text);
  };
  // The form that option_table reads.
  return {refuse, "{" + CLI::detail::join(words, ",") + "}"};
}

std::string usage_fault(const CLI::ParseError& error, const CLI::App& app, std::string_view command) {
  const std::string_view said = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return fmt::format("{} (see primus-plan {} --help)", said, command);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return conversion_fault(said, app);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return validation_fault(said);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return count_fault(said, command);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    const auto [one, other] = halves(said, " excludes ");
    return fmt::format("{} and {} exclude each other", one, other);
  }
  return std::string(said);
}

}  // namespace primus_plan::app
