from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from cuedeck.code.git.watching import Watch


@pytest.mark.parametrize("inside", [True, False])
def test_rights_of_a_folder_that_change_may_have_changed_everything_in_it(
    tmp_path: Path, inside: bool
) -> None:
    (tmp_path / "shut").mkdir(0o500)
    with closing(Watch()) as watch:
        if watch.broken:
            pytest.skip("this system has no inotify")
        watch.add([str(tmp_path if inside else tmp_path / "shut")])
        assert watch.changed() == set()
        (tmp_path / "shut").chmod(0o700)
        assert watch.changed() is None
