#include "config/source_text.h"

#include "config/yaml/locator.h"

namespace primus_plan {

Origin origin_in(const Source& source, std::size_t begin, std::size_t end, Layer layer) {
  return yaml::Locator(source, layer).origin({begin, end});
}

Origin origin_of(const Source& source, std::string_view part, Layer layer) {
  const auto begin = static_cast<std::size_t>(part.data() - source.text().data());
  return origin_in(source, begin, begin + part.size(), layer);
}

}  // namespace primus_plan
