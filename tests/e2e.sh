#!/usr/bin/env bash
# The real window, under a virtual screen, driven by mouse and keys as a user drives it. Pictures go to target/screens/.
# Where a control stands is read from the accessibility tree (TAILBONE_LABELS), so no coordinate is written down here.
set -euo pipefail
cd "$(dirname "$0")/.."
tailbone=${TAILBONE:-target/debug/tailbone}
screens=target/screens
mkdir -p "$screens"
work=$(mktemp -d)
labels=$work/labels
display=:$((90 + RANDOM % 900))
# It would begin anew, and refuse the next one meanwhile, when the first to ask whether it is there has gone.
Xvfb "$display" -screen 0 1280x800x24 -nolisten tcp -noreset >/dev/null 2>&1 &
xvfb=$!
# A busy machine takes its time, and its socket is there before it answers: a window without a screen ends at once.
for _ in $(seq 100); do
    ! DISPLAY=$display xdotool getdisplaygeometry >/dev/null 2>&1 || break
    sleep 0.1
done
app=
finish() {
    [ -z "$app" ] || kill -9 "$app" 2>/dev/null || true
    kill "$xvfb" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
# A home of its own: nobody's preferences, nobody's unsaved work. No portal: paths are typed.
export DISPLAY=$display HOME=$work/home XDG_DATA_HOME=$work/home/data XDG_RUNTIME_DIR=$work/home/run
export TAILBONE_LABELS=$labels LIBGL_ALWAYS_SOFTWARE=1
unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
mkdir -p "$XDG_DATA_HOME" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"

say() { printf '   %s\n' "$*"; }
fail() {
    echo "error: $*" >&2
    picture failed || true
    cut -d' ' -f4- "$labels" 2>/dev/null | sort -u | head -150 >&2 || true
    exit 1
}
# The picture comes a frame after the labels.
picture() { sleep 1; import -window root "$screens/e2e-$1.png"; }
# Where a label stands: `x y`. The role may stand before it. With a second argument the label need only begin so; with
# `holds` it may hold the text anywhere.
place() {
    awk -v want="$1" -v begins="${2:-}" '{
        x = $1; y = $2; text = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", text); sub(/ +$/, "", text)
        at = index(text, want)
        if (text == want || $3 " " text == want || (begins != "" && at == 1) || (begins == "holds" && at)) { print x, y; exit }
    }' "$labels" 2>/dev/null
}
patience=${TAILBONE_PATIENCE:-120}
see() {
    local start=$SECONDS
    until [ -n "$(place "$@")" ]; do
        [ $((SECONDS - start)) -lt "$patience" ] || fail "\"$1\" never showed"
        kill -0 "$app" 2>/dev/null || fail "the window is gone while waiting for \"$1\""
        sleep 0.2
    done
}
# Waits until one of several labels begins so.
see_one_of() {
    local want start=$SECONDS
    while :; do
        for want in "$@"; do
            [ -z "$(place "$want" begins)" ] || return 0
        done
        [ $((SECONDS - start)) -lt "$patience" ] || fail "none of these showed: $*"
        kill -0 "$app" 2>/dev/null || fail "the window is gone while waiting for one of: $*"
        sleep 0.2
    done
}
gone() {
    local start=$SECONDS
    while [ -n "$(place "$@")" ]; do
        [ $((SECONDS - start)) -lt "$patience" ] || fail "\"$1\" never went"
        sleep 0.2
    done
}
# A frame of software GL takes a moment; the place is read again once it stands still.
click() {
    see "$@"
    sleep 0.4
    # shellcheck disable=SC2046
    xdotool mousemove $(place "$@") sleep 0.3 click 1
    sleep 0.4
}
key() {
    xdotool key --clearmodifiers "$1"
    sleep 0.4
}
# Turns the wheel over a panel until a label of it stands still within the window: `reach LABEL X` where X lies in the
# panel. What was scrolled glides on for a moment, slowly where frames are.
reach() {
    local at start=$SECONDS
    see "$1"
    while :; do
        [ $((SECONDS - start)) -lt "$patience" ] || fail "\"$1\" cannot be scrolled to"
        at=$(place "$1")
        if [ "${at#* }" -ge 520 ]; then
            xdotool mousemove "$2" 400 click 5
        elif [ "${at#* }" -le 60 ]; then
            xdotool mousemove "$2" 400 click 4
        else
            sleep 1.2
            [ "$(place "$1")" != "$at" ] || return 0
        fi
        sleep 0.3
    done
}
# Drags from where a label stands by so many pixels.
drag() {
    local at
    at=$(place "$1")
    # shellcheck disable=SC2086
    xdotool mousemove $at sleep 0.2 mousedown 1 sleep 0.2
    for _ in 1 2 3 4; do xdotool mousemove_relative -- "$(($2 / 4))" 0 sleep 0.15; done
    xdotool mouseup 1
    sleep 0.4
}
# Runs a command through the palette; typed before it is there, the letters would be keys of the window.
order() {
    key ctrl+k
    see "Find anything"
    xdotool type --delay 30 "$1"
    sleep 0.5
    key Return
}
start() {
    rm -f "$labels"
    "$tailbone" "$@" >"$work/log" 2>&1 &
    app=$!
    local start=$SECONDS
    until xdotool search --onlyvisible --name Tailbone >"$work/window" 2>/dev/null; do
        [ $((SECONDS - start)) -lt "$patience" ] || { cat "$work/log" >&2; fail "no window"; }
        kill -0 "$app" 2>/dev/null || { cat "$work/log" >&2; fail "it ended"; }
        sleep 0.2
    done
    local window
    window=$(head -1 "$work/window")
    xdotool windowmove "$window" 0 0 windowsize "$window" 1280 800 windowfocus "$window" 2>/dev/null || true
}

