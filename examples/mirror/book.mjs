/**
 * The copy of all balances, in a file. Each line of the file is one change. What was added is on the disk before it counts as done,
 * so a webhook may get a response then. A line that a crash cut off got no response, so it is ignored.
 */
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** @typedef {{ contact_id: number, event_type: string, entry_no: number, balance_after: number }} Entry */
/** @typedef {{ data: { sequence: number, entries: readonly Entry[] } }} Event */
/** @typedef {[contactId: number, account: string, entryNo: number, balance: number]} Row */
/** @typedef {{ rows?: Row[], sequence?: number, next?: number, from?: "lists" }} Line */

/** @type {Record<string, string>} */
const accounts = { wallet: "wallet", reward: "points", voucher: "vouchers", sale: "sales" };
const linesBeforeCompaction = 20_000;

/** @param {Entry} entry @returns {Row} */
function rowOf({ contact_id, event_type, entry_no, balance_after }) {
  return [
    contact_id,
    /** @type {string} */ (accounts[event_type.split("_")[0] ?? ""]),
    entry_no,
    balance_after,
  ];
}

export class Book {
  /** All events up to this number are in the copy; undefined before it was begun. @type {number | undefined} */
  next;
  /** @type {Map<string, Row>} */
  #rows = new Map();
  /** The numbers of events in the copy after a gap. @type {Set<number>} */
  #ahead = new Set();
  /** @type {import("node:fs/promises").FileHandle} */
  #file;
  #path;
  #lines = 0;
  /** Lines that wait to be written, with those who wait for them. @type {{ text: string, done: () => void, failed: (error: unknown) => void }[]} */
  #waiting = [];
  #isWriting = false;

  /** @param {string} path @param {import("node:fs/promises").FileHandle} file */
  constructor(path, file) {
    this.#path = path;
    this.#file = file;
  }

  /** @param {string} path */
  static async open(path) {
    const text = await readFile(path, "utf8").catch((error) => {
      if (error.code !== "ENOENT") throw error;
      return "";
    });
    const book = new Book(path, await open(path, "a"));
    // The text after the last line feed is a line that was cut off.
    for (const line of text.split("\n").slice(0, -1)) book.#take(JSON.parse(line));
    await book.#compact();
    return book;
  }

  get hasGap() {
    return this.#ahead.size > 0;
  }

  /** Begins again. @param {number} next the last event before the balances were read @param {Row[]} rows */
  async begin(next, rows) {
    await this.#add({ from: "lists", next, rows });
  }

  /** Adds an event, unless it is in the copy. Resolves when it is on the disk. @param {Event} event @returns {Promise<boolean>} whether it was new */
  async add({ data: { sequence, entries } }) {
    if (sequence <= (this.next ?? 0) || this.#ahead.has(sequence)) {
      // The first delivery may still be on its way to the disk.
      await this.#add({});
      return false;
    }
    await this.#add({ sequence, rows: entries.map(rowOf) });
    return true;
  }

  /** Keeps that all events up to a number are in the copy. @param {number} next */
  async reach(next) {
    if (next > (this.next ?? 0)) await this.#add({ next });
  }

  /** The balances of members, by their contact_id. */
  members() {
    /** @type {Map<number, Record<string, number>>} */
    const members = new Map();
    for (const [contactId, account, , balance] of this.#rows.values()) {
      const member = members.get(contactId) ?? { wallet: 0, points: 0, vouchers: 0, sales: 0 };
      members.set(contactId, { ...member, [account]: balance });
    }
    return new Map([...members].sort(([one], [other]) => one - other));
  }

  async close() {
    await this.#add({});
    await this.#file.close();
  }

  /** Applies a line in memory. @param {Line} line */
  #take({ from, rows = [], sequence, next }) {
    if (from === "lists") {
      this.#rows.clear();
      this.#ahead.clear();
      this.next = next;
    }
    for (const row of rows) {
      const name = `${row[0]} ${row[1]}`;
      // Events can arrive in another order, so the entry with the highest number counts.
      if (row[2] >= (this.#rows.get(name)?.[2] ?? 0)) this.#rows.set(name, row);
    }
    if (sequence !== undefined) this.#ahead.add(sequence);
    this.next = Math.max(this.next ?? 0, next ?? 0);
    for (const number of this.#ahead) if (number <= this.next) this.#ahead.delete(number);
    while (this.#ahead.delete(this.next + 1)) this.next += 1;
  }

  /** Applies a line, and resolves when it is on the disk. @param {Line} line @returns {Promise<void>} */
  #add(line) {
    this.#take(line);
    const isEmpty = Object.keys(line).length === 0;
    return new Promise((resolve, reject) => {
      const text = isEmpty ? "" : `${JSON.stringify(line)}\n`;
      this.#waiting.push({ text, done: () => resolve(), failed: reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  /** Writes what waits. Lines that arrive meanwhile share the next write. */
  async #write() {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const writing = this.#waiting.splice(0);
      try {
        const text = writing.map((one) => one.text).join("");
        await this.#file.appendFile(text);
        if (text !== "") await this.#file.datasync();
        this.#lines += writing.length;
        if (this.#lines > linesBeforeCompaction) await this.#compact();
        for (const { done } of writing) done();
      } catch (error) {
        for (const { failed } of writing) failed(error);
      }
    }
    this.#isWriting = false;
  }

  /** Replaces the file by one with the present state. */
  async #compact() {
    const rows = [...this.#rows.values()];
    /** @type {Line[]} */
    const lines = this.next === undefined ? [] : [{ from: "lists", next: this.next, rows }];
    for (const sequence of this.#ahead) lines.push({ sequence });
    const draft = `${this.#path}.draft`;
    const file = await open(draft, "w");
    await file.writeFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await file.sync();
    await rename(draft, this.#path);
    const folder = await open(dirname(this.#path));
    await folder.sync();
    await folder.close();
    await this.#file.close();
    this.#file = file;
    this.#lines = 0;
  }
}
