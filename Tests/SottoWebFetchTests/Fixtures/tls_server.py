"""A TLS server with the certificate beside it, which nobody vouches for. Prints its port; ends when standard input closes."""
import os, socket, ssl, sys, threading

here = os.path.dirname(os.path.abspath(__file__))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(here + "/site.test.pem", here + "/site.test.key")
listener = socket.create_server(("127.0.0.1", 0))


def serve():
    while True:
        connection, _ = listener.accept()
        try:
            with context.wrap_socket(connection, server_side=True) as secure:
                secure.recv(4096)
                secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret")
        except OSError:
            pass


threading.Thread(target=serve, daemon=True).start()
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