say "start: the fox walks, its tail is selected"
start
see "Treatment: Bone chain"
key space
picture start

say "the tail is selected, made rigid, and that is undone"
click "TreeItem Tail"
click "Treatment: Rigid"
see "fox*"
picture rigid
key ctrl+z
gone "fox*"

say "two sliders of its springs are dragged while Sprint plays"
click "Clip Sprint"
key space
see "Pause"
for knob in Gravity "Smooth along chain"; do
    reach "Slider $knob" 1100
    drag "Slider $knob" 24
    see "fox*"
done
picture sliders
key ctrl+h
see "Tune gravity"
see "Tune smooth along chain"
picture history
key ctrl+h
key ctrl+z
key ctrl+z
gone "fox*"
key space

say "side by side, and the character as it was loaded while its key is held"
key ctrl+3
see "As loaded" begins
see_one_of "Bone chain, no tears" "Bone chain, under 0.1 % torn"
picture compare
key ctrl+1
see "TreeItem Tail"
xdotool keydown grave
sleep 1
picture before
xdotool keyup grave

say "the knight's cape goes to the spine, and that is undone"
order "open the knight"
see "sample:knight" begins
see "Left alone" begins
click "Left alone" begins
click "TreeItem Cloth or shell 1"
see "Treatment: Leave"
reach "Treatment: Rigid" 1100
click "Treatment: Rigid"
see "knight*"
picture cape
key ctrl+z
gone "knight*"

