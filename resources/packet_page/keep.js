/* Keeps the answers in this browser, where it lets us. IndexedDB first: it is on the disk when it says so, while
   localStorage is written seconds later, and what was said in between is lost with a killed browser. */

class NewerElsewhere extends Error {}

class Keeper {
  constructor(packet) {
    this.key = "packet " + packet;
    this.revision = 0;
    this.queue = Promise.resolve();
  }

  /** Return what is kept of this packet, the newest of both places; null: nothing. */
  async read() {
    const places = [this.inDatabase, this.inStorage];
    const found = await Promise.all(places.map((place) => place.call(this, null).catch(() => null)));
    const newest = found.reduce((one, other) => (other && (!one || other.revision > one.revision) ? other : one), null);
    this.revision = newest ? newest.revision : 0;
    return newest && newest.answers;
  }

  /** Return whether these answers are kept now. Throws NewerElsewhere where another tab has kept newer ones. */
  write(answers) {
    const written = this.queue.then(() => this.put(answers, this.revision + 1));
    this.queue = written.catch(() => null);
    return written;
  }

  /** Return whether this browser keeps anything: these answers, which are not newer than those that it has. */
  probe(answers) {
    return this.put(answers, this.revision).catch(() => true);
  }

  async put(answers, revision) {
    for (const place of [this.inDatabase, this.inStorage]) {
      try {
        await place.call(this, { revision, answers });
        this.revision = revision;
        return true;
      } catch (error) {
        if (error instanceof NewerElsewhere) throw error;
      }
    }
    return false;
  }

  /** Return the record that is kept, and put another in its place. */
  async inDatabase(record) {
    const database = await this.opened();
    return new Promise((done, failed) => {
      let before = null, newer = false;
      const change = database.transaction("kept", record ? "readwrite" : "readonly", { durability: "strict" });
      const kept = change.objectStore("kept");
      change.oncomplete = () => done(before);
      change.onerror = change.onabort = () => failed(newer ? new NewerElsewhere() : change.error);
      kept.get(this.key).onsuccess = (event) => {
        before = event.target.result || null;
        if (!record) return;
        newer = Boolean(before) && before.revision > this.revision;
        if (newer) change.abort();
        else kept.put(record, this.key);
      };
    });
  }

  opened() {
    this.database ??= new Promise((done, failed) => {
      const opening = indexedDB.open("comparisons", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
      opening.onsuccess = () => done(opening.result);
      opening.onerror = opening.onblocked = () => failed(opening.error);
    });
    return this.database;
  }

  async inStorage(record) {
    const before = JSON.parse(localStorage.getItem(this.key));
    if (record && before && before.revision > this.revision) throw new NewerElsewhere();
    if (record) localStorage.setItem(this.key, JSON.stringify(record));
    return before;
  }
}
