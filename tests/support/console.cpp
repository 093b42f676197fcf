#include "support/console.h"

#include <fstream>
#include <sstream>

#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

std::string run_shell(const std::string& command) {
  const std::string path = binary().parent_path().string() + ":/usr/bin:/bin";
  const ProcessResult result = run_process("/bin/sh", {"-c", command + " 2>&1"},
                                           {.environment = {{"PATH", path}}, .folder = source_dir().string()});
  return result.out;
}

}  // namespace

std::vector<std::string> lines_of(const std::filesystem::path& name) {
  std::ifstream file(source_dir() / name);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) out.push_back(line);
  return out;
}

std::vector<std::string> with_consoles_anew(const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  bool in_console = false;
  for (const std::string& line : lines) {
    if (in_console && line != "```" && !line.starts_with("$ ")) continue;
    out.push_back(line);
    if (line == "```console") in_console = true;
    if (line == "```") in_console = false;
    if (!in_console || !line.starts_with("$ ")) continue;
    std::istringstream printed(run_shell(line.substr(2)));
    for (std::string one; std::getline(printed, one);) out.push_back(one);
  }
  return out;
}

}  // namespace primus_plan::test
