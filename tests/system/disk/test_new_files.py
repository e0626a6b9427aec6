"""Files that must be new, in folders that may be new, too."""

import os

import pytest

from tokensync.system.disk import Folders, create_file


@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize("is_new", [False, True])
def test_a_new_file_never_replaces_what_is_there(tmp_path, is_new, is_link):
    path = tmp_path.resolve() / "folder" / "file"
    if not is_new:
        path.parent.mkdir()
    with Folders() as folders:
        create_file(str(path.with_name("first")), b"first", folders, whole=True)
        if is_link:
            path.symlink_to("nowhere")
        else:
            create_file(str(path), b"second", folders, whole=True)
        with pytest.raises(FileExistsError) as raised:
            create_file(str(path), b"third", folders, whole=True)
    assert raised.value.filename == str(path)
    assert is_link or path.read_bytes() == b"second"
    assert set(os.listdir(path.parent)) == {"first", "file"}
