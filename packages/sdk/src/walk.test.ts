import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ListChangedError } from "./index.ts";
import { type LoadedPage, walkEntries, walkRecords } from "./walk.ts";

/** A list as the service keeps it: newest first, asked for page by page. */
class Served<Item> {
  readonly items: Item[];
  loads = 0;

  constructor(items: Item[]) {
    this.items = items;
  }

  page(number: number, perPage: number): LoadedPage<Item> {
    this.loads += 1;
    const offset = (number - 1) * perPage;
    const data = this.items.slice(offset, offset + perPage);
    const total = this.items.length;
    const pagination = {
      total,
      per_page: perPage,
      current_page: number,
      last_page: Math.max(1, Math.ceil(total / perPage)),
      from: data.length === 0 ? 0 : offset + 1,
      to: data.length === 0 ? 0 : offset + data.length,
    };
    return { data, pagination };
  }
}

/** Walks a list that changes before every page but the first, by the next of the changes. */
async function walked<Item, Change>(
  served: Served<Item>,
  perPage: number,
  { changes, apply, id }: { changes: readonly Change[]; apply: (change: Change) => void; id?: keyof Item },
): Promise<Item[]> {
  const pending = [...changes];
  const walk = {
    path: "/sp/x",
    firstPage: 1,
    perPage,
    load: async (page: number) => {
      const change = pending.shift();
      if (served.loads > 0 && change !== undefined) apply(change);
      return served.page(page, perPage);
    },
  };
  const items: Item[] = [];
  for await (const item of id === undefined ? walkEntries(walk) : walkRecords(walk, id)) items.push(item);
  return items;
}

interface Entry {
  readonly reference: string;
  readonly balance: number;
}

// Few references and balances, so that entries often look alike.
const entry = fc.record({ reference: fc.constantFrom("a", "b"), balance: fc.integer({ min: 0, max: 3 }) });

describe("entries that come in at the front while they are walked", () => {
  it("leave those that were there to be given once, in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.array(entry, { maxLength: 20 }), { maxLength: 12 }),
        async (start, perPage, changes) => {
          const served = new Served<Entry>([...start]);
          const apply = (more: Entry[]) => served.items.unshift(...more);
          expect(await walked(served, perPage, { changes, apply })).toEqual(start);
        },
      ),
    );
  });

  it("are caught up with, even if more come in between two pages than a page holds", async () => {
    const served = new Served(Array.from({ length: 1000 }, (_, n) => ({ n })));
    const changes = Array.from({ length: 200 }, (_, n) => 200 + ((n * 37) % 101));
    let fresh = 0;
    const apply = (many: number) => {
      for (let left = many; left > 0; left -= 1) served.items.unshift({ n: --fresh });
    };
    const items = await walked(served, 100, { changes, apply });
    expect(items.map(({ n }) => n)).toEqual(Array.from({ length: 1000 }, (_, n) => n));
    expect(served.loads).toBeLessThan(80);
  });
});

describe("entries that come in among the older ones", () => {
  const numbered = (length: number) => Array.from({ length }, (_, n) => ({ n }));

  it.each([1, 3, 25])("fail the walk, which can't know what it missed: %d", async (many) => {
    const served = new Served(numbered(30));
    const apply = (more: number) => served.items.splice(25, 0, ...Array(more).fill({ n: -1 }));
    await expect(walked(served, 10, { changes: [0, many], apply })).rejects.toThrow(ListChangedError);
  });

  it("fail it too when they are fewer", async () => {
    const served = new Served(numbered(30));
    const apply = (fewer: number) => served.items.splice(5, fewer);
    await expect(walked(served, 10, { changes: [0, 3], apply })).rejects.toThrow(ListChangedError);
  });
});

describe("records that come and go while they are walked", () => {
  type Change = { come: number } | { go: readonly number[] };

  it("leave those that stayed to be given once, the highest first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.array(
          fc.oneof(
            fc.record({ come: fc.integer({ min: 1, max: 20 }) }),
            fc.record({ go: fc.array(fc.nat(), { minLength: 1, maxLength: 10 }) }),
          ),
          { maxLength: 12 },
        ),
        async (many, perPage, changes) => {
          const start = Array.from({ length: many }, (_, n) => ({ member_id: many - n }));
          const served = new Served([...start]);
          let highest = many;
          const apply = (change: Change) => {
            if ("come" in change) {
              for (let n = 0; n < change.come; n += 1) served.items.unshift({ member_id: ++highest });
            } else for (const at of change.go) served.items.splice(at % Math.max(1, served.items.length), 1);
          };
          const given = (await walked(served, perPage, { changes, apply, id: "member_id" })).map(
            (item) => item.member_id,
          );
          expect(given).toEqual([...new Set(given)].sort((a, b) => b - a));
          const stayed = served.items.filter(({ member_id }) => member_id <= many);
          expect(given).toEqual(expect.arrayContaining(stayed.map(({ member_id }) => member_id)));
        },
      ),
    );
  });
});

describe("a walk", () => {
  it("begins at the page that was asked for", async () => {
    const served = new Served(Array.from({ length: 25 }, (_, n) => ({ member_id: 25 - n })));
    const walk = {
      path: "/sp/x",
      firstPage: 2,
      perPage: 10,
      load: async (page: number) => served.page(page, 10),
    };
    for (const items of [walkEntries(walk), walkRecords(walk, "member_id")]) {
      const given: number[] = [];
      for await (const { member_id } of items) given.push(member_id);
      expect(given).toEqual(Array.from({ length: 15 }, (_, n) => 15 - n));
    }
  });

  it("of an empty list gives nothing", async () => {
    const served = new Served<{ member_id: number }>([]);
    expect(await walked(served, 10, { changes: [], apply: () => {} })).toEqual([]);
    expect(await walked(served, 10, { changes: [], apply: () => {}, id: "member_id" })).toEqual([]);
    expect(served.loads).toBe(2);
  });
});
