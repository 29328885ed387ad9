# Attaches to, or reads the memory of, a process outside.
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
pid = input_data["canary_pid"]
if libc.ptrace(0x4206, pid, 0, 0) == 0:
    result["achieved"] = "ptrace"
buf = ctypes.create_string_buffer(8)
local = (ctypes.c_size_t * 2)(ctypes.addressof(buf), 8)
remote = (ctypes.c_size_t * 2)(input_data["canary_address"], 8)
if libc.process_vm_readv(pid, local, 1, remote, 1, 0) == 8:
    result["achieved"] = "process_vm_readv"
