"""The only room with powers: files, paths, programs, git, sockets and streams; and what all rooms report."""
