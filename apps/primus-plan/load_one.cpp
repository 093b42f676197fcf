#include "load_one.h"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "command.h"
#include "inputs.h"

namespace primus_plan::app {

void require_path(const std::string& path) {
  if (path == "-") return;
  std::error_code error;
  if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found)
    throw Trouble(fmt::format("{}: no such file{}", path, hint_of_path(path)));
}

void say_findings(const std::string& path, const std::vector<Finding>& findings, const OutputFlags& output) {
  TextStyle style = output.style(::isatty(STDERR_FILENO) == 1);
  style.quiet = true;
  const FileReport report{.path = path, .modules = {}, .load_errors = findings, .sources = {}};
  say(make_text_formatter(style)->file(report));
}

GivenFile open_given(const std::string& path) {
  require_path(path);
  std::error_code error;
  if (path != "-" && std::filesystem::is_directory(path, error))
    throw Trouble(fmt::format("{} is a folder: give one experiment (check takes folders, too)", path));
  return {path, read_stream(path, DiskFiles::default_max_bytes)};
}

LoadResult load_one(const std::string& path, const Loader& loader, const ExperimentOptions& options,
                    const OutputFlags& output) {
  return load_given(open_given(path), loader, options, output);
}

LoadResult load_given(const GivenFile& file, const Loader& loader, const ExperimentOptions& options,
                      const OutputFlags& output) {
  const std::string path = shown_name(file.path);
  LoadResult loaded = file.streamed ? loader.load_text(path, *file.streamed, options) : loader.load(path, options);
  if (!loaded.experiments.empty() && loaded.errors.empty()) return loaded;
  say_findings(path, loaded.errors, output);
  throw NotLoaded{};
}

}  // namespace primus_plan::app