say "the ponytail is picked by a click, given six bones, undone, done again, and its head turns"
order "open the ponytail"
see "sample:ponytail" begins
key ctrl+5
see "Fit bones"
[ -z "$(place "Button Pause")" ] || key space
see "Button Play"
key shift+Home
key 3
sleep 3
# From the left the tail hangs to the right of the back. It is a finger wide on the screen: clicks from outside in, at
# the height of the chest, until one has met it.
middle=$(place "3D viewport")
for up in 120 150 90; do
    for out in 130 122 114 106 98 90 82 74 66 58 50 42 34 26 18 10; do
        xdotool mousemove $((${middle% *} + out)) $((${middle#* } - up)) sleep 0.3 click 1
        sleep 0.8
        [ -z "$(place "of Ponytail" holds)" ] || break 2
    done
done
see "of Ponytail" holds
click "Bones of the strand"
key ctrl+a
xdotool type --delay 30 "6"
key Return
see ", 6 bones, " holds
picture hair-picked
click "Fit bones"
see "Remove " begins
see "ponytail*"
key ctrl+z
gone "Remove " begins
gone "ponytail*"
key ctrl+y
see "Remove " begins
see "ponytail*"
click "Button Head turn"
see "Button Pause"
see "Stretch p99"
picture hair-turned
key space
see "Button Play"
key ctrl+z
gone "ponytail*"
key ctrl+1

say "on the mouse a flip is looked for and played, and three clips of Combat are exported"
order "open the mouse"
see "sample:mouse" begins
see "Treatment: Bone chain"
click "Search clips"
xdotool type --delay 30 "flip"
see "3 of 260"
click "Clip Back Flip"
[ -n "$(place "Button Pause")" ] || key space
sleep 2
picture flip
click "Search clips"
key ctrl+a
key BackSpace
click "Category"
click "Combat" begins
see "Clip Punch Jab"
picture combat
key ctrl+e
click "None"
for clip in "Punch Jab" "Punch Cross" "Sword Attack"; do
    click "Search clips"
    key ctrl+a
    xdotool type --delay 30 "$clip"
    click "Export $clip"
done
click "Output file"
key ctrl+a
xdotool type --delay 30 "$work/combat.glb"
sleep 0.5
see "3 of " begins
click "Export now"
see "Exported combat.glb"
picture combat-exported
click "Search clips"
key ctrl+a
key BackSpace
key ctrl+1
order "open the fox"
# The mouse's tail has a chain, too: what tells is that the fox's is there.
see "sample:fox · 1 chain" begins
sleep 2
see "Treatment: Bone chain"

say "a lasso marks skin, and that becomes a region"
key l
xdotool mousemove 480 200 sleep 0.2 mousedown 1 sleep 0.2
for at in "640 180" "700 320" "640 480" "500 470" "480 210"; do
    # shellcheck disable=SC2086
    xdotool mousemove $at sleep 0.2
done
xdotool mouseup 1
see "New region"
picture lasso
click "New region"
see "Give up region"
picture region
key ctrl+z
gone "fox*"
key q

say "the decisions are saved as a project"
key ctrl+s
see "Path"
key ctrl+a
xdotool type --delay 30 "$work/fox.tailbone"
key Return
see "fox.tailbone"

say "two clips are exported, and played back"
key ctrl+e
click "None"
click "Export Walk"
click "Export Sprint"
# The path field holds a name beside the program; it goes to a folder of ours.
click "Output file"
key ctrl+a
xdotool type --delay 30 "$work/out.glb"
sleep 0.5
click "Export now"
see "Exported out.glb"
picture export
click "Play exported file"
see "Played back with physics off" begins
picture export-checked

key ctrl+1

say "kill -9 after a decision, and recover"
see "Treatment: Bone chain"
click "Treatment: Leave"
see "fox.tailbone*"
begun=$SECONDS
until ls "$XDG_DATA_HOME"/tailbone/recovery/*/journal.ron >/dev/null 2>&1; do
    [ $((SECONDS - begun)) -lt 30 ] || fail "nothing was kept"
    sleep 0.2
done
kill -9 "$app"
wait "$app" 2>/dev/null || true
start
click "Recover"
see "fox.tailbone*"
picture recovered

say "closing asks first"
key ctrl+q
see "Don't save"
picture question
click "Don't save"
wait "$app" || fail "it did not end in order"
app=

say "the exported files are valid"
mkdir -p target/written
cp "$work/out.glb" target/written/e2e.glb
cp "$work/combat.glb" target/written/e2e-combat.glb
ls -l target/written/e2e*.glb
