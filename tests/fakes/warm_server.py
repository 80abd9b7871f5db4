"""A process that has imported the frameworks, and forks itself for each program it is asked to run.

python warm_server.py SOCKET    ends when its standard input does, with its parent that is

A client, warm_client.py, sends its open files and `{arguments, folder, environment, numbers}`, marshalled; it gets four
bytes, the number of the process, and four more when that has ended, its exit status. A client that goes away takes its
program with it. Nothing is imported before the first client comes.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import importlib
import marshal
import os
import random
import runpy
import selectors
import shutil
import signal
import socket
import sys
import threading
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

FRAMEWORKS = """
asyncio encodings.cp437 httpx nltk numpy.random openai.resources.chat openai.resources.embeddings regex sqlite3
langchain_classic.retrievers langchain_classic.storage langchain_core.indexing.base
langchain_core.language_models.fake_chat_models langchain_core.output_parsers langchain_core.prompts
langchain_core.runnables langchain_core.tracers.langchain langchain_core.tracers.stdout
langchain_core.vectorstores.in_memory langchain_openai.chat_models.base langchain_openai.embeddings.base
langchain_text_splitters llama_index.core.embeddings.loading llama_index.core.ingestion llama_index.llms.openai_like
chromadb.api.rust langchain_chroma llama_index.vector_stores.chroma pyarrow.parquet tiktoken_ext.openai_public
matplotlib.backends.backend_agg matplotlib.backends.backend_svg matplotlib.figure
rich.console rich.progress rich.table typer.rich_utils multiprocessing.spawn multiprocessing.pool
"""


def prepare() -> None:
    """Imports what is installed of `FRAMEWORKS`, and loads `cl100k_base` from where llama-index-core has it."""
    for name in FRAMEWORKS.split():
        with contextlib.suppress(ImportError):  # this session has no need of it
            importlib.import_module(name)
    if "llama_index.core" in sys.modules and "tiktoken" in sys.modules:
        folder = Path(str(sys.modules["llama_index.core"].__file__)).parent
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder / "_static" / "tiktoken_cache")
        sys.modules["tiktoken"].get_encoding("cl100k_base")
    gc.collect()
    gc.freeze()


class Server:
    """Clients in, processes out."""

    def __init__(self, path: str) -> None:
        self.folder = Path(path).parent
        self.running: dict[int, socket.socket] = {}
        self.waking, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(path)
        self.listening.listen(64)
        self.selector = selectors.DefaultSelector()
        for each in (sys.stdin.fileno(), self.waking, self.listening):
            self.selector.register(each, selectors.EVENT_READ)
        self.own = (self.waking, woken, self.listening.fileno(), self.selector.fileno())

    def serve(self) -> dict[str, Any] | None:
        """Answers until the standard input ends; in a child returns what is to run there."""
        prepared = False
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.listening:
                    if not prepared:
                        prepare()
                        prepared = True
                    if request := self.fork():
                        return request
                elif key.fileobj == self.waking:
                    self.reap()
                elif key.data in self.running:  # its client is gone
                    self.selector.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)
                elif key.data is None:
                    for child in self.running:
                        os.kill(child, signal.SIGKILL)
                    shutil.rmtree(self.folder)
                    return None

    def fork(self) -> dict[str, Any] | None:
        client, _ = self.listening.accept()
        head, files, *_ = socket.recv_fds(client, 4, 250)
        length, data = int.from_bytes(head, "big"), b""
        while len(data) < length:
            data += client.recv(length - len(data))
        with warnings.catch_warnings():  # those of BLAS are threads too, and survive it
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            request: dict[str, Any] = marshal.loads(data)
            self.take(files, request.pop("numbers"), client)
            return request
        for file in files:
            os.close(file)
        self.running[child] = client
        self.selector.register(client, selectors.EVENT_READ, child)
        _answer(client, child)
        return None

    def take(self, files: list[int], numbers: list[int], client: socket.socket) -> None:
        """Makes the client's files the child's, by the numbers they had."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        high = [fcntl.fcntl(file, fcntl.F_DUPFD, 500) for file in files]
        for number in (*files, *self.own, *(each.detach() for each in (client, *self.running.values()))):
            os.close(number)
        self.listening.detach()
        for file, number in zip(high, numbers, strict=True):
            os.dup2(file, number)
            os.close(file)

    def reap(self) -> None:
        os.read(self.waking, 4096)
        while self.running:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                break
            client = self.running.pop(child)
            with contextlib.suppress(KeyError):  # it may be gone
                self.selector.unregister(client)
            _answer(client, os.waitstatus_to_exitcode(status))
            client.close()


def _answer(client: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # it is gone
        client.sendall(number.to_bytes(4, "big", signed=True))


def become(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Runs what `python ARGUMENTS` would, in this process."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    random.seed()
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    while arguments[0] not in ("-m", "-c") and arguments[0].startswith("-"):
        del arguments[: 2 if arguments[0] == "-X" else 1]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, folder)
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    if arguments[0] == "-c":
        source, name = arguments[1].encode(), "<string>"
        sys.argv = ["-c", *arguments[2:]]
        sys.path.insert(0, "")
    else:
        name = main.__file__ = arguments[0]
        source = Path(name).read_bytes()
        sys.argv = arguments
        sys.path.insert(0, str(Path(name).resolve().parent))
    exec(compile(source, name, "exec", dont_inherit=True), main.__dict__)


def end(code: object) -> None:
    """As an interpreter ends, but that what was imported is not taken apart, which takes longer than most programs."""
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError as error:
        print("Exception ignored in: <stdout>", error, file=sys.stderr)
        code = 120
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    del sys.path[0]
    server = Server(sys.argv[1])
    os.write(1, b"ready\n")
    if request := server.serve():
        try:
            become(**request)
        except KeyboardInterrupt:
            raise  # so that it ends by the signal
        except SystemExit as ending:
            end(ending.code)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            end(1)
        end(0)
