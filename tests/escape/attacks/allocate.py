# Holds 1.5 GiB in one object.
block = bytearray(1536 << 20)
for i in range(0, len(block), 4096):
    block[i] = 1
result["achieved"] = len(block)
