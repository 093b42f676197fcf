#include "primus_plan/lsp/session.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "lsp/documents.h"
#include "lsp/features.h"
#include "lsp/messages.h"
#include "lsp/params.h"

namespace primus_plan::lsp {

namespace {

using Json = nlohmann::json;

/// Codes of JSON-RPC 2.0 and of LSP 3.17 (ErrorCodes, LSPErrorCodes).
enum class ErrorCode : std::int32_t {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  not_initialized = -32002,
  request_cancelled = -32800,
};

/// Thrown where a request is answered with an error.
struct Refusal {
  ErrorCode code;
  std::string message;
};

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json error_message(const Json& id, const Refusal& refusal) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<std::int32_t>(refusal.code)}, {"message", refusal.message}}}};
}

bool is_id(const Json& json) { return json.is_string() || json.is_number_integer(); }

Json capabilities() {
  return {{"positionEncoding", "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", 1}, {"save", {{"includeText", false}}}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"completionProvider", {{"triggerCharacters", Json::array({" "})}, {"resolveProvider", true}}},
          {"codeActionProvider", {{"codeActionKinds", Json::array({"quickfix"})}}}};
}

/// The member, or null; anything but an object has no members.
const Json& member(const Json& json, const char* name) {
  static const Json null;
  const auto found = json.is_object() ? json.find(name) : json.end();
  return json.is_object() && found != json.end() ? *found : null;
}

std::string uri_of(const Json& params) { return text_param(params, {"textDocument", "uri"}); }

std::optional<std::int64_t> version_of(const Json& params) {
  const Json& version = member(param(params, {"textDocument"}), "version");
  return version.is_number_integer() ? std::optional(version.get<std::int64_t>()) : std::nullopt;
}

}  // namespace

class Session::State {
 public:
  State(Workspace& workspace, ToolInfo tool)
      : workspace_(workspace), tool_(std::move(tool)), documents_(workspace), context_{tool_.folder, {}} {}

  std::vector<std::string> receive(std::span<const std::string> messages) {
    std::vector<Json> read;
    for (const std::string& text : messages) read.push_back(parse_message(text));
    note_cancelled(read);
    for (const Json& message : read) {
      if (!is_over_) take(message);
    }
    if (is_initialized_ && !is_shut_down_) publish();
    return std::exchange(out_, {});
  }

  bool is_over() const { return is_over_; }
  bool was_shut_down() const { return is_shut_down_; }

 private:
  using Request = Json (State::*)(const Json& params);
  using Notification = void (State::*)(const Json& params);
  template <class Handler>
  struct Row {
    std::string_view method;
    Handler handler;
  };

  void note_cancelled(const std::vector<Json>& messages) {
    cancelled_.clear();
    for (const Json& message : messages) {
      if (member(message, "method") == "$/cancelRequest") cancelled_.insert(member(member(message, "params"), "id"));
    }
  }

  void take(const Json& message) {
    if (message.is_discarded()) return refuse(nullptr, {ErrorCode::parse_error, "the message is not JSON"});
    const Json& id = member(message, "id");
    const Json& method = member(message, "method");
    const bool is_answer = message.is_object() && !message.contains("method") && message.contains("id");
    if (is_answer) return;  // nothing was asked of the editor
    if (!method.is_string()) return refuse(is_id(id) ? id : Json(), {ErrorCode::invalid_request, "no method"});
    const std::string name = method.get<std::string>();
    if (!message.contains("id")) return notify(name, member(message, "params"));
    if (!is_id(id)) return refuse(nullptr, {ErrorCode::invalid_request, "an id is a number or a text"});
    try {
      send({{"jsonrpc", "2.0"}, {"id", id}, {"result", answer(id, name, member(message, "params"))}});
    } catch (const Refusal& refusal) {
      refuse(id, refusal);
    } catch (const BadParams& error) {
      refuse(id, {ErrorCode::invalid_params, error.what()});
    } catch (const Json::exception&) {
      refuse(id, {ErrorCode::invalid_params, "a parameter has another type than the protocol says"});
    }
  }

  Json answer(const Json& id, const std::string& method, const Json& params) {
    static constexpr std::array rows = {
        Row<Request>{"initialize", &State::initialize},
        Row<Request>{"shutdown", &State::shut_down},
        Row<Request>{"textDocument/hover", &State::hover_at},
        Row<Request>{"textDocument/definition", &State::definition_at},
        Row<Request>{"textDocument/completion", &State::completion_at},
        Row<Request>{"completionItem/resolve", &State::resolve_item},
        Row<Request>{"textDocument/codeAction", &State::actions_in},
    };
    if (cancelled_.contains(id)) throw Refusal{ErrorCode::request_cancelled, "cancelled"};
    if (!is_initialized_ && method != "initialize") throw Refusal{ErrorCode::not_initialized, "initialize comes first"};
    if (is_shut_down_) throw Refusal{ErrorCode::invalid_request, "the server was shut down"};
    const auto* row = std::ranges::find(rows, method, &Row<Request>::method);
    if (row == rows.end()) throw Refusal{ErrorCode::method_not_found, "no method " + method};
    return (this->*row->handler)(params);
  }

