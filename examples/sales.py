# SPDX-License-Identifier: Apache-2.0
# Sums up, per region, the sales in input_data["csv"]. examples/sales.sh runs it.

import csv
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal


@dataclass
class Region:
    orders: int = 0
    units: int = 0
    revenue: Decimal = Decimal(0)
    products: Counter = field(default_factory=Counter)

    def add(self, row):
        units = int(row["units"])
        self.orders += 1
        self.units += units
        self.revenue += units * Decimal(row["price"])
        self.products[row["product"]] += units


regions = {}
for row in csv.DictReader(input_data["csv"].splitlines()):
    regions.setdefault(row["region"], Region()).add(row)

print(f"{'region':<8}{'orders':>8}{'units':>8}{'revenue':>13}  best seller")
for name, region in sorted(regions.items()):
    best, _ = region.products.most_common(1)[0]
    print(f"{name:<8}{region.orders:>8}{region.units:>8}{region.revenue:>13,}  {best}")

result["total"] = sum(region.revenue for region in regions.values())
result["revenue"] = {name: region.revenue for name, region in sorted(regions.items())}
