#!/usr/bin/env bash
# usage: programs.sh PRIMUS_PLAN BENCH
# shellcheck disable=SC2016  # backquotes are Markdown here
# Times the program from outside beside named baselines, and its parts from inside, in one run; prints a table in Markdown. Ratios
# matter more than seconds: they carry over to other machines.
set -euo pipefail
plan=$1 bench=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The median of 11 runs, in microseconds.
median() {
  local times=() begin
  "$@" >/dev/null 2>&1 || true
  for _ in 1 2 3 4 5 6 7 8 9 10 11; do
    begin=${EPOCHREALTIME/./}
    "$@" >/dev/null 2>&1 || true
    times+=($((${EPOCHREALTIME/./} - begin)))
  done
  printf '%s\n' "${times[@]}" | sort -n | sed -n 6p
}

# once COMMAND…: one run, in microseconds.
once() {
  local begin=${EPOCHREALTIME/./}
  "$@" >/dev/null 2>&1 || true
  echo $((${EPOCHREALTIME/./} - begin))
}

row() { # NAME MICROSECONDS BASELINE-NAME BASELINE-MICROSECONDS
  awk -v name="$1" -v us="$2" -v base="$3" -v base_us="$4" 'BEGIN {
    printf "| %s | %s | ", name, us < 100000 ? sprintf("%.1f ms", us / 1e3) : sprintf("%.2f s", us / 1e6)
    if (base == "") print "|"; else printf "%.1f x %s |\n", us / base_us, base
  }'
}

copies() { # NUMBER: that many files, the examples in turn
  local examples=("$root"/examples/*/*.yaml) i
  mkdir -p "$work/$1"
  for ((i = 0; i < $1; i++)); do cp "${examples[i % ${#examples[@]}]}" "$work/$1/$i.yaml"; done
}

example=$root/examples/megatron/llama3.1_70B-64gpu.yaml
copies 1000
copies 10000

echo '| what | time | compared |'
echo '|---|--:|---|'
start=$(median "$(type -P true)")
row 'a process that does nothing (`true`)' "$start" '' ''
version=$(median "$plan" --version)
row '`primus-plan --version`' "$version" 'of `true`' "$start"
one=$(median "$plan" check "$example")
row '`check`, one file' "$one" 'of `--version`' "$version"
if command -v python3 >/dev/null; then
  python=$(median python3 -c pass)
  row 'Python that does nothing (`python3 -c pass`)' "$python" 'of `check` on one file' "$one"
fi
row '`estimate`, one file' "$(median "$plan" estimate "$example")" 'of `check`' "$one"
row '`plan` 70B on 64 GPUs, all threads' "$(median "$plan" plan "$example")" 'of `check`' "$one"
row '`plan` 671B on 1,024 GPUs, all threads' "$(once "$plan" plan "$root/examples/megatron/deepseek_v3-1024gpu.yaml")" 'of `check`' "$one"
thousand=$(once "$plan" check "$work/1000")
row '`check`, 1,000 files, all threads' "$thousand" 'of `check` on one file' "$one"
row '`check`, 10,000 files, all threads' "$(once "$plan" check "$work/10000")" 'of 1,000 files' "$thousand"
corpus=${PRIMUS_PLAN_CORPUS_DIR:-$root/../shared/corpus}
[ ! -d "$corpus" ] || row '`check`, the corpus of Primus experiments' "$(median "$plan" check "$corpus")" 'of `check` on one file' "$one"

keyed() { # NUMBER: an experiment with so many more keys
  cp "$example" "$work/keys$1.yaml"
  for ((i = 0; i < $1; i++)); do echo "      x_key_$i: $i"; done >>"$work/keys$1.yaml"
}
keyed 2000
keyed 20000
keys=$(median "$plan" check "$work/keys2000.yaml")
row '`check`, a file of 2,000 keys that nobody knows' "$keys" 'of `check` on one file' "$one"
row '`check`, 20,000 of them' "$(once "$plan" check "$work/keys20000.yaml")" 'of 2,000' "$keys"
ranks=$(median "$plan" layout --tp 8 --pp 8 --world-size 16384 --format json)
row '`layout`, JSON of 16,384 ranks' "$ranks" 'of `check` on one file' "$one"
row '`layout`, JSON of 131,072 ranks' "$(once "$plan" layout --tp 8 --pp 8 --world-size 131072 --format json)" 'of 16,384' "$ranks"

echo
echo '| part, one thread | time | rate |'
echo '|---|--:|--:|'
"$bench" --benchmark_format=console --benchmark_min_time=0.2 2>/dev/null | awk '
  $3 ~ /^(ns|us|ms|s)$/ && $5 ~ /^(ns|us|ms|s)$/ {
    unit["ns"] = 1e-3; unit["us"] = 1; unit["ms"] = 1e3; unit["s"] = 1e6
    us = $4 * unit[$5]
    name = $1; sub(/\/[0-9]+$/, "", name); gsub(/_/, " ", name); sub(/\//, ", ", name)
    label = ""; rate = sprintf("%.0f a second", 1e6 / us)
    for (i = 7; i <= NF; i++) {
      if ($i ~ /^judged\/s=/) { rate = $i; sub(/.*=/, "", rate); sub(/\/s$/, "", rate); rate = rate " candidates a second" }
      else if ($i !~ /=/) label = label " " $i
    }
    time = us < 1 ? sprintf("%.0f ns", us * 1e3) : us < 1e4 ? sprintf("%.1f us", us) : sprintf("%.0f ms", us / 1e3)
    printf "| %s%s | %s | %s |\n", name, label == "" ? "" : "," label, time, rate
  }'
