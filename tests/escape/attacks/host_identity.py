# Learns the host's name, the caller's name, paths and environment.
import os, sys, socket
words = [os.uname().nodename, socket.gethostname(), os.getcwd(), *sys.argv, *sys.orig_argv, *sys.path, *os.environ, *os.environ.values()]
text = " ".join(words)
for mark in input_data["marks"]:
    if mark in text:
        result["achieved"] = mark
