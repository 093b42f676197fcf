#pragma once

#include <string>
#include <string_view>

namespace primus_plan::lsp {

/// The path of a "file:" URI, with percent escapes resolved; any other URI as it is (an untitled document), which no
/// file is called.
std::string path_of_uri(std::string_view uri);

/// The "file:" URI of a path; one that is not absolute counts from `folder`.
std::string uri_of_path(const std::string& path, const std::string& folder);

}  // namespace primus_plan::lsp
