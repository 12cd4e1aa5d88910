"""Signing and verifying an evidence pack: SHA-256 of its files, an Ed25519 signature over the list, the signer's key.

A second machine needs nothing but the folder; `sha256sum -c manifest.sha256` and openssl check the same. A signature
proves that the files are as they were when the holder of this key signed them. It does not say who that is: the key
lies in the folder, so whoever changes a file can sign again with a key of their own. The fingerprint tells the two
apart, where it came on another way than the folder.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.machine import storage
from biasprint.core.tables.rows import visible
from biasprint.core.text import sha256_file

MANIFEST, SIGNATURE, SIGNER = "manifest.sha256", "manifest.sig", "signer.pem"
OWN = (MANIFEST, SIGNATURE, SIGNER)
KEY = "signing-key.pem"  # in the data folder, readable by its owner alone
LARGEST_MANIFEST = 64_000_000  # bytes: of half a million files
LARGEST_KEY = 10_000
SHOWN_DIGITS = 32  # of the key's SHA-256: 128 bits
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[^\r\n]+)")
FRESH = "Ask the person who sent it for a fresh copy."


@dataclass(frozen=True)
class SignedPack:
    """A folder whose files are as they were signed. `files`: how many; `fingerprint`: of the signer's key."""

    files: int
    fingerprint: str


# ---- Signing


def sign_pack(folder: Path) -> SignedPack:
    """Write manifest, signature and public key over all files of a folder, with this person's key; it is made when
    first needed.
    """
    digests = {name: sha256_of(folder / name) for name in sorted(_files(folder))}
    manifest = "".join(f"{digest}  {name}\n" for name, digest in digests.items()).encode("utf-8")
    key = _own_key()
    public = key.public_key()
    (folder / MANIFEST).write_bytes(manifest)
    (folder / SIGNATURE).write_bytes(key.sign(manifest))
    (folder / SIGNER).write_bytes(_pem(public))
    return SignedPack(len(digests), fingerprint_of(public))


def own_fingerprint() -> str:
    """Return the fingerprint of this person's key, which people compare with that of a pack."""
    return fingerprint_of(_own_key().public_key())


def fingerprint_of(key: Ed25519PublicKey) -> str:
    """Return the first 128 bits of SHA-256 over the raw key, in groups of four digits."""
    digits = hashlib.sha256(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:SHOWN_DIGITS]
    return " ".join(digits[at : at + 4] for at in range(0, SHOWN_DIGITS, 4))


