#include "planner/space.h"

#include <algorithm>

#include "estimate/pipeline_orders.h"
#include "primus_plan/support/number.h"

namespace primus_plan {
namespace {

using Int = std::int64_t;

constexpr Int most_chunks = 8;
constexpr Int largest_micro_batch = 32;
constexpr Int uneven_reach = 3;  ///< layers that an end may have more or fewer than the stages between
constexpr std::size_t most_ends = 2;
constexpr Int least_tokens = 1024;  ///< of a context-parallel rank, unless its degree is asked for

bool is_allowed(const PlanRequest& request, PlanAxis axis, Int value) {
  const auto found = request.allowed.find(axis);
  return found == request.allowed.end() || std::ranges::find(found->second, value) != found->second.end();
}

/// Values that the request names on an axis, or those given.
std::vector<Int> values(const PlanRequest& request, PlanAxis axis, std::vector<Int> free) {
  const auto found = request.allowed.find(axis);
  if (found == request.allowed.end()) return free;
  std::vector<Int> named = found->second;
  std::ranges::sort(named);
  return named;
}

/// Layers on the ends, so that what is left splits evenly over the stages between.
struct Ends {
  Int first = 0;
  Int last = 0;
};
std::vector<Ends> uneven_ends(Int layers, Int pipeline) {
  std::vector<Ends> out;
  const Int middle = pipeline - 2;
  if (middle < 1) {
    // Two stages: the last one, which has the loss, takes fewer.
    for (Int fewer = 1; fewer <= uneven_reach; ++fewer) {
      const Int last = (layers - fewer) / 2;
      if ((layers - fewer) % 2 == 0 && last >= 1) out.push_back({layers - last, last});
    }
    return out;
  }
  const Int about = layers / pipeline;
  for (Int first = std::max<Int>(1, about - uneven_reach); first <= about + 1; ++first) {
    for (Int last = std::max<Int>(1, about - uneven_reach); last <= about + 1; ++last) {
      const Int left = layers - first - last;
      if (left < middle || left % middle != 0 || left / middle > about + 1) continue;
      if (first == last && left / middle == first) continue;  // even
      out.push_back({first, last});
    }
  }
  // The slowest stage decides; the loss makes the last one heavier than its layers say.
  const auto heaviest = [&](const Ends& ends) {
    return std::max({ends.first, (layers - ends.first - ends.last) / middle, ends.last + 1});
  };
  std::ranges::stable_sort(out, {}, heaviest);
  if (out.size() > most_ends) out.resize(most_ends);
  return out;
}

class Builder {
 public:
  Builder(const PlanSubject& subject, const PlanRequest& request) : subject_(subject), request_(request) {}

  std::vector<PlanGroup> run() {
    for (const Int world : request_.worlds) add_world(world);
    return std::move(groups_);
  }

 private:
  const ModelShape& model() const { return subject_.model; }
  const PlanKnobs& knobs() const { return subject_.knobs; }

  /// Divisors of the world that divide `of` too; all of them where the model has no such number.
  std::vector<Int> divisors_of(PlanAxis axis, Int world, Int of) const {
    std::vector<Int> free = divisors(world);
    std::erase_if(free, [&](Int value) { return of > 0 && of % value != 0; });
    return values(request_, axis, std::move(free));
  }

  void add_world(Int world) {
    Candidate c{.world_size = world};
    for (const Int precision : values(request_, PlanAxis::precision, {static_cast<Int>(PlanPrecision::as_given)})) {
      c.precision = static_cast<PlanPrecision>(precision);
      add_degrees(c);
    }
  }

  void add_degrees(Candidate c) {
    const Int world = c.world_size;
    for (const Int tensor : divisors_of(PlanAxis::tensor, world, model().heads)) {
      c.tensor = tensor;
      for (const Int pipeline : pipelines(world)) {
        c.pipeline = pipeline;
        for (const Int context : contexts(world)) {
          c.context = context;
          if (data_parallel(c) >= 1) add_experts(c);
        }
      }
    }
  }

