#include "what_if_terminal.h"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cwchar>
#include <exception>
#include <filesystem>
#include <utility>

#include "window_signals.h"

namespace primus_plan::app {

namespace {

constexpr std::size_t most_listed = 60;

/// Names of files that begin like a word.
void add_files(const std::string& word, std::vector<std::string>& out) {
  namespace fs = std::filesystem;
  const std::size_t slash = word.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : word.substr(0, slash + 1);
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = folder + entry->path().filename().string();
    std::error_code ignored;
    if (entry->is_directory(ignored)) name += '/';
    if (name.starts_with(word)) out.push_back(std::move(name));
  }
  std::ranges::sort(out);
}

std::string common_start(const std::vector<std::string>& words) {
  std::string out = words.front();
  for (const std::string& word : words) {
    const auto [end, other] = std::mismatch(out.begin(), out.end(), word.begin(), word.end());
    out.erase(end, out.end());
  }
  return out;
}

/// Columns of words, as wide as the terminal.
std::string listing(const std::vector<std::string>& words, int columns) {
  const std::size_t count = std::min(words.size(), most_listed);
  std::size_t width = 0;
  for (std::size_t i = 0; i < count; ++i) width = std::max(width, words[i].size());
  const std::size_t in_a_line = std::max<std::size_t>(1, static_cast<std::size_t>(columns) / (width + 2));
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = (i + 1) % in_a_line == 0 || i + 1 == count;
    out += words[i] + (last ? "\n" : std::string(width + 2 - words[i].size(), ' '));
  }
  if (words.size() > count) out += "and " + std::to_string(words.size() - count) + " more\n";
  return out;
}

}  // namespace

struct Terminal::Editor {
  Editor(Complete completing, HistoryFile lines) : complete(std::move(completing)), kept(std::move(lines)) {
    std::setlocale(LC_CTYPE, "");
    edit = ::el_init("primus-plan", stdin, stdout, stderr);
    history = ::history_init();
    HistEvent event;
    ::history(history, &event, H_SETSIZE, static_cast<int>(HistoryFile::most_lines));
    ::history(history, &event, H_SETUNIQUE, 1);
    for (const std::string& line : kept.load()) ::history(history, &event, H_ENTER, (line + '\n').c_str());
    ::el_set(edit, EL_CLIENTDATA, this);
    ::el_set(edit, EL_PROMPT, show_prompt);
    ::el_set(edit, EL_EDITOR, "emacs");
    ::el_set(edit, EL_SIGNAL, 1);  // gives the terminal back before a signal that ends the program
    ::el_wset(edit, EL_GETCFN, read_character);
    ::el_set(edit, EL_HIST, ::history, history);
    ::el_source(edit, nullptr);
    // Names in wide characters are kept as they are; el_set would copy them and never free the copies.
    ::el_wset(edit, EL_ADDFN, L"complete", L"complete the word", complete_word);
    ::el_set(edit, EL_BIND, "^I", "complete", nullptr);
    ::el_set(edit, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    // Keys rather than signals, which may come while nobody reads.
    ::el_wset(edit, EL_ADDFN, L"forget-line", L"forget the line", forget_line);
    ::el_set(edit, EL_BIND, "^C", "forget-line", nullptr);
    ::el_wset(edit, EL_ADDFN, L"suspend", L"suspend the program", suspend);
    ::el_set(edit, EL_BIND, "^Z", "suspend", nullptr);
    ::el_set(edit, EL_SETTY, "-d", "-isig", nullptr);
  }
  ~Editor() {
    ::el_end(edit);
    ::history_end(history);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  static Editor& of(EditLine* edit) {
    void* self = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }

  static char* show_prompt(EditLine* edit) { return of(edit).prompt.data(); }

  /// The next character that is typed, in the locale's encoding; 1, 0 at the end of input, or -1.
  static int read_character(EditLine* edit, wchar_t* out) {
    *out = L'\0';
    std::mbstate_t state{};
    while (true) {
      const bool can_read = of(edit).signals.wait_for_input(STDIN_FILENO, [edit](int signal) {
        if (signal == SIGWINCH) return ::el_resize(edit);
        ::el_set(edit, EL_PREP_TERM, 1);  // what ran meanwhile left the terminal and its line as it pleased
        ::el_set(edit, EL_REFRESH);
      });
      char byte = 0;
      const ssize_t count = can_read ? ::read(STDIN_FILENO, &byte, 1) : -1;
      if (count <= 0) return static_cast<int>(count);
      const std::size_t length = std::mbrtowc(out, &byte, 1, &state);
      if (length <= 1) return 1;
      if (length == static_cast<std::size_t>(-1)) state = {};  // not a character: its bytes are passed over
    }
  }

  static unsigned char forget_line(EditLine* edit, int /*key*/) {
    of(edit).forgot = true;
    return CC_NEWLINE;
  }

  static unsigned char suspend(EditLine* edit, int /*key*/) {
    ::el_set(edit, EL_PREP_TERM, 0);
    std::raise(SIGTSTP);
    ::el_set(edit, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
  }

  static unsigned char complete_word(EditLine* edit, int /*key*/) {
    try {
      return complete_before_cursor(edit);
    } catch (const std::exception&) {  // must not pass through the library, which is C
      return CC_ERROR;
    }
  }

  static unsigned char complete_before_cursor(EditLine* edit) {
    const LineInfo* line = ::el_line(edit);
    const std::string text(line->buffer, line->cursor);
    session::Completions found = of(edit).complete(text);
    const std::string word = text.substr(found.start);
    if (found.files) add_files(word, found.words);
    if (found.words.empty()) return CC_ERROR;
    std::string rest = common_start(found.words).substr(word.size());
    const bool is_whole = found.words.size() == 1;
    if (is_whole && !found.words.front().ends_with('=') && !found.words.front().ends_with('/')) rest += ' ';
    if (!rest.empty()) return ::el_insertstr(edit, rest.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    if (is_whole) return CC_NORM;
    int columns = 80;
    ::el_get(edit, EL_GETTC, "co", &columns);
    const std::string list = "\n" + listing(found.words, std::max(columns, 20));
    std::fwrite(list.data(), 1, list.size(), stdout);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  Complete complete;
  HistoryFile kept;
  std::string prompt;
  bool forgot = false;  ///< the line ended with Ctrl-C
  EditLine* edit = nullptr;
  History* history = nullptr;
  WindowSignals signals;
};

Terminal::Terminal(Complete complete, HistoryFile history)
    : editor_(std::make_unique<Editor>(std::move(complete), std::move(history))) {}

Terminal::~Terminal() = default;

Terminal::Input Terminal::read(const std::string& prompt, bool remember) {
  editor_->prompt = prompt;
  editor_->forgot = false;
  int count = 0;
  ::el_set(editor_->edit, EL_PREP_TERM, 1);  // before the prompt: what is typed right after it is not echoed twice
  errno = 0;
  const char* line = ::el_gets(editor_->edit, &count);
  const bool was_signalled = line == nullptr && errno == EINTR;
  if (was_signalled) ::el_reset(editor_->edit);
  if (was_signalled || editor_->forgot) return {.end = End::interrupted, .line = {}};
  if (line == nullptr || count <= 0) return {};
  Input out{.end = End::line, .line = std::string(line, static_cast<std::size_t>(count))};
  if (remember && out.line.find_first_not_of(" \t\r\n") != std::string::npos) {
    HistEvent event;
    ::history(editor_->history, &event, H_ENTER, line);
    editor_->kept.add(out.line);
  }
  return out;
}

}  // namespace primus_plan::app
