# Sourced by scripts/release-check, which sets root and work. The function s3 lets eight machines share decisions through
# a real S3 server. Each machine is a store and a process. The functions s3_* are its parts and use its variables.
#
# shellcheck shell=bash disable=SC2154

# s3_serve: starts the server, and waits until it accepts connections. Sets `server` to its process.
s3_serve() {
  ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY \
    "$work/bin/versitygw" --quiet --port "127.0.0.1:$port" --iam-dir "$it/users" posix "$it/root" >>"$it/server.txt" 2>&1 &
  server=$!
  disown "$server" # bash prints nothing when a disowned process is killed
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    kill -0 "$server" 2>/dev/null || break
    ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 0
    sleep 0.1
  done
  tail "$it/server.txt" >&2
  echo "release-check: the S3 server does not run" >&2
  return 1
}

# s3_tune MACHINE ROUND: decides two tiny layers. All machines decide the first one. Only this machine decides the second
# one.
s3_tune() {
  printf '%s\n' "shared 1 8 0 6 $((6 + $2)) 16 0 1 1 0 1 1 1" "own 1 8 0 $((10 + $1)) $((6 + $2)) 8 0 1 1 0 1 1 1" |
    "$atc" tune - --technique once --problem-budget 60s --quiet --store "$it/store-$1" >"$it/tuned-$1.txt" 2>&1 ||
    { cat "$it/tuned-$1.txt" >&2; return 1; }
}

# s3_push MACHINE [SECONDS]: pushes the store, and notes the exit code. With SECONDS the push gets kill -9 after this time.
s3_push() {
  local code=0
  timeout --foreground --signal KILL "${2:-0}" "$atc" store push "$url" --store "$it/store-$1" \
    >"$it/written-$1.txt" 2>"$it/said-$1.txt" || code=$?
  echo "$code" >>"$it/codes-$1.txt"
  case $code in
    0 | 137) ;;
    124) ;; # the push ended by itself while `timeout` was about to kill it
    1) (($(wc -l <"$it/said-$1.txt") == 1)) ;; # the server is down: one sentence
    *) false ;;
  esac || { echo "release-check: a push ended with exit code $code:" >&2; cat "$it/said-$1.txt" >&2; return 1; }
}

# s3_pusher MACHINE: tunes and pushes in each round but the last one. The first push of a round gets kill -9 after a random
# time, which is at most the time of the machine's last whole push.
s3_pusher() {
  local round began took=500000 after # in µs
  for ((round = 1; round < rounds; round++)); do
    s3_tune "$1" "$round"
    after=$((1 + RANDOM * took / 32768))
    s3_push "$1" "$(printf '%d.%06d' $((after / 1000000)) $((after % 1000000)))"
    began=${EPOCHREALTIME/[.,]/}
    s3_push "$1"
    took=$((${EPOCHREALTIME/[.,]/} - began))
  done
}

# s3_last MACHINE: tunes the last round, and pushes to the end.
s3_last() {
  s3_tune "$1" "$rounds"
  s3_push "$1"
  [[ $(tail -n 1 "$it/codes-$1.txt") == 0 ]] || { cat "$it/said-$1.txt" >&2; return 1; }
}

# s3_codes PATTERN: counts the pushes with an exit code that matches.
s3_codes() {
  cat "$it"/codes-*.txt | grep -cx "$1" || true
}

# s3_contents STORE: prints the number of decisions and the digest.
s3_contents() {
  "$atc" store ls --json --store "$1" |
    python3 -c 'import json, sys; found = json.load(sys.stdin); print(len(found["entries"]), "decisions, digest", found["digest"])'
}

# s3_refused: pushes with wrong credentials. The push must print one sentence without any credential.
s3_refused() {
  local said code=0
  said=$("$atc" store push "$url" --store "$it/store-1" 2>&1) || code=$?
  if [[ $code != 1 || $said == *$'\n'* || $said != *"access is denied"* || $said == *hidden* ]]; then
    printf 'release-check: a push with wrong credentials ended with exit code %d and this text:\n%s\n' "$code" "$said" >&2
    return 1
  fi
}