  std::vector<Int> pipelines(Int world) const {
    std::vector<Int> free = divisors(world);
    std::erase_if(free, [&](Int value) { return value > std::max<Int>(pipelined_layers(subject_), 1); });
    if (!can_turn(knobs(), PlanAxis::pipeline)) free = {1};
    return values(request_, PlanAxis::pipeline, std::move(free));
  }

  std::vector<Int> contexts(Int world) const {
    std::vector<Int> free = divisors(world);
    const Int tokens = request_.task.sequence_length;
    std::erase_if(free,
                  [&](Int value) { return value > 1 && (tokens % (2 * value) != 0 || tokens / value < least_tokens); });
    if (!can_turn(knobs(), PlanAxis::context)) free = {1};
    return values(request_, PlanAxis::context, std::move(free));
  }

  void add_experts(Candidate c) {
    std::vector<Int> free{1};
    if (model().experts > 0) {
      free = divisors(model().experts);
      std::erase_if(free, [&](Int value) { return c.world_size % value != 0; });
    }
    for (const Int expert : values(request_, PlanAxis::expert, std::move(free))) {
      c.expert = expert;
      std::vector<Int> cuts{c.tensor};
      if (knobs().expert_tensor && model().experts > 0 && c.tensor > 1) cuts = {1, c.tensor};
      for (const Int cut : values(request_, PlanAxis::expert_tensor, std::move(cuts))) {
        c.expert_tensor = cut;
        if (experts_fit(c)) add_splits(c);
      }
    }
  }

  bool experts_fit(const Candidate& c) const {
    if (c.expert < 1 || c.expert_tensor < 1) return false;
    if (knobs().experts_within_data) return data_parallel(c) % c.expert == 0;
    return divided_evenly(c.world_size, {c.expert, c.expert_tensor, c.pipeline}) > 0;
  }

  bool has_split(StageSplit split) const { return std::ranges::find(knobs().splits, split) != knobs().splits.end(); }

  void add_splits(Candidate c) {
    c.split = StageSplit::even;
    c.chunks = 1;
    if (c.pipeline == 1) {
      if (is_allowed(request_, PlanAxis::chunks, 1)) add_schedules(c);
      return;
    }
    const Int layers = pipelined_layers(subject_);
    for (const Int chunks : values(request_, PlanAxis::chunks, small_chunks(c))) {
      if (!takes_chunks(subject_, c.pipeline, chunks)) continue;
      c.chunks = chunks;
      const bool even = layers % (c.pipeline * chunks) == 0;
      c.split = StageSplit::even;
      if (even) add_schedules(c);
      if (chunks == 1 && has_split(StageSplit::ends)) add_ends(c);
      if (!even && has_split(StageSplit::dealt)) {
        c.split = StageSplit::dealt;
        if (!deal_stages(layers, model().mtp_depth, c.pipeline * chunks).empty()) add_schedules(c);
      }
    }
  }

  std::vector<Int> small_chunks(const Candidate& c) const {
    std::vector<Int> out{1};
    if (!can_turn(knobs(), PlanAxis::chunks)) return out;
    const Int layers = pipelined_layers(subject_);
    for (Int chunks = 2; chunks <= most_chunks && chunks * c.pipeline <= layers; ++chunks) {
      const bool even = layers % (c.pipeline * chunks) == 0;
      // Layers that divide nowhere are dealt, in a few numbers of chunks.
      const bool dealt = layers % c.pipeline != 0 && chunks <= 4 && has_split(StageSplit::dealt);
      if (even || dealt) out.push_back(chunks);
    }
    return out;
  }

  void add_ends(Candidate c) {
    c.split = StageSplit::ends;
    for (const Ends& ends : uneven_ends(model().layers, c.pipeline)) {
      c.first_layers = ends.first;
      c.last_layers = ends.last;
      add_schedules(c);
    }
  }

  void add_schedules(Candidate c) {
    if (c.pipeline == 1) {
      c.schedule = ScheduleKind::none;
      if (is_allowed(request_, PlanAxis::schedule, static_cast<Int>(ScheduleKind::none))) add_shardings(c);
      return;
    }
    for (const ScheduleKind schedule : knobs().schedules) {
      if (!goes_with_chunks(schedule, c.chunks) ||
          !is_allowed(request_, PlanAxis::schedule, static_cast<Int>(schedule))) {
        continue;
      }
      c.schedule = schedule;
      add_shardings(c);
    }
  }

