#include "backends/torchtitan/layout.h"

namespace primus_plan::torchtitan {

RankLayout rank_layout(const TorchTitanRun& run) {
  const Meshes& meshes = run.meshes;
  const RankGrid dense({{"tp", meshes.tp},
                        {"cp", meshes.cp},
                        {"dp_shard", meshes.dp_shard},
                        {"dp_replicate", meshes.dp_replicate},
                        {"pp", meshes.pp}});
  const RankGrid sparse({{"etp", meshes.etp},
                         {"ep", meshes.ep},
                         {"efsdp", meshes.efsdp},
                         {"dp_replicate", meshes.dp_replicate},
                         {"pp", meshes.pp}});
  return {.world_size = run.world(),
          .ranks_per_node = run.launch.gpus_per_node,
          .order = "tp-cp-dp_shard-dp_replicate-pp",
          .grids = {dense, sparse},
          .groups = {GroupKind("pp", dense, {"pp"}), GroupKind("batch", dense, {"dp_replicate", "dp_shard"}),
                     GroupKind("loss", dense, {"dp_replicate", "dp_shard", "cp"}),
                     GroupKind("dp_replicate", dense, {"dp_replicate"}), GroupKind("fsdp", dense, {"dp_shard", "cp"}),
                     GroupKind("cp", dense, {"cp"}), GroupKind("tp", dense, {"tp"}), GroupKind("ep", sparse, {"ep"}),
                     GroupKind("efsdp", sparse, {"efsdp"}), GroupKind("etp", sparse, {"etp"})}};
}

}  // namespace primus_plan::torchtitan
