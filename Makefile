# Thin targets over scripts/, CMake's workflow presets and cargo. `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help setup demo test docs bench clean

help: ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## bring what a build needs (Debian packages as root, oneDNN, a CUDA compiler, cffi, LibTorch); the other targets do it themselves
	@scripts/setup

demo: ## build, tune ResNet-50 on this CPU, write the report, show the warm start
	@scripts/demo

test: ## build and run the whole test suite
	@scripts/test

docs: ## the reference of the C ABI (Doxygen) and of the Rust crates (rustdoc), in build/docs
	@scripts/setup --quiet
	@scripts/docs

bench: ## measure what bench/RESULTS.md holds
	@scripts/setup --quiet
	cmake --preset release -DATC_BENCH=ON
	cmake --build --preset release
	bench/run build/release

clean: ## remove everything that was built (downloads stay in the user's cache)
	rm -rf build rust/target
