# SPDX-License-Identifier: Apache-2.0
"""
What is looked at again when the code makes a class, or the library makes an instance of one:
names and bases that come from text, and objects that `__new__` answers with. With the gate
down, as in test_seals.py.
"""

import pytest

from support import ok
from test_seals import PYTHONS, each, run  # noqa: F401 (a fixture)


MADE = {
    "type": "type('X', (), {name: 1})",
    "ABCMeta": "type(ABC)('X', (), {name: 1})",
    "an Enum without members": "Enum('X', {name: 1, 'A': 1})",
    "in a class statement": "class A:\n    x = type('X', (), {name: 1})",
    "by the library": "stack = ExitStack()\nstack.callback(type, 'X', (), {name: 1})\nstack.close()",
    "a metaclass": "type('X', (type,), {})",
    "another": "type(ABC)('X', (type(ABC),), {})",
    "by a statement's metaclass": "class B(metaclass=partial(set().union, map(type, ['X'], [()], [{name: 1}]))): pass",
    "a metaclass by one": "class B(metaclass=partial(set().union, map(type, ['X'], [(type,)], [{}]))): pass",
    "where a statement is": "class S:\n    __init_subclass__ = partial(type, 'X', (), {word: 1})\nclass B(S): pass",
    "a metaclass there": "class M:\n    __init_subclass__ = partial(type, 'X', (type,), {})\nclass B(M): pass",
    "beside a statement": "class Shown:\n    def __init_subclass__(cls): type('X', (), {word: 1})\nclass B(Shown): pass",
}


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_classes_made_from_text_have_the_names_of_class_statements(run, version):
    code = """
from abc import ABC
from contextlib import ExitStack
from enum import Enum
from functools import partial
name = word = "__reduce_" + "ex__"
""" + each(MADE, "Exception")
    envelope = run(code, None, "--python", PYTHONS[version])
    for way, why in ok(envelope).items():
        assert why and "the interpreter refuses 'type.__new__' (" in why, (way, why)
    assert [v["what"] for v in envelope["violations"]] == ["type.__new__"] * len(MADE)


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_other_classes_are_made_as_ever(run, version):
    code = """
import copy
from abc import ABC, ABCMeta, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field, replace
from enum import Enum, Flag
from typing import Generic, NamedTuple, Protocol, TypedDict, TypeVar
T = TypeVar("T")
class Meta(type):
    def __instancecheck__(cls, x): return True
class Abstract(ABCMeta):
    pass
class A(metaclass=Meta):
    def __getattribute__(self, name): return 5
class B(ABC, metaclass=Abstract):
    @abstractmethod
    def f(self): ...
    def __reduce__(self): return int, ()
class G(Generic[T]): pass
class P(Protocol):
    x: int
class D(TypedDict):
    x: int
@dataclass(slots=True, frozen=True, order=True)
class S(G[int]):
    x: int = 1
    y: list = field(default_factory=list, compare=False)
class N(NamedTuple):
    x: int
class Single:
    one = None
    def __new__(cls, *args):
        if cls.one is None:
            cls.one = super().__new__(cls)
        return cls.one
class Shape:
    def __new__(cls, corners=None):
        return super().__new__(Square) if corners == 4 else 3 if corners == 3 else super().__new__(cls)
class Square(Shape): pass
class Planet(Enum):
    def __new__(cls, mass):
        planet = object.__new__(cls)
        planet._value_ = mass * 2
        return planet
    EARTH = 3
@dataclass
class Dated:
    x: int
    def __new__(cls, x): return object.__new__(cls)
class Word(str):
    def __new__(cls, text): return str.__new__(cls, text.upper())
Made = type("Made", (Single,), {"__len__": lambda self: 4, "x": 1})
result["x"] = [isinstance(1, A), A().x, copy.copy(S(2)) == S(2), Dated(7).x, replace(S(2), x=3).x, N(1).x, namedtuple("R", "a b")(1, 2).b,
    Enum("E", "A B").B.value, Flag("F", {"A": 1}).A.value, len(Made()), Single() is Single() is copy.copy(Single()),
    type(Shape(4)).__name__, Shape(3), type(Shape()).__name__, Planet(6).name, copy.deepcopy(Word("a")), Word.__new__.__name__, G[int]().__class__.__name__]
"""
    envelope = run(code, None, "--python", PYTHONS[version])
    assert ok(envelope)["x"] == [True, 5, True, 7, 3, 1, 2, 2, 1, 4, True, "Square", 3, "Shape", "EARTH", "A", "__new__", "G"]
    assert envelope["violations"] == []


