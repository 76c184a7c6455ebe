# The front door: thin over the CMake presets and tools/. `make help` lists the targets.
.DEFAULT_GOAL := build
.NOTPARALLEL:
.SUFFIXES:

JOBS ?= $(shell nproc)
export LANYARD_JOBS := $(JOBS)
# Seconds that each fuzz target runs.
export FUZZ_SECONDS ?= 60

cmake_build = cmake --build --preset $(1) -j $(JOBS)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# A preset is configured once; after that the build itself re-runs CMake when it has to.
build/%/build.ninja: CMakePresets.json
	cmake --preset $*
	@touch $@

bootstrap-%:
	@tools/bootstrap build $*

.PHONY: build
build: bootstrap-build build/release/build.ninja ## build the release binaries into build/release/bin
	@$(call cmake_build,release) --target lanyard conformance-server conformance-client

.PHONY: run
run: build ## a tour: the demonstration server over HTTP, and a client that calls it
	@tools/tour build/release/bin/lanyard

.PHONY: test
test: bootstrap-test ## everything CI runs: tests, checks, package consumers, coverage gate
	@tools/test

.PHONY: test-asan
test-asan: bootstrap-clang build/asan/build.ninja ## the tests under AddressSanitizer and UBSan
	$(call cmake_build,asan)
	ctest --preset asan -j $(JOBS)

.PHONY: test-tsan
test-tsan: bootstrap-clang build/tsan/build.ninja ## the tests under ThreadSanitizer
	$(call cmake_build,tsan)
	ctest --preset tsan -j $(JOBS)

.PHONY: test-clang
test-clang: bootstrap-clang build/clang/build.ninja ## the tests, built with clang 19
	$(call cmake_build,clang)
	ctest --preset clang -j $(JOBS)

.PHONY: test-long
test-long: bootstrap-test build/long/build.ninja ## floods, kills, properties and seeds in their long form, then the fuzzers
	$(call cmake_build,long)
	LANYARD_TEST_LONG=1 ctest --preset long -j $(JOBS)
	$(MAKE) fuzz

.PHONY: coverage
coverage: bootstrap-coverage build/coverage/build.ninja ## coverage of L0-L2 by branches and of src by lines, with the gates
	$(call cmake_build,coverage)
	tools/coverage --html

.PHONY: cost
cost: bootstrap-cost build/release/build.ninja ## instructions and mallocs of a call, against their bars
	$(call cmake_build,release) --target cost_probe
	tools/cost

.PHONY: cost-accept
cost-accept: bootstrap-cost build/release/build.ninja ## move the bars that do not hold (CONTRIBUTING.md)
	$(call cmake_build,release) --target cost_probe
	tools/cost --accept

.PHONY: bench
bench: bootstrap-cost build/release/build.ninja ## what everything costs, beside floors and targets
	$(call cmake_build,release)
	tools/bench

.PHONY: bench-peers
bench-peers: bootstrap-build build/release/build.ninja ## Lanyard and the SDKs of other languages, side by side
	$(call cmake_build,release) --target bench-server bench-load
	tools/bench_peers

.PHONY: interop
interop: bootstrap-interop build ## clients, servers and proxies of other authors; PEERS="go java" runs some, SKIP="java" leaves some out
	@tools/interop build/release/bin/lanyard --peers "$(PEERS)" --skip "$(SKIP)"

.PHONY: fuzz
fuzz: bootstrap-clang build/fuzz/build.ninja ## run each fuzz target for FUZZ_SECONDS (60)
	$(call cmake_build,fuzz)
	tools/fuzz

.PHONY: docs
docs: bootstrap-docs ## the API reference, into build/docs/html
	tools/docs

.PHONY: format
format: bootstrap-format ## format the C++ sources in place
	tools/check_format --fix

.PHONY: lint
lint: bootstrap-lint build/release/build.ninja ## clang-tidy, and the checks of the tree
	tools/lint

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build
