# Front door. Every target sets up .venv on first use; nothing is installed twice.
# make PYTHON=python3.12 chooses the interpreter; remove .venv to change it later.
PYTHON ?= python3
INSTALLED := .venv/.installed
say := >&2 printf 'error: %s\n'
# By environment, because only so do the pins reach the build backend's own environment too.
pins := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1

.PHONY: fuzz test lint types prove explore

fuzz: $(INSTALLED)
	.venv/bin/pagefuzz run --seconds 30

test: $(INSTALLED)
	.venv/bin/python -m pytest -n auto

lint: $(INSTALLED)
	.venv/bin/ruff check && .venv/bin/lint-imports --no-logo

types: $(INSTALLED)
	.venv/bin/mypy

prove: $(INSTALLED)
	.venv/bin/pagefuzz prove

explore: $(INSTALLED)
	.venv/bin/pagefuzz explore
	.venv/bin/pagefuzz explore --experiments

# The stamp is removed first and written last: after an interrupted installation it is missing, and
# the next run starts from an empty .venv, because pip cannot repair a half-unpacked package.
# Two makes at once take turns on a lock (without flock they do not), and the second finds it done.
# Not compiling is quicker: most of what numba, z3 and mypy bring is never imported.
$(INSTALLED): pyproject.toml constraints.txt
	@command -v "$(PYTHON)" >/dev/null || { $(say) "$(PYTHON) was not found: install Python 3.11 or newer, or name one with make PYTHON=/path/to/python3."; exit 2; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { $(say) "$(PYTHON) is older than Python 3.11 or does not start: install a newer one, or name one with make PYTHON=/path/to/python3."; exit 2; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { $(say) "$(PYTHON) has no venv or no pip to put into it (ensurepip): install them, on Debian and Ubuntu with apt-get install python3-venv."; exit 2; }
	@exec 9<Makefile; flock 9 2>/dev/null; \
	test $@ -nt pyproject.toml && test $@ -nt constraints.txt && exit 0; \
	test -f $@ || "$(PYTHON)" -m venv --clear .venv || { $(say) "the virtual environment .venv could not be created: see the lines above."; exit 2; }; \
	rm -f $@; \
	echo "installing into .venv (once; about 20 s and 560 MB)" >&2; \
	$(pins) .venv/bin/python -m pip install -qq --no-compile --editable '.[dev]' || { $(say) "the installation failed: see the lines above, check the network, and repeat the same command."; exit 2; }; \
	touch $@
