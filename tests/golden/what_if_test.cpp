// docs/what-if.md shows sessions as they are: each is typed again, and every command is run again.
//
//   <!-- terminal FILE COLUMNS -->   above a ```text block: a session on a copy of FILE, at a terminal of that width.
//                                    What follows "what-if> " and "[y/N] " was typed.
//   ```console                       a block of commands ("$ primus-plan …", run in the source folder) and their output
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "primus_plan/backends/backend.h"
#include "support/console.h"
#include "support/folder.h"
#include "support/golden.h"
#include "support/paths.h"
#include "support/pty.h"

namespace primus_plan::test {
namespace {

constexpr std::string_view page = "docs/what-if.md";
constexpr std::string_view marker = "<!-- terminal ";
constexpr std::string_view prompts[] = {"what-if> ", "[y/N] "};

/// What was typed at a line's prompt, with that prompt; nothing for lines without one.
struct Typed {
  std::string prompt;
  std::string text;
};

std::vector<Typed> typed_in(const std::vector<std::string>& block) {
  std::vector<Typed> out;
  for (const std::string& line : block) {
    for (const std::string_view prompt : prompts) {
      const std::size_t at = line.find(prompt);
      if (at != std::string::npos) out.push_back({std::string(prompt), line.substr(at + prompt.size())});
    }
  }
  return out;
}

/// The session of a block, typed again at a terminal.
std::string played(const std::string& marker_line, const std::vector<std::string>& block) {
  std::istringstream words(marker_line.substr(marker.size()));
  std::string file;
  PtyOptions options{.columns = 80, .rows = 60, .term = "dumb", .environment = {}, .folder = {}};
  words >> file >> options.columns;
  const TemporaryFolder folder;
  const std::string name = std::filesystem::path(file).filename().string();
  folder.write(name, read_file(source_dir() / file));
  options.folder = folder.path().string();
  Pty pty({"what-if", name, "--hardware", "MI300X"}, options);
  std::string out = "$ primus-plan what-if " + name + " --hardware MI300X\n";
  for (const Typed& typed : typed_in(block)) {
    pty.wait_for(typed.prompt);
    pty.type(typed.text + "\r");
    pty.wait_for("\n");
  }
  EXPECT_EQ(pty.exit_code(), 0);
  return out + plain_text(pty.seen());
}

std::string made_anew(const std::vector<std::string>& lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += lines[i] + '\n';
    if (!lines[i].starts_with(marker)) continue;
    const std::string& about = lines[i];
    out += lines[++i] + '\n';
    std::vector<std::string> block;
    while (++i < lines.size() && lines[i] != "```") block.push_back(lines[i]);
    out += played(about, block) + "```\n";
  }
  return out;
}

TEST(WhatIfPage, SaysWhatTheProgramSays) {
  const std::vector<std::string> lines = lines_of(page);
  ASSERT_GT(lines.size(), 50U);
  expect_file(page, made_anew(with_consoles_anew(lines)));
}

TEST(Readme, SaysWhatTheProgramSays) {
  std::string text;
  for (const std::string& line : with_consoles_anew(lines_of("README.md"))) text += line + '\n';
  expect_file("README.md", text);
}

/// "| Megatron-LM | … | 337 |" and the sentence below the table.
TEST(Readme, CountsTheRules) {
  const std::string text = read_file(source_dir() / "README.md");
  const auto count = [](std::string_view start) {
    return std::to_string(std::ranges::count_if(
        all_rules(), [start](const RuleInfo* rule) { return std::string_view(rule->id).starts_with(start); }));
  };
  for (const char* framework : {"MG", "TT", "MX"})
    EXPECT_NE(text.find(" | " + count(framework) + " |"), std::string::npos);
  EXPECT_NE(text.find(count("CF") + " more rules are about loading, settings and keys, " + count("LN") +
                      " about launch and topology, " + count("FT") + " about memory and formats."),
            std::string::npos);
}

TEST(WhatIfPage, TheReadmeQuotesIt) {
  const std::string text = read_file(source_dir() / "README.md");
  const std::string whole = read_file(source_dir() / page);
  const std::size_t begin = text.find("## What if\n");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream section(text.substr(begin, text.find("\n## ", begin + 1) - begin));
  std::size_t quoted = 0;
  for (std::string line; std::getline(section, line);) {
    if (!line.starts_with("    ")) continue;
    ++quoted;
    EXPECT_NE(whole.find('\n' + line.substr(4) + '\n'), std::string::npos) << line;
  }
  EXPECT_GE(quoted, 10U);
}

}  // namespace
}  // namespace primus_plan::test
