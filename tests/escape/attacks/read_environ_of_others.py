# Looks for the caller's secret in the environment of every process it can name.
import os
for pid in ["1", "self", "thread-self", *map(str, range(1, 200)), str(input_data["canary_pid"])]:
    for file in ("environ", "cmdline", "maps"):
        try:
            data = os.read(os.open(f"/proc/{pid}/{file}", os.O_RDONLY), 1 << 20)
        except OSError:
            continue
        if input_data["secret"][::-1].encode() in data[::-1] or b"canary-process" in data:
            result["achieved"] = f"{pid}/{file}"
