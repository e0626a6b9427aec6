"""The only room with powers: files, paths, programs, git, sockets and streams, and the problems that all rooms report."""
