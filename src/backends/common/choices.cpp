#include "backends/common/choices.h"

#include <algorithm>

namespace primus_plan {

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> out;
  for (std::size_t start = 0; start <= choices.size();) {
    const std::size_t end = std::min(choices.find('|', start), choices.size());
    out.push_back(choices.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

bool is_choice(std::string_view choices, std::string_view word) {
  for (std::size_t start = 0; start <= choices.size();) {
    const std::size_t end = std::min(choices.find('|', start), choices.size());
    if (choices.substr(start, end - start) == word) return true;
    start = end + 1;
  }
  return false;
}

}  // namespace primus_plan
