"""Serves one site on loopback: `python serve.py shop PORT`; ends when its input does, so with whoever started it.

Runs under the stand-ins' own interpreter and imports nothing of this project.
"""

import os
import sys
import threading

# A page's own requests run side by side; the agent's come one after another.
THREADS = 4


def main(site: str, port: int) -> int:
    """Serve until the input ends."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    os.environ["DJANGO_SETTINGS_MODULE"] = f"{site}_settings"
    import waitress
    from django.core.wsgi import get_wsgi_application

    waitress.serve(get_wsgi_application(), host="127.0.0.1", port=port, threads=THREADS, ident=None)
    return 0


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], int(sys.argv[2])))