ELSEWHERE = {
    "copy": "copy.copy(X(1))",
    "deepcopy": "copy.deepcopy(X(1))",
    "a list": "L([1]).again()",
    "an Enum": "class E(Enum):\n    def __new__(cls, v): return re.I\n    A = 1",
    "a function in its place": "class E(Enum):\n    __new__ = lambda cls, v: re.I\n    A = 1",
    "a stack": "S(first=True).pop_all()",
    "a dict's method": "copy.copy(given)",
    "another": "copy.copy(popped)",
    "one of an object of the code's own": "copy.copy(called)",
    "a function of the library": "class E(Enum):\n    __new__ = typing.cast\n    A = re.I",
}


def test_the_library_writes_to_no_other_object_than_it_asked_for(run):
    code = """
import copy, re, typing
from collections import UserList
from contextlib import ExitStack
from enum import Enum
other = ExitStack()
def make(cls, first=False): return object.__new__(cls) if first else other
class X: __new__ = make
class L(UserList):
    __new__ = staticmethod(make)
    def again(self): return super().__copy__()
class S(ExitStack):
    __new__ = make
    def __init__(self, first=False): super().__init__()
table = {}
class Given: __new__ = table.get
given = object.__new__(Given)
table[Given] = re.I
class Call:
    def __call__(self, cls): return re.I
class Called: __new__ = Call()
class Popped: __new__ = table.setdefault
popped, called = object.__new__(Popped), object.__new__(Called)
table[Popped] = re.I
""" + each(ELSEWHERE, "TypeError")
    for way, why in ok(run(code)).items():
        assert why and "where the library asked for an instance" in why, (way, why)


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_what_new_may_be(run, version):  # noqa: F811
    code = """
class Method:
    @classmethod
    def __new__(cls, *args): return [cls.__name__, len(args)]
class Static:
    @staticmethod
    def __new__(cls, *args): return object.__new__(cls)
class Made:
    class Maker:
        def __call__(self, cls): return cls.__name__
    __new__ = Maker()
class Below(Method): pass
result["x"] = [Method(), Below(1), type(Static()).__name__, Made()]
"""
    assert ok(run(code, None, "--python", PYTHONS[version]))["x"] == [["Method", 1], ["Below", 2], "Static", "Made"]


@pytest.mark.parametrize("version", sorted(PYTHONS))
def test_properties_go_where_they_may(run, version):
    code = """
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Generic, NamedTuple, TypeVar
T = TypeVar("T")
class A:
    def __init__(self): self._v = 1
    @property
    def v(self): return self._v
    @v.setter
    def v(self, x): self._v = x
    colour = v
class B(A):
    @A.v.setter
    def v(self, x): self._v = 2 * x
class C(B): w = A.v
C.u = A.v
@dataclass(slots=True)
class D:
    x: int = 0
    @property
    def y(self): return self.x
    @y.setter
    def y(self, z): self.x = z
class N(NamedTuple):
    x: int
    @property
    def y(self): return self.x
class E(Enum):
    P = 1
    @property
    def y(self): return self.value
class G(ABC, Generic[T]):
    @property
    @abstractmethod
    def z(self): return 7
class H(G[int]):
    @property
    def z(self): return super().z
    @property
    def __p(self): return 8
    def p(self): return self.__p
shared = property(lambda self: 5)
class I:
    a = shared
    def _g(self): return 6
    g = property(_g)
class J: a, g = shared, property(I._g)
J.b = shared
class Meta(type):
    def __setattr__(cls, name, value): super().__setattr__(name, value)
    def __delattr__(cls, name): super().__delattr__(name)
class K(metaclass=Meta):
    @property
    def v(self): return 9
K.u, K.k = K.v, 1
del K.k
made = [type(x)().v for x in (A(), B(), C())]
a, d = C(), D()
a.v, d.y = 2, 3
result["x"] = [A().colour, a.w, a.u, d.y, N(4).y, E.P.y, H().z, H().p(), I().a, J().a, J().b, I().g, J().g, K().u,
               A.v.__get__(a), made]
"""
    envelope = run(code, None, "--python", PYTHONS[version])
    assert ok(envelope) == {"x": [1, 4, 4, 3, 4, 1, 7, 8, 5, 5, 5, 6, 6, 9, 4, [1, 1, 1]]}
