"""`python -m pagefuzz` is the console script `pagefuzz`."""

from pagefuzz.cli import main

if __name__ == "__main__":
    main()
