#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "primus_plan/config/files.h"
#include "primus_plan/lsp/session.h"

namespace primus_plan::test {

/// Judges like `check` without flags and settings, over files in memory and the built-in presets.
class PlainWorkspace final : public lsp::Workspace {
 public:
  MemoryFiles disk;        ///< what is not open
  std::string root;        ///< Primus tree; empty: built-in
  std::size_t judged = 0;  ///< how often something was
  std::string trouble;     ///< thrown instead of judging

  PlainWorkspace();
  void open(const std::string& path, const std::string& text) override { files_.put(path, text); }
  void close(const std::string& path) override { files_.remove(path); }
  void forget() override;
  std::optional<lsp::Judged> judge(const std::string& path, const std::string& text) override;
  std::vector<std::string> presets(const std::string& path, const std::string& folder) override;

 private:
  lsp::OverlayFiles files_;
  std::optional<Loader> loader_;
};

/// An editor's side of a session. What the server says is held against tests/data/lsp-messages.schema.json.
class Editor {
 public:
  using Json = nlohmann::json;

  /// Has said initialize already.
  explicit Editor(lsp::Workspace& workspace, Json options = nullptr);

  void open(const std::string& path, const std::string& text);
  void change(const std::string& path, const std::string& text);
  void notify(const std::string& method, Json params);
  /// The result of a request at a place; its form is `form` of the schema.
  Json ask(const std::string& method, const std::string& form, Json params);
  Json ask_at(const std::string& method, const std::string& form, const std::string& path, int line, int character);
  /// The last diagnostics of a document; null when there were none.
  Json findings(const std::string& path) const;
  /// Several messages at once; all answers.
  std::vector<Json> send(const std::vector<Json>& messages);

  static std::string uri(const std::string& path) { return "file://" + path; }
  static Json request(int id, const std::string& method, Json params);
  static Json notification(const std::string& method, Json params);
  static Json at(const std::string& path, int line, int character);

  lsp::Session session;

 private:
  std::map<std::string, Json> findings_;
  int next_id_ = 100;
  int version_ = 1;
};

/// An experiment's text with a "|" for the cursor: the text without it, and where it was.
struct Cursor {
  explicit Cursor(std::string marked);
  std::string text;
  int line = 0;
  int character = 0;  ///< in bytes, for ASCII lines
};

}  // namespace primus_plan::test
