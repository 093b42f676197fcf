#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "temporary_file.h"

namespace primus_plan::app {

/// Nobody reads standard output any more (`| head`): there is no one left to tell, so the program ends quietly.
struct ReaderGone {};

/// Where the report goes: standard output, or a file that appears whole or not at all.
class Output {
 public:
  /// How a text is written: byte for byte; for people, in a log of GitHub Actions without what its runner would obey;
  /// or so, and with ASCII for the characters that this program draws.
  enum class Glyphs : std::uint8_t { as_they_are, for_people, ascii };

  /// Without a path, standard output. Throws Trouble when the file's folder cannot be written.
  explicit Output(const std::optional<std::string>& path, Glyphs glyphs = Glyphs::as_they_are);
  /// Removes what was begun and never finished.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Throws Trouble when the text cannot be written (a full disk), ReaderGone when the pipe was closed.
  void write(std::string_view text);
  /// Puts the file in its place.
  void finish();

  /// From here on every byte counts: a patch, say.
  void keep_bytes() { glyphs_ = Glyphs::as_they_are; }

  bool is_terminal() const { return is_terminal_; }

 private:
  void write_bytes(std::string_view text);

  Glyphs glyphs_;
  std::string path_;
  std::optional<TemporaryFile> temporary_;
  int descriptor_ = 1;  ///< standard output
  bool is_terminal_ = false;
  bool begins_line_ = true;
};

/// Whether this runs in a step of GitHub Actions, which sets GITHUB_ACTIONS to "true".
bool in_github_actions();

/// Several answers as one text: JSON values as the list of them, texts with an empty line between. One stays as it is.
std::string joined_answers(const std::vector<std::string>& answers, bool json);

/// Prints a whole text on standard output.
void write_stdout(std::string_view text);

/// Remarks beside the report, on standard error.
void say(std::string_view text);

}  // namespace primus_plan::app
