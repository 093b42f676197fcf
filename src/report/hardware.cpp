#include "primus_plan/report/hardware.h"

#include <fmt/core.h>

#include "primus_plan/config/hardware.h"
#include "primus_plan/support/number.h"
#include "report/json_writer.h"
#include "report/paint.h"
#include "report/table.h"
#include "report/wrap.h"

namespace primus_plan {

namespace {

std::string_view fabric_name(Fabric fabric) { return fabric == Fabric::mesh ? "mesh" : "switched"; }

/// A cell of a number that not every part has.
std::string tera(double flops) { return flops > 0 ? fmt::format("{:.0f}", flops / 1e12) : "-"; }

std::string table(std::span<const Hardware> parts, const TextStyle& style) {
  using enum Table::Side;
  Table rows({"part", "GiB", "HBM GB/s", "BF16", "FP8", "FP4", "link", "NIC", "domain", "fabric"},
             {left, right, right, right, right, right, right, right, right, left});
  for (const Hardware& p : parts) {
    rows.add({p.name, fmt::format("{:.1f}", p.memory_bytes / gib),
              fmt::format("{:.0f}", p.memory_bytes_per_second / 1e9), tera(p.peak_bf16_flops), tera(p.peak_fp8_flops),
              tera(p.peak_fp4_flops), fmt::format("{:g}", p.link_bytes_per_second / 1e9),
              fmt::format("{:g}", p.nic_bytes_per_second / 1e9), fmt::format("{:g}", p.gpus_per_domain),
              std::string(fabric_name(p.fabric))});
  }
  return rows.text(Paint(style.color), style) + "\n" +
         wrapped("Peaks are dense TFLOP/s; links and NIC are GB/s of one GPU in one direction.", 0, style) + "\n";
}

std::string whole(const Hardware& part, const Paint& paint) {
  std::string out = paint.bold(part.name);
  for (const std::string& alias : part.aliases) out += fmt::format(", {}", alias);
  out += '\n';
  for (const HardwareField& field : hardware_fields()) {
    const double value = part.*field.member / field.unit;
    if (value > 0) out += fmt::format("  {:<18} {:>9.6g}  {}\n", field.name, value, field.about);
  }
  out += fmt::format("  {:<18} {:>9}  {}\n", "fabric", fabric_name(part.fabric),
                     part.fabric == Fabric::mesh ? "a group of t GPUs reaches t - 1 of the links"
                                                 : "any group of GPUs reaches the whole link");
  for (const std::string& source : part.sources) out += fmt::format("  source: {}\n", source);
  return out;
}

}  // namespace

std::string hardware_to_text(std::span<const Hardware> parts, const TextStyle& style) {
  const Paint paint(style.color);
  return parts.size() == 1 ? whole(parts.front(), paint) : table(parts, style);
}

std::string hardware_to_json(std::span<const Hardware> parts) {
  JsonWriter json;
  json.begin_array();
  for (const Hardware& part : parts) {
    json.begin_object();
    json.key("name");
    json.string(part.name);
    json.key("aliases");
    json.begin_array();
    for (const std::string& alias : part.aliases) json.string(alias);
    json.end_array();
    for (const HardwareField& field : hardware_fields()) {
      json.key(field.name);
      json.raw(fmt::format("{:.9g}", part.*field.member / field.unit));
    }
    json.key("fabric");
    json.string(fabric_name(part.fabric));
    json.key("sources");
    json.begin_array();
    for (const std::string& source : part.sources) json.string(source);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  return json.take() + '\n';
}

}  // namespace primus_plan
