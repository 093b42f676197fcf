#include "support/near_miss.h"

#include <algorithm>

#include "primus_plan/support/text.h"

namespace primus_plan {
namespace {

/// Words longer than this are not compared letter by letter: nobody mistypes them, but hostile input may hold them.
constexpr std::size_t longest_word = 200;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::vector<std::string> near_misses(std::string_view word, const std::vector<std::string>& candidates,
                                     std::size_t count) {
  if (word.size() > longest_word) return {};
  const std::string wanted = lower(word);
  const std::size_t limit = std::max<std::size_t>(1, wanted.size() / 3);
  std::vector<std::pair<std::size_t, const std::string*>> found;
  for (const std::string& candidate : candidates) {
    const std::string name = lower(candidate);
    std::size_t distance = edit_distance(wanted, name, limit);
    if (distance > limit && wanted.size() >= 3 && name.find(wanted) != std::string::npos) distance = limit;
    if (distance <= limit) found.emplace_back(distance, &candidate);
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, const std::string*>::first);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) result.push_back(*found[i].second);
  return result;
}

}  // namespace primus_plan
