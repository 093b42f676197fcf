#include "backends/common/keys.h"

#include <algorithm>

#include "backends/common/concepts.h"
#include "config/key_names.h"
#include "primus_plan/support/text.h"
#include "support/lower_case.h"

namespace primus_plan {
namespace {

struct Framework {
  std::string_view name;
  std::string_view title;
  LocalName Concept::*column;
};

constexpr Framework frameworks[] = {{"megatron", "Megatron", &Concept::megatron},
                                    {"torchtitan", "TorchTitan", &Concept::torchtitan},
                                    {"maxtext", "MaxText", &Concept::maxtext}};

const Framework& find_framework(std::string_view name) {
  const auto* found = std::ranges::find(frameworks, name, &Framework::name);
  return found == std::end(frameworks) ? frameworks[0] : *found;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string_view section_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

/// As keys are spelled: small letters, underscores, no spaces around.
std::string plain(std::string_view name) {
  std::string out = lower_case(name);
  std::ranges::replace(out, '-', '_');
  return out;
}

bool is_word_of(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    const std::size_t space = std::min(words.find(' '), words.size());
    if (words.substr(0, space) == wanted) return true;
    words.remove_prefix(std::min(words.size(), space + 1));
  }
  return false;
}

const Concept* find_concept(std::string_view word) {
  const auto names = [&](const Concept& thing) {
    if (is_word_of(thing.other_names, word)) return true;
    return std::ranges::any_of(
        frameworks, [&](const Framework& framework) { return last_part((thing.*framework.column).key) == word; });
  };
  const auto found = std::ranges::find_if(concepts(), names);
  return found == concepts().end() ? nullptr : &*found;
}

/// A framework's key whose last part is this word; sections do not count.
std::string_view key_named(std::span<const KeyName> names, std::string_view word) {
  const auto found =
      std::ranges::find_if(names, [&](const KeyName& key) { return key.is_read && last_part(key.name) == word; });
  return found == names.end() ? std::string_view() : found->name;
}

void find_owner(std::string_view framework, std::string_view word, ProbableKey& out) {
  for (const Framework& other : frameworks) {
    if (other.name == framework) continue;
    const std::string_view key = key_named(framework_key_names(other.name), word);
    if (key.empty()) continue;
    out.owner = other.title;
    out.owners_key = key;
    return;
  }
}

/// A near spelling among the keys of the same section, or among all flat keys.
std::string_view near_miss(std::string_view framework, std::string_view path) {
  const std::string_view section = section_of(path);
  std::vector<std::string_view> candidates;
  for (const std::string_view name : read_key_names(framework)) {
    if (section_of(name) == section) candidates.push_back(name);
  }
  const auto nearest = nearest_names(path, candidates, 1);
  return nearest.empty() ? std::string_view() : nearest.front();
}

}  // namespace

ProbableKey probable_key(std::string_view framework, std::string_view name) {
  const std::string path = plain(name);
  const std::string_view word = last_part(path);
  ProbableKey out;
  find_owner(framework, word, out);
  if (const KeyName* key = find_read_key(framework, path)) {
    out.key = key->name;
    return out;
  }
  if (const Concept* thing = find_concept(word)) {
    const LocalName& here = thing->*find_framework(framework).column;
    out.note = here.note;
    if (!here.key.empty() && here.key != path) out.key = here.key;
  } else {
    out.key = key_named(framework_key_names(framework), word);
  }
  if (out.key.empty() && out.note.empty()) out.key = near_miss(framework, path);
  return out;
}

std::string_view owner_of_section(std::string_view name) {
  return has_section(torchtitan_key_names(), name) ? "TorchTitan" : "";
}

void say_probable_key(std::string_view framework, std::string_view written, const Origin& where, Message& m) {
  const ProbableKey meant = probable_key(framework, written);
  if (!meant.owner.empty()) m.because("{} is a key of {}", meant.owners_key, meant.owner);
  if (!meant.key.empty() && !meant.note.empty()) {
    m.help("did you mean {}? ({})", meant.key, meant.note);
  } else if (!meant.key.empty()) {
    m.help("did you mean {}?", meant.key);
  } else if (!meant.note.empty()) {
    m.help("{}", meant.note);
  }
  if (!meant.key.empty() && section_of(meant.key) == section_of(written)) {
    const std::string name(last_part(meant.key));
    m.fix(fmt::format("rename it to {}", name), where, name);
  }
}

}  // namespace primus_plan
