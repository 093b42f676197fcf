#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace primus_plan::lsp {

/// Takes a stream of bytes apart into messages: "Content-Length: N\r\n\r\n" and N bytes (LSP 3.17, base protocol).
class FrameReader {
 public:
  /// A message above this is read past and comes out empty, so that whoever waits for an answer gets one.
  static constexpr std::size_t largest_message = 64U << 20U;

  /// The messages that these bytes complete.
  std::vector<std::string> feed(std::string_view bytes);
  /// The stream makes no sense (no length, or none that is a number) and there is no telling where the next message
  /// begins.
  bool is_broken() const { return is_broken_; }

 private:
  bool read_header();

  std::string waiting_;
  std::size_t skipped_ = 0;   ///< bytes of a message that is too large
  std::size_t expected_ = 0;  ///< bytes of the message whose header was read
  bool in_body_ = false;
  bool is_broken_ = false;
};

/// A message with its header.
std::string make_frame(std::string_view message);

}  // namespace primus_plan::lsp
