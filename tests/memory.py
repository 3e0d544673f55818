"""Every shared file is inspected and has its regions found within 4 x its size + 256 MB, or is refused with a reason.

usage: memory.py TAILBONE FOLDER
"""
import os
import subprocess
import sys
import time


def peak(command):
    """Exit code, stderr, peak memory in bytes and seconds of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, said, usage.ru_maxrss * 1024, time.monotonic() - start


def main():
    program, folder = sys.argv[1:]
    faults, worst, n = [], 0.0, 0
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.lower().endswith((".glb", ".gltf", ".vrm")):
                continue
            path = os.path.join(root, name)
            allowed = 4 * os.path.getsize(path) + 256e6
            for verb in ("inspect", "detect"):
                code, said, used, seconds = peak([program, verb, path, "--json"])
                n += 1
                worst = max(worst, used / allowed)
                if code not in (0, 1) or (code == 1 and name not in said):
                    faults.append(f"{verb} {path}: exit {code}: {said.strip()}")
                if used > allowed:
                    faults.append(f"{verb} {path}: {used / 1e6:.0f} MB of {allowed / 1e6:.0f}")
                if seconds > 10:
                    faults.append(f"{verb} {path}: {seconds:.1f} s")
    print(f"{n} runs, at most {100 * worst:.0f} % of the memory allowed")
    print("\n".join(faults))
    sys.exit(bool(faults))


main()
