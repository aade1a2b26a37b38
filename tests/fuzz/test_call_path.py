"""One request for a frame is followed through few files of the spec."""

import pytest

from pagefuzz.report.callpath import call_path, files_of
from pagespec.era import ERAS, Era

MOST_FILES = 5


@pytest.mark.parametrize("era", ERAS.values(), ids=lambda era: era.name)
def test_a_reader_needs_few_files_from_request_to_frame(era: Era) -> None:
    """The path begins with the request, leads through the CPU's list, and ends in the buddy."""
    path = call_path(era)

    assert path[0].name == "alloc_pages"
    assert "alloc_from_list" in {called.name for called in path}
    assert path[-1].file == ("bitmap.py" if era.design == "bitmap" else "buddy.py")
    assert len(files_of(path)) <= MOST_FILES
    assert all(called.does for called in path)
