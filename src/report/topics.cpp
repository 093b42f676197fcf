#include "primus_plan/report/topics.h"

#include <fmt/core.h>

#include "primus_plan/config/embedded.h"
#include "report/json_writer.h"
#include "report/paint.h"

namespace primus_plan {
namespace {

/// The first line is the title, the text follows after an empty line.
struct Topic {
  std::string_view title;
  std::string_view text;
};

Topic split(std::string_view file) {
  const std::size_t end = file.find('\n');
  std::string_view text = file.substr(end);
  text.remove_prefix(text.find_first_not_of('\n'));
  return {file.substr(0, end), text};
}

std::string_view name_of(const EmbeddedFile& file) { return file.path.substr(0, file.path.rfind('.')); }

}  // namespace

std::vector<std::string_view> topic_names() {
  std::vector<std::string_view> out;
  for (const EmbeddedFile& file : embedded_topics()) out.push_back(name_of(file));
  return out;
}

std::optional<std::string> explain_topic(std::string_view name, std::string_view format, const TextStyle& style) {
  for (const EmbeddedFile& file : embedded_topics()) {
    if (name_of(file) != name) continue;
    const Topic topic = split(file.text);
    if (format == "json") {
      JsonWriter json;
      json.begin_object().key("topic").string(name).key("title").string(topic.title);
      json.key("text").string(topic.text).end_object();
      return json.take() + '\n';
    }
    if (format == "markdown") return fmt::format("## {}\n\n```text\n{}```\n", topic.title, topic.text);
    return fmt::format("{}\n\n{}", Paint(style.color).bold(topic.title), topic.text);
  }
  return std::nullopt;
}

}  // namespace primus_plan
