#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace primus_plan::app {

/// Calls produce(0) … produce(count - 1) on `jobs` threads and consume(result) on this one, in order. Producers run at
/// most a little ahead of the consumer, so that memory does not grow with `count`. An exception of either ends the run
/// and is thrown here.
template <class Result, class Produce, class Consume>
void in_order(std::size_t count, std::size_t jobs, Produce produce, Consume consume) {
  if (jobs <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) consume(produce(i));
    return;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::optional<Result>> done(count);
  std::exception_ptr failure;
  std::size_t next = 0;
  std::size_t consumed = 0;
  const std::size_t ahead = 8 * jobs;

  const auto work = [&] {
    while (true) {
      std::size_t index = 0;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return failure || next >= count || next < consumed + ahead; });
        if (failure || next >= count) return;
        index = next++;
      }
      try {
        Result result = produce(index);
        const std::lock_guard lock(mutex);
        done[index] = std::move(result);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
      changed.notify_all();
    }
  };

  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 0; i < std::min(jobs, count); ++i) threads.emplace_back(work);
    for (std::size_t i = 0; i < count; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return failure || done[i].has_value(); });
      if (failure) break;
      Result result = std::move(*done[i]);
      done[i].reset();
      ++consumed;
      lock.unlock();
      changed.notify_all();
      consume(std::move(result));
    }
  } catch (...) {
    const std::lock_guard lock(mutex);
    failure = std::current_exception();
  }
  changed.notify_all();
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace primus_plan::app
