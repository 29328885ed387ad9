# SPDX-License-Identifier: Apache-2.0
"""
Programs of the kind that models write, each with its own checks, all in one engine and
several in flight. Some are ours; when shared/programs/humaneval.jsonl lies beside the
checkout, so are HumanEval's: 163 of the 164 end ok, number 160 calls eval().
"""

import json

import pytest

from support import ROOT, Many

HUMANEVAL = ROOT.parent / "shared" / "programs" / "humaneval.jsonl"

PROGRAMS = {
    "running totals": '''
from typing import List, Tuple

def running(numbers: List[int]) -> List[Tuple[int, int]]:
    """ Pairs of the maximum and the sum so far.
    >>> running([1, 3, 2])
    [(1, 1), (3, 4), (3, 6)]
    """
    best, total, out = None, 0, []
    for n in numbers:
        best = n if best is None else max(best, n)
        total += n
        out.append((best, total))
    return out

def check(candidate):
    assert candidate([]) == []
    assert candidate([1, 3, 2]) == [(1, 1), (3, 4), (3, 6)]
    assert candidate([-5]) == [(-5, -5)]

check(running)
''',
    "balanced brackets": """
def balanced(text):
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for c in text:
        if c in pairs.values():
            stack.append(c)
        elif c in pairs and (not stack or stack.pop() != pairs[c]):
            return False
    return not stack

assert balanced("([]{})") and not balanced("([)]") and not balanced("(") and balanced("")
""",
    "primes": """
import math
def is_prime(n: int) -> bool:
    return n > 1 and all(n % i for i in range(2, math.isqrt(n) + 1))
def factors(n):
    out, d = [], 2
    while n > 1:
        while n % d == 0:
            out.append(d)
            n //= d
        d += 1
    return out
assert [n for n in range(30) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
assert factors(360) == [2, 2, 2, 3, 3, 5] and factors(97) == [97] and factors(1) == []
""",
    "roman numerals": """
def roman(n):
    out = ""
    for value, mark in [(1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
                        (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")]:
        while n >= value:
            out, n = out + mark, n - value
    return out
for n, want in [(1, "i"), (19, "xix"), (152, "clii"), (426, "cdxxvi"), (994, "cmxciv"), (1000, "m")]:
    assert roman(n) == want, (n, roman(n))
""",
    "words": """
from collections import Counter
import re
def histogram(text):
    words = re.findall(r"[a-z']+", text.lower())
    return dict(sorted(Counter(words).items(), key=lambda kv: (-kv[1], kv[0])))
assert histogram("The cat. the DOG, the cat's") == {"the": 3, "cat": 1, "cat's": 1, "dog": 1}
assert list(histogram("b a b")) == ["b", "a"]
""",
    "matrix": """
from itertools import product
def spiral(m):
    out = []
    m = [list(r) for r in m]
    while m:
        out += m.pop(0)
        m = [list(r) for r in zip(*m)][::-1]
    return out
def mul(a, b):
    n, k, m = len(a), len(b), len(b[0])
    c = [[0] * m for _ in range(n)]
    for i, j, x in product(range(n), range(m), range(k)):
        c[i][j] += a[i][x] * b[x][j]
    return c
assert spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == [1, 2, 3, 6, 9, 8, 7, 4, 5]
assert mul([[1, 2], [3, 4]], [[0, 1], [1, 0]]) == [[2, 1], [4, 3]]
""",
    "md5": """
def string_to_md5(text):
    import hashlib
    return hashlib.md5(text.encode("ascii")).hexdigest() if text else None
assert string_to_md5("Hello world") == "3e25960a79dbc69b674cd4ec67a72c62" and string_to_md5("") is None
""",
    "dates": """
def valid_date(date):
    try:
        month, day, year = (int(p) for p in date.strip().split("-"))
        from datetime import date as d
        d(year, month, day)
    except ValueError:
        return False
    return True
assert valid_date("03-11-2000") and valid_date("02-29-2024") and not valid_date("02-30-2024")
assert not valid_date("15-01-2012") and not valid_date("04-0-2040") and not valid_date("06/04/2020")
""",
    "bank": """
from dataclasses import dataclass, field
from decimal import Decimal
@dataclass
class Account:
    owner: str
    balance: Decimal = Decimal(0)
    log: list = field(default_factory=list)
    def move(self, amount: Decimal) -> None:
        if self.balance + amount < 0:
            raise ValueError(f"{self.owner}: not enough")
        self.balance += amount
        self.log.append(amount)
a = Account("ann")
a.move(Decimal("10.10"))
try:
    a.move(Decimal("-20"))
    assert False
except ValueError as e:
    assert str(e) == "ann: not enough"
assert a.balance == Decimal("10.10") and a.log == [Decimal("10.10")]
""",
    "shortest path": """
import heapq
def path(graph, a, b):
    seen, queue = {}, [(0, a, [a])]
    while queue:
        cost, node, way = heapq.heappop(queue)
        if node == b:
            return cost, way
        if node in seen:
            continue
        seen[node] = cost
        for other, w in graph.get(node, {}).items():
            heapq.heappush(queue, (cost + w, other, way + [other]))
g = {"a": {"b": 1, "c": 5}, "b": {"c": 1, "d": 9}, "c": {"d": 1}}
assert path(g, "a", "d") == (3, ["a", "b", "c", "d"]) and path(g, "d", "a") is None
""",
    "memo": """
from functools import lru_cache
@lru_cache(None)
def ways(n, coins=(1, 2, 5, 10, 20, 50, 100, 200)):
    if n == 0: return 1
    if n < 0 or not coins: return 0
    return ways(n - coins[-1], coins) + ways(n, coins[:-1])
assert ways(200) == 73682
""",
    "generators": """
def primes():
    sieve, n = {}, 2
    while True:
        if n not in sieve:
            yield n
            sieve[n * n] = [n]
        else:
            for p in sieve.pop(n):
                sieve.setdefault(p + n, []).append(p)
        n += 1
from itertools import islice, takewhile
assert list(islice(primes(), 10)) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
assert sum(takewhile(lambda p: p < 2000, primes())) == 277050
""",
}

