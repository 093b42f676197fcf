// Any bytes as a file of settings.
#include "primus_plan/config/settings.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/target.h"
#include "primus_plan/backends/backend.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace primus_plan;  // NOLINT(google-build-using-namespace): the whole file is one function
  static const std::vector<const RuleInfo*> rules = all_rules();
  static const Environment environment;
  MemoryFiles files;
  files.put("/team/.primus-plan.yaml", std::string(fuzz::text_of(data, size)));
  files.put("/team/base.yaml", "strict: true\nseverity: {LN: note}\n");
  SettingsFiles settings_files(files, environment, rules);
  try {
    const Settings& settings = settings_files.nearest("/team/models/7b");
    for (const char* path : {"/team/models/7b/a.yaml", "/team/b.yaml", "/elsewhere/c.yaml"}) {
      settings.launch_of(path);
      for (const IgnoreSetting* ignore : settings.ignores_of(path)) {
        fuzz::require(!ignore->reason.empty(), "nothing is ignored without a reason");
      }
    }
  } catch (const SettingsError& error) {
    fuzz::require(!error.faults().empty(), "a refusal has a reason");
  }
  return 0;
}
