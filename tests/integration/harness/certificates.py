"""Certificates of a test's own: a CA, good ones of it, and some that nobody should trust."""

import datetime
import ipaddress
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """A CA. Its certificates are files in PEM: NAME.crt, NAME.key, and NAME.pem with both."""

    def __init__(self, directory, name='ca'):
        self.directory, self.name = pathlib.Path(directory), name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = self._sign(name, self._key.public_key(), x509.BasicConstraints(ca=True, path_length=0), [])
        self.file = self.directory / f'{name}.crt'
        self.file.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def _sign(self, name, key, constraints, names, until=DAY):
        now = datetime.datetime.utcnow()
        builder = x509.CertificateBuilder().subject_name(_name(name)).issuer_name(_name(self.name)).public_key(key)
        builder = builder.serial_number(x509.random_serial_number()).add_extension(constraints, critical=True)
        builder = builder.not_valid_before(now - 10 * DAY).not_valid_after(now + until)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256())

    def issue(self, name, *hosts, until=DAY):
        """Writes the files; returns the path without its suffix."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.IPAddress(ipaddress.ip_address(host)) if host[0].isdigit() else x509.DNSName(host) for host in hosts]
        certificate = self._sign(name, key.public_key(), x509.BasicConstraints(ca=False, path_length=None), names, until)
        texts = (certificate.public_bytes(serialization.Encoding.PEM),
                 key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                   serialization.NoEncryption()))
        base = self.directory / name
        for suffix, content in (('.crt', texts[0]), ('.key', texts[1]), ('.pem', texts[1] + texts[0])):
            base.with_suffix(suffix).write_bytes(content)
        return base


class Certificates:
    """A good one for this machine, and one for each way in which it could be bad."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.authority = Authority(directory)
        self.stranger = Authority(directory, 'stranger')
        self.good = self.authority.issue('good', 'localhost', '127.0.0.1')
        self.bad = {
            'not from a CA that is trusted': self.stranger.issue('unknown', 'localhost', '127.0.0.1'),
            'another name': self.authority.issue('elsewhere', 'elsewhere.example'),
            'expired': self.authority.issue('expired', 'localhost', '127.0.0.1', until=-DAY),
        }
