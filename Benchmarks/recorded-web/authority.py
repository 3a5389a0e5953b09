"""An authority of this run alone, in whose name the recorded web speaks https: a program must be told of it, and nobody else believes it."""

import pathlib
import ssl
import subprocess

# Where libcurl on Debian looks for the authorities that it trusts.
TRUSTED = "/etc/ssl/certs/ca-certificates.crt"


class Authority:
    def __init__(self, folder, hosts):
        """Makes an authority and one certificate for all hosts, in `folder`."""
        folder = pathlib.Path(folder)
        self.file = folder / "authority.pem"
        hosts = sorted(hosts)
        config = folder / "openssl.cnf"
        config.write_text(
            "[req]\ndistinguished_name=dn\nprompt=no\n[dn]\nCN=Recorded web\n[ca]\nbasicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\n"
            "[host]\nbasicConstraints=CA:false\nsubjectAltName=" + ",".join(f"DNS:{host}" for host in hosts) + "\n")

        def openssl(*arguments):
            subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

        new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-config", config, "-days", "2")
        openssl("req", "-x509", *new, "-extensions", "ca", "-keyout", folder / "authority.key", "-out", self.file)
        openssl("req", *new[:5], "-config", config, "-keyout", folder / "host.key", "-out", folder / "host.csr")
        openssl("x509", "-req", "-in", folder / "host.csr", "-CA", self.file, "-CAkey", folder / "authority.key", "-CAcreateserial", "-days", "2",
                "-extfile", config, "-extensions", "host", "-out", folder / "host.pem")
        self.hosts = set(hosts)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "host.pem", folder / "host.key")

    def trusted_by(self, command):
        """`command`, started so that it alone trusts this authority, and only this one: its file is laid over the machine's in a mount
        namespace of its own. Needs root."""
        script = f"mount --bind \"$0\" {TRUSTED} && exec \"$@\""
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, str(self.file), *map(str, command)]


def can_be_trusted():
    """Whether this user may make mount namespaces, and openssl is there."""
    try:
        return all(subprocess.run(c, capture_output=True).returncode == 0 for c in (["unshare", "--mount", "true"], ["openssl", "version"]))
    except OSError:
        return False
