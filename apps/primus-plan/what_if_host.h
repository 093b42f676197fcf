#pragma once

#include <functional>
#include <optional>
#include <string>

#include "primus_plan/session/session.h"
#include "search_watch.h"

namespace primus_plan::app {

/// Files, questions and searches of a session.
class SessionHost final : public session::Host {
 public:
  /// Asks a question and gives back the answer's line; nothing when it was turned away (Ctrl-C, Ctrl-D).
  using Ask = std::function<std::optional<std::string>(const std::string& question)>;

  /// `talks`: searches say how far they are.
  explicit SessionHost(bool talks) : talks_(talks) {}
  /// From now on somebody can be asked, and interrupts end a search rather than the program. `interrupts` must outlive
  /// this, or the last search.
  void attend(Ask ask, const Interrupts& interrupts);

  std::optional<bool> confirm(const std::string& question) override;
  std::string read(const std::string& path) override;
  bool exists(const std::string& path) override;
  bool is_same_file(const std::string& a, const std::string& b) override;
  void create(const std::string& path, const std::string& text, bool over) override;
  void remove(const std::string& path) override;
  std::string replace(const std::string& path, const std::string& before, const std::string& after) override;
  PlanControl begin_search(const std::string& noun) override;
  bool end_search() override;

 private:
  bool talks_;
  Ask ask_;
  const Interrupts* interrupts_ = nullptr;  ///< null: nobody attends
  std::optional<Interrupts> own_;           ///< of a search that nobody attends; before and after, they end the program
  std::optional<SearchWatch> watch_;
};

}  // namespace primus_plan::app
