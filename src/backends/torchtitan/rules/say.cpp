#include "backends/torchtitan/rules/say.h"

#include "backends/torchtitan/worlds.h"
#include "primus_plan/support/number.h"

namespace primus_plan::torchtitan {

void help_with_worlds(Message& message, const TorchTitanRun& run) {
  const Int smallest = smallest_world(run.given);
  if (smallest <= 0) return;
  if (*run.given.data_parallel_shard_degree != -1 || smallest > largest_launch) {
    message.help("these degrees make a world of {}", counted(smallest, "rank"));
  } else {
    message.help("nearest world sizes that the degrees divide: {}",
                 numbers_text(multiples_around(run.world(), smallest)));
  }
}

void because_of_shard(Message& message, const TorchTitanRun& run) {
  if (*run.given.data_parallel_shard_degree != -1) return;
  message.because("data_parallel_shard_degree {} = world {} / (replicate {} x CP {} x TP {} x PP {})",
                  run.meshes.dp_shard, run.world(), run.replicate(), run.cp(), run.tp(), run.pp());
}

void because_of_data_parallel(Message& message, const TorchTitanRun& run) {
  message.because("data-parallel degree {} = replicate {} x shard {}", run.meshes.batch, run.replicate(),
                  run.meshes.dp_shard);
  because_of_shard(message, run);
}

namespace {

/// A token after --, which has rules of its own; --set takes YAML.
bool is_token(const Origin& where) {
  return where.layer == Layer::command_line && where.source != nullptr && where.source->path() == "command line";
}

}  // namespace

bool help_with_token(Message& message, std::string_view key, std::string_view text, const Origin& where) {
  if (!is_token(where)) return false;
  const std::size_t dot = key.rfind('.');
  message.because("on the command line a number is a number, and quotes that the shell leaves belong to the value");
  message.help("on the command line a dict passes it as text: \"{}={{'{}': '{}'}}\"", key.substr(0, dot),
               key.substr(dot + 1), text);
  return true;
}

bool is_quoted_token(const Node& node) {
  const std::string& text = node.text;
  return is_token(node.origin) && node.is_string() && text.size() > 2 && text.front() == text.back() &&
         (text.front() == '"' || text.front() == '\'');
}

std::string model_text(const TorchTitanRun& run) {
  return fmt::format("{} {}", *run.config.model_name, *run.config.model_flavor);
}

std::string quoted(std::string_view text) {
  return text.data() == nullptr ? std::string("null") : fmt::format("'{}'", text);
}

}  // namespace primus_plan::torchtitan
