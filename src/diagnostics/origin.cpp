#include "primus_plan/diagnostics/origin.h"

#include <fmt/core.h>

#include <utility>

namespace primus_plan {
namespace {

/// Lines as editors count them: they end with LF, CR LF or a lone CR.
std::vector<std::size_t> find_line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t i = text.find_first_of("\r\n"); i != std::string_view::npos; i = text.find_first_of("\r\n", i)) {
    i += text.substr(i, 2) == "\r\n" ? 2 : 1;
    starts.push_back(i);
  }
  return starts;
}

}  // namespace

Source::Source(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), line_starts_(find_line_starts(text_)) {}

std::string_view Source::line(std::uint32_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  const std::size_t begin = line_starts_[number - 1];
  const std::size_t end = number < line_starts_.size() ? line_starts_[number] : text_.size();
  std::string_view line = std::string_view(text_).substr(begin, end - begin);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::string_view to_string(Layer layer) {
  switch (layer) {
    case Layer::backend_default:
      return "backend default";
    case Layer::module_preset:
      return "module preset";
    case Layer::model_preset:
      return "model preset";
    case Layer::platform_preset:
      return "platform preset";
    case Layer::experiment:
      return "experiment";
    case Layer::environment:
      return "environment";
    case Layer::command_line:
      return "command line";
    case Layer::runtime:
      return "runtime";
  }
  return "backend default";
}

bool is_preset(Layer layer) {
  return layer == Layer::module_preset || layer == Layer::model_preset || layer == Layer::platform_preset;
}

std::string to_string(const Origin& origin) {
  if (origin.source == nullptr) return std::string(to_string(origin.layer));
  return fmt::format("{}:{}:{}", origin.source->path(), origin.line, origin.column);
}

}  // namespace primus_plan