# Each of these must fail, and as what it is: the checks above are no formality.
WRONG = {
    "a wrong answer": ("def f(): return 1\nassert f() == 2, 'f'", "AssertionError"),
    "eval": ("assert eval('1 + 1') == 2", "NameError"),
    "exec": ("exec('x = 1')", "NameError"),
    "a file": ("open('x', 'w').write('y')", "NameError"),
    "a question": ("name = input('? ')", "NameError"),
    "the system": ("import os\nos.system('true')", "ImportError"),
}


@pytest.fixture(scope="module")
def many(cordon, tmp_path_factory):
    return Many(cordon, tmp_path_factory.mktemp("many"))


def test_programs_of_that_kind_pass_their_own_checks(many):
    done = "\nresult['done'] = True\n"
    envelopes = many([code + done for code in PROGRAMS.values()], drop="none")
    for name, envelope in zip(PROGRAMS, envelopes):
        assert envelope["status"] == "ok", (name, envelope)
        assert envelope["result"] == {"done": True} and envelope["stdout"] == "", name


def test_programs_that_must_fail_do(many):
    envelopes = many([code for code, _ in WRONG.values()])
    for (name, (_, kind)), envelope in zip(WRONG.items(), envelopes):
        assert envelope["status"] == "error", (name, envelope)
        assert envelope["error"]["type"] == kind, (name, envelope["error"])


@pytest.mark.skipif(not HUMANEVAL.exists(), reason="shared/programs/humaneval.jsonl is not beside the checkout")
def test_humaneval(many):
    tasks = [json.loads(line) for line in HUMANEVAL.read_text().splitlines()]
    assert len(tasks) == 164
    codes = [
        f"{t['prompt']}{t['canonical_solution']}\n{t['test']}\ncheck({t['entry_point']})\nresult['done'] = True\n"
        for t in tasks
    ]
    envelopes = many(codes, timeout_ms=30000, drop="none")
    bad = {t["task_id"]: e for t, e in zip(tasks, envelopes) if e["status"] != "ok"}
    assert list(bad) == ["HumanEval/160"], bad
    assert "eval" in json.dumps([bad["HumanEval/160"]["error"], bad["HumanEval/160"]["warnings"]])
    assert all(e["result"] == {"done": True} for e in envelopes if e["status"] == "ok")
