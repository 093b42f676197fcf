// The HTML report in a browser: its script runs without complaints, and nothing but comfort is lost without it.
// Skipped where there is no Chromium: it is too large to be installed for one test.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/folder.h"
#include "support/html_page.h"
#include "support/paths.h"
#include "support/process.h"

namespace primus_plan::test {
namespace {

/// The first Chromium or Chrome on PATH; empty without one.
std::string find_browser() {
  const char* path = std::getenv("PATH");
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "chrome"}) {
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string file = folder + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return {};
}

class ReportInABrowser : public testing::Test {
 protected:
  void SetUp() override {
    browser_ = find_browser();
    if (browser_.empty()) GTEST_SKIP() << "no chromium on PATH: apt-get install chromium";
    page_ = (folder_.path() / "page.html").string();
    const std::string example = (source_dir() / "examples/megatron/llama3.1_405B-512gpu.yaml").string();
    const ProcessResult made = run_plan({"report", example, "-o", page_});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }

  /// The document after scripts have run, and what the browser has to say.
  ProcessResult open(std::vector<std::string> flags, const std::string& fragment = {}) const {
    flags.insert(flags.end(),
                 {"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
                  "--virtual-time-budget=4000", "--dump-dom",
                  "--user-data-dir=" + (folder_.path() / "profile").string(), "file://" + page_ + fragment});
    return run_process(browser_, flags);
  }

  /// The page with a script of the test at its end, which the page's own policy would not let run.
  void add_script(const std::string& script) const {
    std::string written = read_file(page_);
    const std::string allowed = between(written, "script-src ", ";");
    ASSERT_FALSE(allowed.empty());
    written.replace(written.find(allowed), allowed.size(), "script-src 'unsafe-inline'");
    written.insert(written.rfind("</body>"), "<script>" + script + "</script>");
    std::ofstream(page_) << written;
  }

  static std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  /// Texts of the page's own elements between two marks, without what the script may have added.
  static std::string between(const std::string& text, std::string_view from, std::string_view to) {
    const std::size_t begin = text.find(from);
    return begin == std::string::npos ? std::string() : text.substr(begin, text.find(to, begin) - begin);
  }

  TemporaryFolder folder_;
  std::string browser_;
  std::string page_;
};

TEST_F(ReportInABrowser, RunsItsScriptWithoutComplaints) {
  const ProcessResult result = open({}, "#key-tensor_model_parallel_size");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(count(result.err, "CONSOLE"), 0U) << result.err;
  EXPECT_EQ(count(result.out, "data-ready=\"true\""), 1U) << "the script ran to its end";
  EXPECT_EQ(count(result.out, ">Copy</button>"), 5U) << "a button for each plan";
  EXPECT_EQ(count(result.out, "aria-pressed=\"true\">"), 1U) << "one kind of group is chosen";
  const std::string key = between(result.out, "id=\"key-tensor_model_parallel_size\"", ">");
  EXPECT_NE(key.find("open"), std::string::npos) << "the key of the address is unfolded: " << key;
}

/// What the first plan's button does in a browser with this clipboard: the words are put on the body.
std::string click_copy(const std::string& clipboard) {
  return "Object.defineProperty(navigator, 'clipboard', {value: " + clipboard +
         "});"
         "const button = document.querySelector('button.copyline');"
         "const block = document.querySelector('pre.copy');"
         "const before = button.textContent;"
         "for (let at = block.closest('details'); at; at = at.parentElement.closest('details')) at.open = true;"
         "button.click();"
         "setTimeout(() => {"
         "  document.body.dataset.button = before + ', ' + button.textContent;"
         "  document.body.dataset.taken = String(window.taken === block.textContent);"
         "  document.body.dataset.selected = String(getSelection().toString().trim() === block.textContent.trim());"
         "}, 500);"
         "setTimeout(() => { document.body.dataset.later = button.textContent; }, 2500);";
}

TEST_F(ReportInABrowser, CopiesAPlanAtAClick) {
  add_script(click_copy("{writeText: (text) => { window.taken = text; return Promise.resolve(); }}"));
  const std::string body = between(open({}).out, "<body", ">");
  EXPECT_EQ(count(body, "data-button=\"Copy, Copied\""), 1U) << body;
  EXPECT_EQ(count(body, "data-taken=\"true\""), 1U) << body;
  EXPECT_EQ(count(body, "data-later=\"Copy\""), 1U) << body;
}

TEST_F(ReportInABrowser, SelectsAPlanWhereItMayNotCopy) {
  add_script(click_copy("{writeText: () => Promise.reject(new Error('denied'))}"));
  const std::string body = between(open({}).out, "<body", ">");
  EXPECT_EQ(count(body, "data-button=\"Copy, Select and copy\""), 1U) << body;
  EXPECT_EQ(count(body, "data-selected=\"true\""), 1U) << body;
}

TEST_F(ReportInABrowser, CopiesWithoutAClipboardOfItsOwn) {
  add_script("document.execCommand = (what) => { window.taken = getSelection().toString() + what; return true; };" +
             click_copy("undefined") +
             "setTimeout(() => { document.body.dataset.by = String(window.taken.endsWith('copy')); }, 600);");
  const std::string body = between(open({}).out, "<body", ">");
  EXPECT_EQ(count(body, "data-button=\"Copy, Copied\""), 1U) << body;
  EXPECT_EQ(count(body, "data-selected=\"true\""), 1U) << body;
  EXPECT_EQ(count(body, "data-by=\"true\""), 1U) << body;
}

// With scripts forbidden by the page's own policy; a browser that has them switched off does not print documents.
TEST_F(ReportInABrowser, LosesNoTextWithoutScripts) {
  std::string written = read_file(page_);
  const std::string allowed = between(written, "script-src ", ";");
  ASSERT_FALSE(allowed.empty());
  written.replace(written.find(allowed), allowed.size(), "script-src 'none'");
  std::ofstream(page_) << written;
  const ProcessResult result = open({});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(count(result.out, "<html lang=\"en\">"), 1U) << "no mark of a script that ran";
  EXPECT_EQ(count(result.out, "</button>"), 0U) << "nothing that would do nothing";
  EXPECT_EQ(count(result.out, "data-of="), count(written, "data-of="));
  for (const char* section : {"findings", "memory", "step", "plans", "sweeps"}) {
    const std::string from = std::string("<section id=\"") + section + "\"";
    const std::string seen = between(result.out, from, "</section>");
    EXPECT_EQ(count(seen, "</td>"), count(between(written, from, "</section>"), "</td>")) << section;
    EXPECT_FALSE(seen.empty()) << section;
  }
}

}  // namespace
}  // namespace primus_plan::test
