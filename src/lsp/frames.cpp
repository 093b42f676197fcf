#include "primus_plan/lsp/frames.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "primus_plan/support/text.h"

namespace primus_plan::lsp {

namespace {

constexpr std::string_view header_end = "\r\n\r\n";
constexpr std::size_t largest_header = 8192;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// The length that a header gives; nothing when it gives none.
std::optional<std::size_t> content_length(std::string_view header) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find("\r\n"), header.size());
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !equal_ignoring_case(line.substr(0, colon), "content-length")) continue;
    const std::string_view digits = trimmed(line.substr(colon + 1));
    std::size_t length = 0;
    const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (error != std::errc{} || at != digits.data() + digits.size()) return std::nullopt;
    return length;
  }
  return std::nullopt;
}

}  // namespace

bool FrameReader::read_header() {
  const std::size_t end = waiting_.find(header_end);
  if (end == std::string::npos) {
    is_broken_ = waiting_.size() > largest_header;
    return false;
  }
  const auto length = content_length(std::string_view(waiting_).substr(0, end));
  waiting_.erase(0, end + header_end.size());
  is_broken_ = !length;
  if (is_broken_) return false;
  expected_ = *length;
  skipped_ = 0;
  in_body_ = true;
  return true;
}

std::vector<std::string> FrameReader::feed(std::string_view bytes) {
  std::vector<std::string> messages;
  waiting_ += bytes;
  while (!is_broken_) {
    if (!in_body_ && !read_header()) break;
    if (expected_ > largest_message) {
      const std::size_t passed = std::min(waiting_.size(), expected_ - skipped_);
      waiting_.erase(0, passed);
      skipped_ += passed;
      if (skipped_ < expected_) break;
      messages.emplace_back();
    } else {
      if (waiting_.size() < expected_) break;
      messages.push_back(waiting_.substr(0, expected_));
      waiting_.erase(0, expected_);
    }
    in_body_ = false;
  }
  return messages;
}

std::string make_frame(std::string_view message) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message);
}

}  // namespace primus_plan::lsp
