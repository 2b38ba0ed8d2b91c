"""`python -m samples.canned --port 8009`: run the canned provider until it is interrupted."""

import argparse
import sys
import threading

from samples.canned.provider import CannedProvider, served

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Run a model provider that answers by fixed rules.")
    parser.add_argument("--port", type=int, default=0, help="the port to listen on; 0 takes a free one")
    with served(CannedProvider(), parser.parse_args().port) as running:
        sys.stdout.write(f"{running.url}\n")
        sys.stdout.flush()
        threading.Event().wait()
