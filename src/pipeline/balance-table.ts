/**
 * Balances by contact_id: a hash table with open addressing in one array of numbers. A `Map` of a million takes three
 * times the memory, all of which the garbage collector looks at, and stops for a tenth of a second each time it grows.
 */

const smallest = 16;

export class BalanceTable {
  /** A contact_id, or 0 for none, and its balance after it, and so on. */
  #slots = new Float64Array(2 * smallest);
  #size = 0;

  /** How many balances there are. */
  get size(): number {
    return this.#size;
  }

  get(contactId: number): number | undefined {
    const at = this.#find(contactId);
    return this.#slots[at] === 0 ? undefined : this.#slots[at + 1];
  }

  /** @param contactId a whole number from 1 */
  set(contactId: number, balance: number): void {
    const at = this.#find(contactId);
    if (this.#slots[at] === 0) {
      // Fuller than that, what is looked for is found late.
      if (3 * this.#size >= this.#slots.length) {
        this.#grow();
        this.set(contactId, balance);
        return;
      }
      this.#slots[at] = contactId;
      this.#size += 1;
    }
    this.#slots[at + 1] = balance;
  }

  /** @returns where a contact_id is, or else the empty slot where it would be */
  #find(contactId: number): number {
    const slots = this.#slots;
    const last = slots.length - 2;
    let at = (hashOf(contactId) << 1) & last;
    while (slots[at] !== contactId && slots[at] !== 0) at = (at + 2) & last;
    return at;
  }

  #grow(): void {
    const slots = this.#slots;
    this.#slots = new Float64Array(2 * slots.length);
    for (let from = 0; from < slots.length; from += 2) {
      if (slots[from] === 0) continue;
      const at = this.#find(slots[from] as number);
      this.#slots[at] = slots[from] as number;
      this.#slots[at + 1] = slots[from + 1] as number;
    }
  }
}

/** Numbers that follow each other, or are equally far apart, are not to meet in the same slots. */
function hashOf(contactId: number): number {
  const mixed = Math.imul(contactId ^ (contactId / 2 ** 32), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