def _pem(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _own_key() -> Ed25519PrivateKey:
    path = storage.home() / KEY
    with storage.locked(f"{KEY}.lock"):
        try:
            return _read_key(path)
        except FileNotFoundError:
            pass
        key = Ed25519PrivateKey.generate()
        content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        part = path.with_name(f".{KEY}.part")
        try:
            part.unlink(missing_ok=True)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                storage.put_on_disk(file.fileno())
            storage.put_in_place(part, path)
        except OSError as error:
            raise storage.not_writable(path.parent, error) from error
        return key


def _read_key(path: Path) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _no_key(path) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _no_key(path)
    return key


def _no_key(path: Path) -> AppError:
    return AppError(
        f"The key that packs are signed with, “{path}”, cannot be read.",
        kept="Nothing was written.",
        hint="Restore it from a backup, or move it away: then a new key is made, with another fingerprint.",
    )


# ---- Verifying: files are read and hashed, nothing in them is run, rendered or unpacked


def verify_pack(folder: Path, fingerprint: str = "") -> SignedPack:
    """Check a pack against its signed list. `fingerprint`: of the key that must have signed it, where it is known.

    Raises `AppError` that names the first file that was changed, added, removed or renamed, is a link or no file; for a
    list that was changed or signed by another key; and for a folder that is no pack.
    """
    if not folder.is_dir():
        raise AppError(f"There is no folder “{folder}”.", hint="Name the folder of an evidence pack.")
    found = _files(folder)
    if missing := [name for name in OWN if name not in found]:
        name = visible_name(folder.resolve().name)
        raise AppError(f"“{name}” is no evidence pack: {missing[0]} is missing.", hint=FRESH)
    key = _public_key(folder / SIGNER)
    manifest = _read(folder / MANIFEST, LARGEST_MANIFEST)
    try:
        key.verify(_read(folder / SIGNATURE, LARGEST_KEY), manifest)
    except InvalidSignature:
        raise AppError(
            f"The signature does not fit: {MANIFEST}, {SIGNATURE} or {SIGNER} was changed after signing.", hint=FRESH
        ) from None
    listed = _listed(manifest)
    _same_files(folder, listed, [name for name in found if name not in OWN])
    own = fingerprint_of(key)
    if fingerprint and _digits(fingerprint) != _digits(own):
        raise AppError(
            f"{SIGNER} is another key than the one that was expected: {own}.",
            hint="The files fit this key; somebody else may have signed them.",
        )
    return SignedPack(len(listed), own)


def _files(folder: Path) -> Sequence[str]:
    """Return the names of all files below a folder, with /. Raises `AppError` for what is no ordinary file."""
    names = []
    for path, below in _walk(folder, ""):
        try:
            ordinary_file(path)
        except AppError as error:
            raise AppError(f"In the pack, {error.message[0].lower()}{error.message[1:]}", hint=FRESH) from None
        names.append(below)
    return names


def _walk(folder: Path, before: str) -> Iterator[tuple[Path, str]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path), f"{before}{entry.name}/")
            else:
                yield Path(entry.path), f"{before}{entry.name}"
    except (OSError, RecursionError) as error:
        raise AppError(f"“{visible_name(before or folder.name)}” cannot be read.", details=str(error)) from error
    if not entries and before:
        raise AppError(f"In the pack, the folder “{visible_name(before)}” is empty and was added.", hint=FRESH)


def visible_name(name: str) -> str:
    """Return a stranger's file name as it can be shown in a sentence."""
    return visible(name, 120)


def _public_key(path: Path) -> Ed25519PublicKey:
    content = _read(path, LARGEST_KEY)
    try:
        key = load_pem_public_key(content)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    # The signature does not cover this file: a key in other letters is a changed file too.
    if not isinstance(key, Ed25519PublicKey) or content != _pem(key):
        raise AppError(f"{SIGNER} holds no Ed25519 key as it was written.", hint=FRESH)
    return key


def _read(path: Path, most: int) -> bytes:
    if path.lstat().st_size > most:
        raise AppError(f"{path.name} is too large to be a part of a pack's signature.", hint=FRESH)
    return _content(path)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AppError(f"“{visible_name(path.name)}” cannot be read.", details=str(error)) from error


def _listed(manifest: bytes) -> Mapping[str, str]:
    """Return file → SHA-256 as a signed list has them."""
    try:
        lines = manifest.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        lines = [""]
    matches = [_LINE.fullmatch(line) for line in lines]
    if not all(matches):
        raise AppError(f"{MANIFEST} is no list of files with their SHA-256.", hint=FRESH)
    return {match["name"]: match["digest"] for match in matches if match}


def _same_files(folder: Path, listed: Mapping[str, str], found: Sequence[str]) -> None:
    missing = [name for name in listed if name not in set(found)]
    for name in found:
        digest = sha256_of(folder / name)
        shown = visible_name(name)
        if name not in listed:
            before = next((gone for gone in missing if listed[gone] == digest), None)
            if before is not None:
                raise AppError(f"“{visible_name(before)}” was renamed to “{shown}” after signing.", hint=FRESH)
            raise AppError(
                f"“{shown}” was added after signing.", hint=f"Remove it if it is your own. Otherwise: {FRESH}"
            )
        if listed[name] != digest:
            raise AppError(f"“{shown}” was changed after signing.", hint=FRESH)
    if missing:
        raise AppError(f"“{visible_name(missing[0])}” is missing.", hint=FRESH)


def sha256_of(path: Path) -> str:
    try:
        return sha256_file(path)
    except OSError as error:
        raise AppError(f"“{visible_name(path.name)}” cannot be read.", details=str(error)) from error


def _digits(fingerprint: str) -> str:
    return re.sub(r"[\s:]+", "", fingerprint).casefold()
