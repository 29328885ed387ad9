# SPDX-License-Identifier: Apache-2.0
# cordon run -i '{"name": "Ada"}' examples/hello.py

name = input_data.get("name", "world")
print(f"Hello, {name}!")
result["letters"] = len(name)
