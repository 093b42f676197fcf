#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "primus_plan/session/session.h"

namespace primus_plan::test {

/// A session's world in memory.
class FakeHost final : public session::Host {
 public:
  std::map<std::string, std::string> disk;
  std::optional<bool> answer;          ///< to every question; nothing: nobody is there
  std::vector<std::string> questions;  ///< that were asked
  bool stops = false;                  ///< searches are ended at once
  std::size_t told = 0;                ///< how often a search said how far it is

  std::optional<bool> confirm(const std::string& question) override {
    questions.push_back(question);
    return answer;
  }
  std::string read(const std::string& path) override {
    if (!disk.contains(path)) throw session::Refusal("cannot read " + path + ": no such file");
    return disk[path];
  }
  bool exists(const std::string& path) override { return disk.contains(path); }
  bool is_same_file(const std::string& a, const std::string& b) override { return a == b && disk.contains(a); }
  void create(const std::string& path, const std::string& text, bool over) override {
    if (!over && disk.contains(path)) throw session::Refusal("cannot write " + path + ": it is there");
    disk[path] = text;
  }
  void remove(const std::string& path) override { disk.erase(path); }
  std::string replace(const std::string& path, const std::string& before, const std::string& after) override {
    if (disk[path] != before) return "it has changed since it was read";
    disk[path] = after;
    return {};
  }
  PlanControl begin_search(const std::string& /*noun*/) override {
    PlanControl out;
    out.stop = [this] { return stops; };
    out.progress = [this](std::size_t, std::size_t) { ++told; };
    return out;
  }
  bool end_search() override { return stops; }
};

}  // namespace primus_plan::test
