// Lines of the what-if prompt, from session to session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/pty.h"

namespace primus_plan::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* prompt = "what-if> ";

class PromptHistory : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("exp.yaml", good_experiment); }

  /// A session with these lines typed into it; gives back all that the terminal showed.
  std::string session(const std::vector<std::string>& lines, std::vector<std::pair<std::string, std::string>> more) {
    Pty pty({"what-if", "exp.yaml"}, {.environment = std::move(more), .folder = folder_.path().string()});
    pty.wait_for(prompt);
    for (const std::string& line : lines) pty.run(line);
    pty.type("\x04");
    EXPECT_EQ(pty.exit_code(), 0);
    return plain_text(pty.seen());
  }
  std::string state() const { return (folder_.path() / "state").string(); }
  fs::path file() const { return fs::path(state()) / "primus-plan" / "history"; }

  TemporaryFolder folder_;
};

TEST_F(PromptHistory, IsThereInTheNextSession) {
  session({"tp 4", "tp 4", "", "undo"}, {{"XDG_STATE_HOME", state()}});
  EXPECT_EQ(read_file(file()), "tp 4\nundo\n");
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat(file().parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  // Twice up is the line before the last; it is as if it was typed.
  EXPECT_THAT(session({"\x1b[A\x1b[A"}, {{"XDG_STATE_HOME", state()}}), HasSubstr("2 -> 4"));
}

TEST_F(PromptHistory, GoesBelowTheHomeWithoutTheVariable) {
  const std::string home = folder_.path().string();
  for (const char* not_absolute : {"", "state"}) {
    session({"tp 4"}, {{"XDG_STATE_HOME", not_absolute}, {"HOME", home}});
    EXPECT_EQ(read_file(folder_.path() / ".local/state/primus-plan/history"), "tp 4\n");
    fs::remove_all(folder_.path() / ".local");
    EXPECT_FALSE(fs::exists(file()));
  }
}

TEST_F(PromptHistory, AnswersAreNotRemembered) {
  Pty pty({"what-if", "exp.yaml"}, {.environment = {{"XDG_STATE_HOME", state()}}, .folder = folder_.path().string()});
  pty.wait_for(prompt);
  pty.run("tp 4");
  pty.type("write\r");
  pty.wait_for("[y/N] ");
  pty.type("n\r");
  pty.wait_for(prompt);
  EXPECT_EQ(read_file(file()), "tp 4\nwrite\n");
}

TEST_F(PromptHistory, IsBounded) {
  std::string text;
  for (int i = 0; i < 2500; ++i) text += "gbs " + std::to_string(i) + "\n";
  folder_.write("state/primus-plan/history", text);
  session({"tp 4"}, {{"XDG_STATE_HOME", state()}});
  const std::string kept = read_file(file());
  EXPECT_TRUE(kept.starts_with("gbs 1500\n")) << kept.substr(0, 40);
  EXPECT_TRUE(kept.ends_with("gbs 2499\ntp 4\n")) << kept.substr(kept.size() - 40);
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), fs::directory_iterator()), 1);
}

TEST_F(PromptHistory, WithoutAPlaceForItNothingIsSaid) {
  folder_.write("occupied", "");
  const std::string plain = session({"tp 4"}, {{"XDG_STATE_HOME", "/dev/null"}});
  EXPECT_EQ(session({"tp 4"}, {{"XDG_STATE_HOME", (folder_.path() / "occupied").string()}}), plain);
  // A device in its place keeps nothing and gives nothing.
  fs::create_directories(file().parent_path());
  fs::create_symlink("/dev/null", file());
  EXPECT_EQ(session({"tp 4"}, {{"XDG_STATE_HOME", state()}}), plain);
  EXPECT_TRUE(fs::is_symlink(file()));
}

}  // namespace
}  // namespace primus_plan::test
