#include "primus_plan/report/hardware.h"

#include <memory>

#include "command.h"
#include "options.h"
#include "primus_plan/config/hardware.h"

namespace primus_plan::app {

namespace {

struct Options {
  std::vector<std::string> parts;
  OutputFlags output;
};

int run(const Options& options) {
  const DiskFiles files;
  std::vector<Hardware> parts;
  for (const std::string& spec : options.parts) parts.push_back(find_hardware(spec, files));
  if (parts.empty()) parts = built_in_hardware();
  Output output = options.output.open(options.parts);
  output.write(options.output.format == "json" ? hardware_to_json(parts)
                                               : hardware_to_text(parts, options.output.style(output.is_terminal())));
  output.finish();
  return exit_clean;
}

}  // namespace

Run declare_hardware(CLI::App& app, const std::vector<std::string>& /*tokens*/) {
  const auto options = std::make_shared<Options>();
  app.add_option("PART", options->parts,
                 "a part by name, or a file: one of your own (docs/settings.md lists the fields) or one of Primus's "
                 "examples/hardware_configs, with a / in its name or .yaml, .yml or .json at its end; with changes as "
                 "in MI300X:nic_gbs=25,hbm_gb=192");
  options->output.declare(app, {"text", "json"});
  return [options] { return run(*options); };
}

}  // namespace primus_plan::app
