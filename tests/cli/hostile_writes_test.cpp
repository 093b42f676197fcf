// Files that are written stay whole: on a full disk, when the program is killed at any moment, when it is asked to end.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/experiments.h"
#include "support/folder.h"
#include "support/paths.h"

namespace primus_plan::test {
namespace {

namespace fs = std::filesystem;

/// primus-plan in a child that may be killed, with a limit on the size of files (0: none).
class Child {
 public:
  Child(std::vector<std::string> arguments, rlim_t largest_file) {
    arguments.insert(arguments.begin(), binary().string());
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    const struct rlimit limit { largest_file, largest_file };
    if (largest_file > 0) ::setrlimit(RLIMIT_FSIZE, &limit);
    if (::freopen("/dev/null", "w", stdout) != nullptr && ::freopen("/dev/null", "w", stderr) != nullptr) {
      ::execv(pointers[0], pointers.data());
    }
    ::_exit(127);
  }
  void end(int signal) const { ::kill(pid_, signal); }
  int wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }

 private:
  pid_t pid_ = -1;
};

class HostileWrites : public ::testing::Test {
 protected:
  HostileWrites() {
    // Long enough that writing it takes a moment.
    long_text_ = std::string(bad_experiment);
    for (int i = 0; i < 20000; ++i)
      long_text_ += "# a comment that must not be lost, number " + std::to_string(i) + "\n";
    fixed_ = long_text_;
    fixed_.replace(fixed_.find(": 33\n"), 5, ": 32\n");
    path_ = folder_.write("bad.yaml", long_text_);
  }

  bool is_whole() const {
    const std::string now = read_file(path_);
    return now == long_text_ || now == fixed_;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
  std::string long_text_;
  std::string fixed_;
  std::string path_;
};

TEST_F(HostileWrites, AFullDiskLosesNothing) {
  const int status = Child({"check", "--fix-unsafe", path_}, 4096).wait();
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(read_file(path_), long_text_);
  EXPECT_EQ(files(), 1U) << "nothing is left behind";
}

TEST_F(HostileWrites, ReportsAppearWholeOrNotAtAll) {
  const fs::path report = folder_.path() / "report.json";
  const int status = Child({"resolve", path_, "--format", "json", "--output", report.string()}, 512).wait();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(files(), 1U);
}

/// So many moments of a run, as far from each other as the program is slow.
std::vector<useconds_t> moments(int count, int apart_us) {
  std::vector<useconds_t> out;
  const int fewer = std::max(count / patience(), 4);
  for (int i = 0; i < fewer; ++i) out.push_back(static_cast<useconds_t>(i * (count / fewer) * apart_us * patience()));
  return out;
}

TEST_F(HostileWrites, KilledAtAnyMomentTheFileIsOldOrNew) {
  for (const useconds_t moment : moments(40, 3000)) {
    const Child child({"check", "--fix-unsafe", path_}, 0);
    ::usleep(moment);
    child.end(SIGKILL);
    child.wait();
    ASSERT_TRUE(is_whole()) << "after " << moment << " us";
    if (read_file(path_) == fixed_) folder_.write("bad.yaml", long_text_);
  }
}

TEST_F(HostileWrites, AskedToEndNothingIsLeftBehind) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    for (const useconds_t moment : moments(20, 5000)) {
      const Child child({"check", "--fix-unsafe", path_}, 0);
      ::usleep(moment);
      child.end(signal);
      child.wait();
      ASSERT_TRUE(is_whole());
      ASSERT_EQ(files(), 1U) << "signal " << signal << " after " << moment << " us";
      if (read_file(path_) == fixed_) folder_.write("bad.yaml", long_text_);
    }
  }
}

TEST_F(HostileWrites, LinksOutOfTheTreeAreNotFollowed) {
  const TemporaryFolder other;
  const std::string outside = other.write("outside.yaml", bad_experiment);
  const fs::path tree = folder_.path() / "tree";
  fs::create_directory(tree);
  fs::create_symlink(outside, tree / "link.yaml");
  fs::create_directory_symlink(other.path(), tree / "folder");
  Child({"check", "--fix-unsafe", tree.string()}, 0).wait();
  EXPECT_EQ(read_file(outside), bad_experiment);
}

}  // namespace
}  // namespace primus_plan::test