# The body is a subshell: its trap ends the processes that it has started, even if a check fails.
s3() (
  command -v go >/dev/null || { echo "skipped: s3 needs Go, which builds the S3 server versitygw"; return; }
  machines=8 rounds=5 it=$work/s3 url=s3://bucket/fleet server=
  trap 'kill -9 $(jobs -p) $server 2>/dev/null || true' EXIT
  # A bucket of the server is a folder. The folder of users makes the server deny wrong names of keys (without it: 404).
  mkdir -p "$it/root/bucket" "$it/users"
  GOBIN=$work/bin go install github.com/versity/versitygw/cmd/versitygw@v1.8.0 >"$work/go.txt" 2>&1 ||
    { tail "$work/go.txt" >&2; return 1; }
  cargo build --quiet --locked --manifest-path "$root/rust/Cargo.toml" --package atc-cli --features remote
  atc=${CARGO_TARGET_DIR:-$root/rust/target}/debug/atc
  port=$(python3 -c 'import socket; one = socket.create_server(("127.0.0.1", 0)); print(one.getsockname()[1])')

  unset "${!AWS_@}" "${!ATC_@}"
  export AWS_ENDPOINT=http://127.0.0.1:$port AWS_ALLOW_HTTP=true AWS_REGION=us-east-1 NO_PROXY=127.0.0.1 OMP_WAIT_POLICY=passive
  export AWS_ACCESS_KEY_ID=hidden-name AWS_SECRET_ACCESS_KEY=hidden-secret
  s3_serve

  pushers=()
  for ((machine = 1; machine <= machines; machine++)); do
    : >"$it/codes-$machine.txt"
    s3_pusher "$machine" &
    pushers+=($!)
  done
  # After half of the pushes the server gets kill -9. It starts again after a push has failed.
  while kill -0 "${pushers[0]}" 2>/dev/null && (($(s3_codes '.*') < machines * (rounds - 1))); do sleep 0.05; done
  kill -9 "$server"
  while kill -0 "${pushers[0]}" 2>/dev/null && (($(s3_codes 1) == 0)); do sleep 0.05; done
  s3_serve
  for pusher in "${pushers[@]}"; do wait "$pusher"; done
  killed=$(s3_codes 137) failed=$(s3_codes 1)
  ((killed > 0 && failed > 0)) || { echo "release-check: $killed pushes were killed and $failed failed: each must occur" >&2; return 1; }

  pushers=()
  for ((machine = 1; machine <= machines; machine++)); do
    s3_last "$machine" &
    pushers+=($!)
  done
  for pusher in "${pushers[@]}"; do wait "$pusher"; done

  # What has to arrive is computed without the server. It is the union: the shared layer and the own layers of each round.
  for ((machine = 1; machine <= machines; machine++)); do
    "$atc" store export --output "$it/$machine.bundle" --store "$it/store-$machine" 2>/dev/null
  done
  "$atc" store merge "$it"/?.bundle --output "$it/all.bundle" >"$it/merged.txt" 2>&1
  "$atc" store import "$it/all.bundle" --store "$it/expected" >"$it/imported.txt" 2>&1
  expected=$(s3_contents "$it/expected")
  [[ $expected == "$((rounds * (machines + 1))) decisions, "* ]] || { echo "release-check: the union has $expected" >&2; return 1; }
  for store in {fresh,store}-{1..8}; do
    "$atc" store pull "$url" --store "$it/$store" >"$it/pulled.txt" 2>&1 || { cat "$it/pulled.txt" >&2; return 1; }
    found=$(s3_contents "$it/$store")
    [[ $found == "$expected" ]] || { echo "release-check: $store has $found; expected: $expected" >&2; return 1; }
  done

  AWS_SECRET_ACCESS_KEY=hidden-other s3_refused
  AWS_ACCESS_KEY_ID=hidden-other s3_refused
  echo "$(s3_codes '.*') pushes of $machines machines: $killed ended by kill -9, $failed failed while the server was down"
  echo "$(find "$it/root/bucket/fleet" -name '*.bundle' | wc -l) bundles; each of 16 stores has $expected"
)
