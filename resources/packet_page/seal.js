"use strict";
/* The hashes of a packet, as core/project/stores/chain.py and packets.py compute them. Only ASCII is ever hashed: the
   canonical JSON escapes every other character. WebCrypto is absent where a page is no secure context, and it cannot
   answer at once, so SHA-256 (FIPS 180-4) and HMAC (RFC 2104) are here. */

const Seal = (() => {
  const BLOCK = 64;
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
  const ROUND = primes.map((prime) => fraction(Math.cbrt(prime)));
  const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  const turned = (word, by) => (word >>> by) | (word << (32 - by));

  function sha256(bytes) {
    const padded = new Uint8Array((Math.floor((bytes.length + 8) / BLOCK) + 1) * BLOCK);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
    const state = START.slice();
    const words = new Int32Array(BLOCK);
    for (let at = 0; at < padded.length; at += BLOCK) {
      for (let n = 0; n < BLOCK; n++) {
        if (n < 16) {
          words[n] = view.getInt32(at + 4 * n);
          continue;
        }
        const near = words[n - 2], far = words[n - 15];
        const low = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
        const high = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
        words[n] = words[n - 16] + low + words[n - 7] + high;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let n = 0; n < BLOCK; n++) {
        const up = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
        const first = (h + up + ((e & f) ^ (~e & g)) + ROUND[n] + words[n]) | 0;
        const down = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
        const second = (down + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((word, n) => { state[n] = (state[n] + word) | 0; });
    }
    const digest = new DataView(new ArrayBuffer(32));
    state.forEach((word, n) => digest.setInt32(4 * n, word));
    return new Uint8Array(digest.buffer);
  }

  function hmac(key, message) {
    const block = new Uint8Array(BLOCK);
    block.set(key.length > BLOCK ? sha256(key) : key);
    return sha256(joined(block.map((byte) => byte ^ 0x5c), sha256(joined(block.map((byte) => byte ^ 0x36), message))));
  }

  function joined(first, second) {
    const both = new Uint8Array(first.length + second.length);
    both.set(first);
    both.set(second, first.length);
    return both;
  }

  const bytes = (ascii) => Uint8Array.from(ascii, (letter) => letter.charCodeAt(0));
  const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const unhex = (text) => Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
  const escaped = (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0");

  /** Return one text for one value, as Python's canonical_json: sorted keys, no blanks, only ASCII. */
  function canonical(value) {
    if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
    if (value === null || typeof value !== "object") return JSON.stringify(value).replace(/[^ -~]/g, escaped);
    const pairs = Object.keys(value).sort().map((name) => canonical(name) + ":" + canonical(value[name]));
    return "{" + pairs.join(",") + "}";
  }

  const digest = (ascii) => hex(sha256(bytes(ascii)));

  /** Return the hash of a judgment. Python writes a whole number of seconds as 12.0. */
  function rowHash(row) {
    const seconds = Number.isInteger(row.active_seconds) ? row.active_seconds + ".0" : String(row.active_seconds);
    const parts = [row.id, row.session_id, row.comparison_id, row.outcome, row.chosen, row.shown, row.texts_sha256,
      row.note].map(canonical);
    parts.push(seconds, canonical(row.supersedes), canonical(row.created_at));
    if (row.detail !== "{}") parts.push(canonical(row.detail));
    return digest("[" + parts.join(",") + "]");
  }

  /** Return the chain after one more text: the tag of all so far, and the next key in place of this one. */
  function next(chain, text) {
    const key = unhex(chain.key);
    return { key: hex(sha256(joined(bytes("next"), key))), tag: hex(hmac(key, bytes(chain.tag + text))) };
  }

  /** Return the end of a chain, which has no key any more. */
  const ended = (chain, seal) => ({ tag: next(chain, "seal" + seal).tag });

  /** Return the hash over a finished packet. */
  function sealOf(content, session, answers) {
    const names = ["id", "kind", "target", "rater_id", "value", "supersedes", "created_at"];
    const byId = (one, other) => (one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0);
    return digest(canonical([
      content,
      [session, answers.consent_text, answers.consent_at, answers.revealed_at, answers.background],
      answers.judgments.map((row) => [row.id, row.row_sha256]).sort(byId),
      answers.annotations.map((row) => names.map((name) => row[name] || "")).sort(byId),
    ]));
  }

  return { sha256, hmac, canonical, digest, rowHash, next, ended, sealOf, bytes, hex, unhex };
})();