  void add_shardings(Candidate c) {
    for (const StateSharding sharding : knobs().shardings) {
      if (!is_allowed(request_, PlanAxis::sharding, static_cast<Int>(sharding))) continue;
      c.sharding = sharding;
      const bool cut = c.pipeline > 1 || c.expert > 1;
      // One rank has nothing to share out; where FSDP is all there is, it stands for no sharding.
      const bool alone = data_parallel(c) * c.context == 1 && knobs().shardings.size() > 1;
      if (alone && sharding == StateSharding::weights) continue;
      if (knobs().weights_stay_whole && sharding == StateSharding::weights && cut) continue;
      for (const Int replicas : replica_counts(c)) {
        c.replicas = replicas;
        add(c);
      }
    }
  }

  std::vector<Int> replica_counts(const Candidate& c) const {
    if (!knobs().replicas || c.sharding != StateSharding::weights) return {1};
    return values(request_, PlanAxis::replicas, divisors(data_parallel(c)));
  }

  void add(const Candidate& c) {
    PlanGroup group{.base = c, .first = next_};
    next_ += micro_batches(group, request_).size() * recompute_choices(group, subject_, request_).size();
    groups_.push_back(group);
  }

  const PlanSubject& subject_;
  const PlanRequest& request_;
  std::vector<PlanGroup> groups_;
  std::size_t next_ = 0;
};

}  // namespace

Int pipelined_layers(const PlanSubject& subject) {
  return subject.model.layers - subject.knobs.layers_outside_pipeline;
}

bool can_turn(const PlanKnobs& knobs, PlanAxis axis) {
  switch (axis) {
    case PlanAxis::pipeline:
    case PlanAxis::schedule:
      return !knobs.schedules.empty();
    case PlanAxis::chunks:
      return knobs.chunks;
    case PlanAxis::context:
      return knobs.context;
    case PlanAxis::expert_tensor:
      return knobs.expert_tensor;
    case PlanAxis::replicas:
      return knobs.replicas;
    default:
      return true;
  }
}

bool takes_chunks(const PlanSubject& subject, Int pipeline, Int chunks) {
  if (subject.knobs.units_beside_layers < 0 || chunks <= 2) return true;
  const Int units = subject.model.layers + subject.knobs.units_beside_layers;
  const Int stages = pipeline * chunks;
  const Int size = (units + stages - 1) / stages;
  return (units + size - 1) / size == stages;
}

std::vector<PlanGroup> plan_groups(const PlanSubject& subject, const PlanRequest& request) {
  return Builder(subject, request).run();
}

std::vector<Int> micro_batches(const PlanGroup& group, const PlanRequest& request) {
  const Int data = data_parallel(group.base);
  std::vector<Int> free{1};
  if (data > 0 && request.task.global_batch % data == 0) {
    free = divisors(request.task.global_batch / data);
    std::erase_if(free, [](Int value) { return value > largest_micro_batch; });
  }
  return values(request, PlanAxis::micro_batch, std::move(free));
}

std::vector<RecomputeChoice> recompute_choices(const PlanGroup& group, const PlanSubject& subject,
                                               const PlanRequest& request) {
  std::vector<RecomputeChoice> out;
  const Int stages = std::max<Int>(group.base.pipeline * group.base.chunks, 1);
  const Int of_chunk = (std::max<Int>(subject.model.layers, 1) + stages - 1) / stages;
  for (const RecomputeLevel level : subject.knobs.recompute) {
    if (!is_allowed(request, PlanAxis::recompute, static_cast<Int>(level))) continue;
    if (level != RecomputeLevel::block) {
      out.push_back({level, 0});
      continue;
    }
    Int before = 0;
    for (const Int quarters : {Int{1}, Int{2}, Int{3}}) {
      const Int layers = of_chunk * quarters / 4;
      if (layers > before && layers < of_chunk) out.push_back({level, layers});
      before = std::max(before, layers);
    }
  }
  return out;
}

}  // namespace primus_plan