  /// Nobody waits for an answer, so what makes no sense is passed over.
  void notify(const std::string& method, const Json& params) {
    static constexpr std::array rows = {
        Row<Notification>{"textDocument/didOpen", &State::opened},
        Row<Notification>{"textDocument/didChange", &State::changed},
        Row<Notification>{"textDocument/didSave", &State::saved},
        Row<Notification>{"textDocument/didClose", &State::closed},
        Row<Notification>{"workspace/didChangeWatchedFiles", &State::saved},
    };
    if (method == "exit") {
      is_over_ = true;
      return;
    }
    const auto* row = std::ranges::find(rows, method, &Row<Notification>::method);
    if (row == rows.end() || !is_initialized_ || is_shut_down_) return;
    try {
      (this->*row->handler)(params);
    } catch (const BadParams&) {
    } catch (const Json::exception&) {
    }
  }

  Json initialize(const Json& params) {
    if (is_initialized_) throw Refusal{ErrorCode::invalid_request, "initialize came before"};
    is_initialized_ = true;
    const Json& url = member(member(params, "initializationOptions"), "rulesUrl");
    if (url.is_string()) context_.rules_url = url.get<std::string>();
    return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "primus-plan"}, {"version", tool_.version}}}};
  }

  Json shut_down(const Json& /*params*/) {
    is_shut_down_ = true;
    return nullptr;
  }

  void opened(const Json& params) {
    documents_.set(uri_of(params), text_param(params, {"textDocument", "text"}), version_of(params));
  }

  /// The whole text each time: of several changes the last says it all.
  void changed(const Json& params) {
    const Json& changes = param(params, {"contentChanges"});
    if (!changes.is_array() || changes.empty() || changes.back().contains("range")) return;
    documents_.set(uri_of(params), text_param(changes.back(), {"text"}), version_of(params));
  }

  void saved(const Json& /*params*/) { documents_.forget(); }

  void closed(const Json& params) {
    const std::string uri = uri_of(params);
    documents_.close(uri);
    send_findings(uri, std::nullopt, Json::array());
  }

  /// Null for a document that is not open: editors ask for those they have just closed.
  const Document* document_of(const Json& params) { return documents_.judged(uri_of(params)); }

  Json hover_at(const Json& params) {
    const Document* document = document_of(params);
    return document == nullptr ? Json() : hover(*document, position_param(params, "position"));
  }

  Json definition_at(const Json& params) {
    const Document* document = document_of(params);
    return document == nullptr ? Json() : definition(*document, position_param(params, "position"), context_);
  }

  Json completion_at(const Json& params) {
    const Document* document = documents_.find(uri_of(params));
    if (document == nullptr) return Json::array();
    const Json& typed = member(member(params, "context"), "triggerCharacter");
    return completion(*document, position_param(params, "position"),
                      typed.is_string() ? typed.get<std::string>() : std::string(), workspace_);
  }

  Json resolve_item(const Json& params) {
    if (!params.is_object()) refuse_param({}, "a completion item", params);
    return resolve_completion(params);
  }

  Json actions_in(const Json& params) {
    const Document* document = document_of(params);
    if (document == nullptr) return Json::array();
    const Json& only = member(member(params, "context"), "only");
    const bool wanted = !only.is_array() || std::ranges::find(only, Json("quickfix")) != only.end();
    return wanted ? code_actions(*document, range_param(params, "range"), context_) : Json::array();
  }

  void publish() {
    for (const Document* document : documents_.take_unpublished()) {
      send_findings(document->uri, document->version, diagnostics(*document, context_));
    }
  }

  void send_findings(const std::string& uri, std::optional<std::int64_t> version, Json findings) {
    Json params = {{"uri", uri}, {"diagnostics", std::move(findings)}};
    if (version) params["version"] = *version;
    send({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", std::move(params)}});
  }

  void refuse(const Json& id, const Refusal& refusal) { send(error_message(id, refusal)); }
  void send(const Json& message) { out_.push_back(text_of(message)); }

  Workspace& workspace_;
  ToolInfo tool_;
  Documents documents_;
  Context context_;
  std::set<Json> cancelled_;  ///< ids, of the messages that are being worked on
  std::vector<std::string> out_;
  bool is_initialized_ = false;
  bool is_shut_down_ = false;
  bool is_over_ = false;
};

Session::Session(Workspace& workspace, ToolInfo tool) : state_(std::make_unique<State>(workspace, std::move(tool))) {}
Session::~Session() = default;

std::vector<std::string> Session::receive(std::span<const std::string> messages) { return state_->receive(messages); }
bool Session::is_over() const { return state_->is_over(); }
bool Session::was_shut_down() const { return state_->was_shut_down(); }

}  // namespace primus_plan::lsp
