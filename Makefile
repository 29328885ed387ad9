# SPDX-License-Identifier: Apache-2.0
#
# The way in; the build itself is meson's (meson.build).
#
#   make run      install what is missing, build, run examples/sales.py
#   make test     install what is missing, build (plain, with sanitizers), run every test
#   make tsan     build with ThreadSanitizer, run what calls from threads (not in `test`)
#   make build    build into build/, from where build/cordon runs; installs nothing
#   make install  DESTDIR and PREFIX (default /usr/local) are honoured
#   make escape   build, try every escape as root, print what holds it: family by wall
#   make bench    how long things take, beside plain python3
#   make format   clang-format over all C files
#   make tidy     clang-tidy over src/, after `make test` (slow, not part of it)
#   make clean    removes the build directories

PREFIX ?= /usr/local
DESTDIR ?=

MESON = meson
PYTHON ?= /usr/bin/python3

.PHONY: all build run test tsan install escape bench format tidy clean packages-run packages-test

all: build

build: build/build.ninja
	$(MESON) compile -C build

build/build.ninja:
	$(MESON) setup build --prefix=$(PREFIX) -Dtests=disabled -Dwerror=true

run: packages-run
	@$(MAKE) --no-print-directory build
	CORDON=build/cordon examples/sales.sh

packages-run packages-test: packages-%:
	@tools/install_packages.sh $*

test: packages-test
	@tools/run_tests.sh

tsan: packages-test
	@tools/run_tests.sh tsan

install: build/build.ninja
	$(MESON) configure build --prefix=$(PREFIX)
	$(MESON) compile -C build
	DESTDIR=$(DESTDIR) $(MESON) install -C build --no-rebuild
	@# The linker's cache: without it nobody finds a library in /usr/local/lib.
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || /sbin/ldconfig || true

escape: build
	@CORDON=build/cordon $(PYTHON) -B -m pytest -q -s -p no:cacheprovider tests/escape/test_attempts.py

bench: build
	@bench/run.sh

format:
	clang-format -i $$(tools/list_c.sh)

tidy:
	find src -name '*.c' | xargs -P$$(nproc) -n4 clang-tidy -p build-fuzz --quiet

clean:
	rm -rf build build-asan build-fuzz build-tsan
