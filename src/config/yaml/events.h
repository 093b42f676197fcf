#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/yaml/text.h"
#include "primus_plan/config/document.h"

namespace primus_plan::yaml {

/// One event of yaml-cpp's parser, with what this reader needs of it.
struct Event {
  enum class Type : std::uint8_t { null, alias, scalar, sequence_start, sequence_end, map_start, map_end };

  Type type = Type::null;
  bool flow = false;         ///< of collection starts
  bool empty = false;        ///< of scalars: yaml-cpp found no text
  std::uint32_t tag = 0;     ///< index of EventStream::tag
  std::uint32_t anchor = 0;  ///< number of the anchor; 0 = none
  std::size_t at = 0;        ///< byte offset of the first character, anchor and tag included; collection ends have none
};

/// The documents of a text, one after another, as yaml-cpp's event interface gives them.
class EventStream {
 public:
  EventStream(const CheckedText& text, const Limits& limits, Locator& locator);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Replaces `events` by those of the next document; false when there is none.
  /// Throws LoadError for what yaml-cpp refuses, a repeated anchor, and a breach of the limits.
  bool next(std::vector<Event>& events);

  static constexpr std::uint32_t no_tag = 0;      ///< a plain scalar or a collection without a tag
  static constexpr std::uint32_t quoted_tag = 1;  ///< a quoted or block scalar, or the tag "!"
  const std::string& tag(std::uint32_t index) const;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace primus_plan::yaml
