#pragma once

#include <string>
#include <string_view>

namespace primus_plan::app {

/// Puts a new text in the place of a file's, whole or not at all: into a temporary file beside it that takes its mode
/// and, where allowed, its owner, is brought to the disk, and is renamed. Gives back why the file was left alone (it is
/// a symbolic link or no regular file, or its text is no longer `before`), or an empty text. Throws Trouble when it
/// cannot be written (a full disk, a read-only folder); the file is then as it was.
std::string replace_file(const std::string& path, std::string_view before, std::string_view after);

}  // namespace primus_plan::app
