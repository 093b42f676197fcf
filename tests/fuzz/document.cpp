// Any bytes as one YAML document, with its environment and `extends`.
#include "primus_plan/config/document.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "primus_plan/diagnostics/load_error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace primus_plan;  // NOLINT(google-build-using-namespace): the whole file is one function
  MemoryFiles files;
  files.put("document.yaml", std::string(reinterpret_cast<const char*>(data), size));
  files.put("base.yaml", "a: 1\nb: {c: 2}\n");
  Environment environment;
  environment.set("A", "1");
  try {
    const Document document = load_document("document.yaml", Layer::experiment, files, environment);
    to_text(*document.root);
  } catch (const LoadError&) {
    // A refusal is an answer.
  }
  return 0;
}
