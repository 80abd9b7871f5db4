"""The program that stands for `python`: it has a program run by warm_server.py, and ends as that ends.

Its first line, and the server's socket, are written by warm_python.py. Nothing slow is imported.
"""

import _socket
import marshal
import os
import signal
import sys


def main() -> None:
    server = _socket.socket(_socket.AF_UNIX)
    server.connect(os.path.join(os.path.dirname(__file__), "socket"))
    numbers = [number for number in map(int, os.listdir("/proc/self/fd")) if number != server.fileno()]
    for number in numbers[:]:
        try:
            os.fstat(number)
        except OSError:  # the folder that was listed
            numbers.remove(number)
    asked = marshal.dumps(
        {"arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ), "numbers": numbers}
    )
    files = b"".join(number.to_bytes(4, sys.byteorder) for number in numbers)
    server.sendmsg([len(asked).to_bytes(4, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
    server.sendall(asked)
    for number in numbers:
        os.close(number)  # so that a reader knows when the program has ended
    child = int.from_bytes(server.recv(4), "big")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(child, number))
    status = int.from_bytes(server.recv(4), "big", signed=True)
    if status < 0:
        if status != -signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
