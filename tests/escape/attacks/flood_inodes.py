# Makes more files than the working directory's cap.
import os
made = 0
try:
    for made in range(5000):
        os.mkdir(f"d{made}")
except OSError:
    pass
if made > 1100:
    result["achieved"] = made
