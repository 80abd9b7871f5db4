"""A process that has imported the frameworks, and forks itself for each program it is asked to run.

python warm_server.py SOCKET    ends when its standard input does, with its parent that is

A client sends the three standard streams and `{arguments, folder, environment}`, marshalled; it gets four bytes, the
number of the process, and four more when that has ended, its exit status.
A client that goes away takes its program with it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import marshal
import os
import random
import runpy
import selectors
import signal
import socket
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

FRAMEWORKS = """
asyncio encodings.cp437 httpx nltk numpy.random openai.resources.chat openai.resources.embeddings regex sqlite3
tiktoken_ext.openai_public langchain_classic.retrievers langchain_classic.storage langchain_core.indexing.base
langchain_core.language_models.fake_chat_models
langchain_core.output_parsers langchain_core.prompts langchain_core.runnables langchain_core.tracers.langchain
langchain_core.tracers.stdout langchain_core.vectorstores.in_memory langchain_openai.chat_models.base
langchain_openai.embeddings.base langchain_text_splitters
llama_index.core.embeddings.loading llama_index.core.ingestion llama_index.llms.openai_like
chromadb.api.rust langchain_chroma llama_index.vector_stores.chroma
matplotlib.backends.backend_agg matplotlib.backends.backend_svg matplotlib.figure
rich.console rich.progress rich.table typer.rich_utils
"""


def serve(path: str) -> dict[str, Any] | None:
    """Answers until the standard input ends; in a child returns what is to run there."""
    waking, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(64)
    os.write(1, b"ready\n")
    running: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as selector:
        for each in (sys.stdin.fileno(), waking, listening):
            selector.register(each, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is listening:
                    client, _ = listening.accept()
                    request, streams = _received(client)
                    if (child := os.fork()) == 0:
                        signal.set_wakeup_fd(-1)
                        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                        for target, stream in enumerate(streams):
                            os.dup2(stream, target)
                        for each in (*streams, waking, woken):
                            os.close(each)
                        for each in (listening, client, *running.values()):
                            each.close()
                        return request
                    for stream in streams:
                        os.close(stream)
                    running[child] = client
                    selector.register(client, selectors.EVENT_READ, child)
                    _answer(client, child)
                elif key.fileobj == waking:
                    os.read(waking, 4096)
                    while running:
                        child, status = os.waitpid(-1, os.WNOHANG)
                        if not child:
                            break
                        client = running.pop(child)
                        with contextlib.suppress(KeyError):  # it may be gone
                            selector.unregister(client)
                        _answer(client, os.waitstatus_to_exitcode(status))
                        client.close()
                elif key.data in running:  # the client is gone
                    selector.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)
                elif key.data is None:
                    for child in running:
                        os.kill(child, signal.SIGKILL)
                    return None


def _received(client: socket.socket) -> tuple[dict[str, Any], list[int]]:
    data, streams, *_ = socket.recv_fds(client, 4, 3)
    length = int.from_bytes(data, "big")
    data = b""
    while len(data) < length:
        data += client.recv(length - len(data))
    return marshal.loads(data), streams


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
    while arguments[0] == "-X":
        del arguments[:2]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, folder)
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__builtins__ = __builtins__
    if arguments[0] == "-c":
        source, name = arguments[1], "<string>"
        sys.argv = ["-c", *arguments[2:]]
        sys.path.insert(0, "")
    else:
        name = main.__file__ = arguments[0]
        source = Path(name).read_bytes()
        sys.argv = arguments
        sys.path.insert(0, str(Path(name).resolve().parent))
    exec(compile(source, name, "exec", dont_inherit=True), main.__dict__)


def load_vocabulary() -> None:
    """OpenAI's `cl100k_base`, from where llama-index-core has it."""
    import llama_index.core
    import tiktoken

    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache")
    tiktoken.get_encoding("cl100k_base")


if __name__ == "__main__":
    del sys.path[0]
    for name in FRAMEWORKS.split():
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # this session has no need of it
    with contextlib.suppress(ImportError):
        load_vocabulary()
    gc.collect()
    gc.freeze()
    asked = serve(sys.argv[1])
    if asked is not None:
        code = 0
        try:
            become(**asked)
        except SystemExit as ending:
            code = ending.code
            if not isinstance(code, int | None):
                print(code, file=sys.stderr)
                code = 1
        except KeyboardInterrupt:
            raise
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        threading._shutdown()
        atexit._run_exitfuncs()
        try:
            sys.stdout.flush()
        except OSError as error:
            print("Exception ignored in: <stdout>", error, file=sys.stderr)
            code = 120
        sys.stderr.flush()
        os._exit(code or 0)
