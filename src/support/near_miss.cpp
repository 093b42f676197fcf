#include "support/near_miss.h"

#include <algorithm>

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

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit || std::max(a.size(), b.size()) > longest_word) return limit + 1;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return std::min(previous[b.size()], limit + 1);
}

std::vector<std::string> near_misses(std::string_view word, const std::vector<std::string>& candidates,
                                     std::size_t count) {
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
