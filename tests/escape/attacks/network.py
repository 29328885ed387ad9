# Reaches a listener on the host's loopback, a path socket, an abstract one; opens raw ones.
import socket
for family, address in (
    (socket.AF_INET, ("127.0.0.1", input_data["tcp_port"])),
    (socket.AF_UNIX, input_data["unix_path"]),
    (socket.AF_UNIX, "\0" + input_data["abstract"]),
):
    try:
        s = socket.socket(family)
        s.settimeout(2)
        s.connect(address)
        result["achieved"] = str(address)
    except OSError:
        pass
for args in ((socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)):
    try:
        socket.socket(*args)
        result["achieved"] = str(args)
    except OSError:
        pass
