#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan {

/// A text that was read: its path as users know it, and its bytes. Never changes after construction,
/// so origins may point into it from any thread.
class Source {
 public:
  Source(std::string path, std::string text);

  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }

  /// The line with this 1-based number, without its line break; empty past the end.
  std::string_view line(std::uint32_t number) const;
  /// Byte offset of each line's first character; the first is 0.
  const std::vector<std::size_t>& line_starts() const { return line_starts_; }

 private:
  std::string path_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

/// Who set a value. From weakest to strongest, as Primus applies them.
enum class Layer : std::uint8_t {
  backend_default,  ///< the framework's own default; no file
  module_preset,
  model_preset,
  platform_preset,
  experiment,
  environment,  ///< the experiment or a preset named ${VAR}, and VAR was set
  command_line,
  runtime,  ///< the framework rewrote it
};

/// "module preset", "command line", …
std::string_view to_string(Layer layer);
/// Whether a preset file set it.
bool is_preset(Layer layer);

/// Where something stands. Lines and columns are 1-based and count code points; 0 = unknown.
/// `source` is owned by the Experiment (or document) that the origin came from and must outlive it.
struct Origin {
  const Source* source = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;  ///< code points from column; the text does not go past its line
  Layer layer = Layer::backend_default;

  explicit operator bool() const { return source != nullptr; }
  bool operator==(const Origin&) const = default;
};

/// Whether the user wrote what stands here: the experiment, a variable that it names, or the command line. Presets and
/// defaults do not count.
inline bool is_written(const Origin& where) {
  return where.layer >= Layer::experiment && where.layer <= Layer::command_line;
}

/// "path:line:column", or the layer's name where there is no file.
std::string to_string(const Origin& origin);

}  // namespace primus_plan
