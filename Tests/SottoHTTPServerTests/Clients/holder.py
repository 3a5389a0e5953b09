"""Listens on a free port, prints it, and stays until its input ends."""
import socket
import sys

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
