"""The formatter ignores line ends, which git controls."""

from tokensync.commands.format import format_files
from tokensync.dtcg import format_bytes


def test_a_file_with_crlf_counts_as_formatted(tmp_path):
    path = tmp_path / "mode.tokens.json"
    content = format_bytes(b'{"color": {"a": {"$type": "number", "$value": 1}}}').replace(b"\n", b"\r\n")
    path.write_bytes(content)
    assert format_files([str(tmp_path)], check=True).changed == ()
    assert format_files([str(tmp_path)]).changed == ()
    assert path.read_bytes() == content
    path.write_bytes(content.replace(b"  ", b"\t"))
    assert format_files([str(tmp_path)], check=True).changed == (str(path),)
