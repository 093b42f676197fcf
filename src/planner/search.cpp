#include "planner/search.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "estimate/states.h"

namespace primus_plan {
namespace {

constexpr std::size_t groups_of_a_turn = 16;

/// What one thread has found.
struct Share {
  std::vector<PlanPoint> points;
  Rejections rejections;
  PlanPoint least_memory;
  bool has_least_memory = false;
  std::size_t judged = 0;
};

/// Rules numbered 1xx judge degrees and the world size and nothing else.
bool is_about_degrees(const RuleInfo& rule) { return rule.id.size() == 5 && rule.id[2] == '1'; }

bool needs_less(const PlanPoint& a, const PlanPoint& b) {
  if (a.memory.expected != b.memory.expected) return a.memory.expected < b.memory.expected;
  return a.order < b.order;
}

class GroupSearch {
 public:
  GroupSearch(const Prepared& prepared, const PlanSubject& subject, const PlanRequest& request,
              const SearchOptions& options)
      : judge_(prepared, request), subject_(subject), request_(request), options_(options) {}

  void run(const PlanGroup& group) {
    const std::vector<std::int64_t> micro = micro_batches(group, request_);
    const std::vector<RecomputeChoice> recompute = recompute_choices(group, subject_, request_);
    if (micro.empty() || recompute.empty()) return;
    for (std::size_t r = 0; r < recompute.size(); ++r) {
      std::size_t m = 0;
      Size size = Size::illegal;
      while (m < micro.size() && (says_nothing(size) || (size == Size::right && !options_.smallest_only))) {
        size = judge(group, {r * micro.size() + m, micro[m], recompute[r]});
        ++m;
      }
      if (!options_.prune) continue;
      const std::size_t left = (recompute.size() - 1 - r) * micro.size();
      if (size == Size::degrees_illegal) {
        share_.rejections.by_rule[last_error_] += micro.size() - m + left;
        share_.judged += micro.size() - m + left;
        return;
      }
      if (options_.smallest_only) continue;
      share_.rejections.unjudged += micro.size() - m;
      if (size != Size::states_too_large) continue;
      share_.rejections.unjudged += left;
      return;
    }
  }

  Share take() { return std::move(share_); }

 private:
  struct Member {
    std::size_t order;
    std::int64_t micro_batch;
    RecomputeChoice recompute;
  };

  enum class Size : std::uint8_t {
    right,
    illegal,           ///< which says nothing of the others
    carries_too_much,  ///< in several passes; one that takes the whole step at once might fit
    too_large,         ///< a larger micro-batch is too large as well
    states_too_large,  ///< every member of the group is
    degrees_illegal,   ///< as for every member of the group: it is the degrees and the world that do not fit together
  };

  static bool says_nothing(Size size) { return size == Size::illegal || size == Size::carries_too_much; }

  Size judge(const PlanGroup& group, const Member& member) {
    Candidate candidate = group.base;
    candidate.micro_batch = member.micro_batch;
    candidate.recompute = member.recompute.level;
    candidate.recompute_layers = member.recompute.layers;
    ++share_.judged;
    PointJudge::Answer answer = judge_.judge(candidate);
    if (answer.verdict.errors > 0) {
      last_error_ = answer.verdict.first_error;
      ++share_.rejections.by_rule[answer.verdict.first_error];
      return options_.prune && is_about_degrees(*answer.verdict.first_error) ? Size::degrees_illegal : Size::illegal;
    }
    answer.point.order = static_cast<std::uint32_t>(group.first + member.order);
    if (!share_.has_least_memory || needs_less(answer.point, share_.least_memory)) {
      share_.least_memory = answer.point;
      share_.has_least_memory = true;
    }
    if (answer.point.fit == Fit::does_not_fit) {
      ++share_.rejections.too_large;
      if (!options_.prune) return Size::right;
      if (judge_.needs_less_in_one_pass(options_.smallest_only)) return Size::carries_too_much;
      return answer.point.state_bytes > request_.hardware.memory_bytes ? Size::states_too_large : Size::too_large;
    }
    share_.points.push_back(answer.point);
    return Size::right;
  }

