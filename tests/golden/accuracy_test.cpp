// The tables of docs/accuracy.md and README.md are what `accuracy --format markdown` prints:
//
//   <!-- accuracy -->          everything, up to <!-- end -->
//   <!-- accuracy: short -->   memory and step time alone
#include "primus_plan/report/accuracy.h"

#include <gtest/gtest.h>

#include "support/folder.h"
#include "support/golden.h"
#include "support/paths.h"

namespace primus_plan::test {
namespace {

const Accuracy& published() {
  static const Accuracy accuracy = measure_accuracy(read_measured(published_measurements()));
  return accuracy;
}

void expect_block(const char* file, const std::string& marker, bool quiet) {
  const std::string text = read_file(source_dir() / file);
  const std::size_t begin = text.find(marker + "\n");
  ASSERT_NE(begin, std::string::npos) << file << " has no " << marker;
  const std::size_t end = text.find("<!-- end -->", begin);
  ASSERT_NE(end, std::string::npos) << file;
  TextStyle style;
  style.quiet = quiet;
  const std::string block = marker + "\n\n" + accuracy_to_markdown(published(), style) + "\n";
  expect_file(file, text.substr(0, begin) + block + text.substr(end));
}

TEST(AccuracyTables, DocsSayWhatTheProgramSays) { expect_block("docs/accuracy.md", "<!-- accuracy -->", false); }

TEST(AccuracyTables, ReadmeSaysWhatTheProgramSays) { expect_block("README.md", "<!-- accuracy: short -->", true); }

}  // namespace
}  // namespace primus_plan::test