  PointJudge judge_;
  const PlanSubject& subject_;
  const PlanRequest& request_;
  const SearchOptions& options_;
  const RuleInfo* last_error_ = nullptr;
  Share share_;
};

void add(Share share, SearchOutcome& out) {
  out.points.insert(out.points.end(), share.points.begin(), share.points.end());
  out.judged += share.judged;
  out.rejections.too_large += share.rejections.too_large;
  out.rejections.unjudged += share.rejections.unjudged;
  for (const auto& [rule, count] : share.rejections.by_rule) out.rejections.by_rule[rule] += count;
  if (share.has_least_memory && (!out.has_least_memory || needs_less(share.least_memory, out.least_memory))) {
    out.least_memory = share.least_memory;
    out.has_least_memory = true;
  }
}

/// A step through all groups that visits every one, far ones after each other: a search that is stopped has seen
/// something of everything.
std::size_t stride_of(std::size_t count) {
  if (count < 3) return 1;
  auto stride = static_cast<std::size_t>(static_cast<double>(count) * 0.618);
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

}  // namespace

PointJudge::PointJudge(const Prepared& prepared, const PlanRequest& request)
    : prepared_(prepared), request_(request), judge_(prepared.candidate_judge(request.task)) {}

CandidateOverrides PointJudge::changes(const Candidate& candidate) const {
  return prepared_.candidate_overrides(candidate, request_.task, true);
}

PointJudge::Answer PointJudge::judge(const Candidate& candidate) {
  Answer out;
  out.verdict = judge_->judge(candidate, workload_);
  if (out.verdict.errors > 0) return out;
  out.point = point_of(workload_, request_.hardware);
  out.point.candidate = candidate;
  out.point.warnings = static_cast<std::uint32_t>(out.verdict.warnings);
  return out;
}

bool PointJudge::needs_less_in_one_pass(bool whatever_it_needs) const {
  if (!carries_gradients(workload_)) return false;
  if (whatever_it_needs) return true;
  Workload at_once = workload_;
  at_once.run.batch.accumulation_steps = 1;
  const MemoryEstimate memory = estimate_memory(at_once, memory_device(&request_.hardware));
  return compare_with_hardware(memory, request_.hardware.memory_bytes) != Fit::does_not_fit;
}

PlanPoint point_of(const Workload& workload, const Hardware& hardware) {
  PlanPoint out;
  const MemoryEstimate memory = estimate_memory(workload, memory_device(&hardware));
  out.memory = memory.device;
  for (const StageMemory& stage : memory.stages) {
    double bytes = stage[MemoryPart::weights] + stage[MemoryPart::optimizer];
    if (workload.runtime != Runtime::xla) bytes += stage[MemoryPart::gradients];
    out.state_bytes = std::max(out.state_bytes, bytes);
  }
  if (hardware.memory_bytes > 0) out.fit = compare_with_hardware(memory, hardware.memory_bytes);
  if (out.fit == Fit::does_not_fit) return out;
  set_times(out, estimate_step(workload, hardware));
  return out;
}

void set_times(PlanPoint& point, const StepEstimate& step) {
  point.seconds = step.seconds;
  point.low_seconds = step.low_seconds;
  point.high_seconds = step.high_seconds;
  point.tokens_per_second_per_gpu = step.tokens_per_second_per_gpu;
  point.bubble_share = step.bubble_share;
}

SearchOutcome search(const Prepared& prepared, const PlanSubject& subject, const PlanRequest& request,
                     const std::vector<PlanGroup>& groups, const PlanControl& control, const SearchOptions& options) {
  const std::size_t stride = stride_of(groups.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  SearchOutcome out;
  std::exception_ptr failure;
  const auto work = [&](bool reports) {
    try {
      GroupSearch own(prepared, subject, request, options);
      while (!stopped) {
        const std::size_t begin = next.fetch_add(groups_of_a_turn);
        if (begin >= groups.size()) break;
        const std::size_t end = std::min(begin + groups_of_a_turn, groups.size());
        for (std::size_t i = begin; i < end && !stopped; ++i) {
          own.run(groups[i * stride % groups.size()]);
          if (control.stop && control.stop()) stopped = true;
        }
        if (reports && control.progress) control.progress(std::min(next.load(), groups.size()), groups.size());
      }
      Share share = own.take();
      const std::lock_guard lock(mutex);
      add(std::move(share), out);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      stopped = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::max<std::size_t>(request.jobs, 1); ++i) threads.emplace_back(work, false);
    work(true);
  }
  if (failure) std::rethrow_exception(failure);
  std::ranges::sort(out.points, {}, &PlanPoint::order);
  out.complete = !stopped;
  return out;
}

}  // namespace primus_plan
