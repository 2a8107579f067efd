/** The two paginated lists, over HTTP, held to a naive reading of the same records. */
import { beforeAll, describe, expect, it } from "vitest";
import { insertBusiness } from "../../src/database/access/businesses.ts";
import { type EventType, eventTypeNames, eventTypes } from "../../src/domain/ledger.ts";
import { recountLedger } from "../support/bulk.ts";
import { wallClockAt } from "../support/local-times.ts";
import { randomFrom } from "../support/random.ts";
import { type Business, type Credentials, newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const hour = 3_600_000;

/** What meta.pagination must say of a page. */
function paginationOf(total: number, page: number, perPage: number) {
  const from = (page - 1) * perPage + 1;
  const to = Math.min(page * perPage, total);
  return {
    total,
    per_page: perPage,
    current_page: page,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    from: from > total ? 0 : from,
    to: from > total ? 0 : to,
  };
}

/** A page of a list, and the items that its cursor leads to. */
async function listed(path: string, filter: object, credentials?: Credentials) {
  const { data, meta } = (await world.ask(path, filter, credentials)).body;
  const { pagination, next } = meta;
  const after = { ...filter, page: undefined, per_page: followingItems, after: next };
  const following = next === null ? [] : (await world.ask(path, after, credentials)).body.data;
  return { data, pagination, following };
}
const followingItems = 7;

/** What it must return, by all items that match. */
function expectedOf<Row>(matching: readonly Row[], page: number, perPage: number) {
  const end = page * perPage;
  return {
    data: slice(matching, page, perPage),
    pagination: paginationOf(matching.length, page, perPage),
    following: matching.slice(end, end + followingItems),
  };
}

const slice = <Row>(rows: readonly Row[], page: number, perPage: number) =>
  rows.slice((page - 1) * perPage, page * perPage);

describe.each([
  "UTC",
  "Europe/Madrid",
  "Asia/Kolkata",
  "America/St_Johns",
  // Half an hour of summer time.
  "Australia/Lord_Howe",
  // Clocks are put back to midnight, so that a day begins twice, and forward from it, so that it begins at one.
  "America/Havana",
  "Atlantic/Azores",
  // Clocks are put back from midnight to the day before.
  "Asia/Beirut",
])("transactions/list in %s", (timeZone) => {
  interface Entry {
    readonly entry_no: number;
    readonly at: number;
    readonly event_type: EventType;
    readonly contact_id: number;
    readonly location_id: number | null;
    readonly amount: number;
    readonly balance_after: number;
    readonly reference_id: string;
  }
  const { below: random, pick } = randomFrom(timeZone.length * 7919);
  const contacts = [11, 12, 13, 14];
  let locations: number[];
  let entries: Entry[];
  let everywhere: Credentials;
  let limited: Credentials;

  /** Instants at which something can go wrong: the year's changes of the clock, and midnights. */
  const instants = () => {
    const year = Date.UTC(2025, 0, 1);
    const shift = (at: number) => Date.parse(`${wallClockAt(at, timeZone).replace(" ", "T")}Z`) - at;
    const changes = Array.from({ length: 365 * 24 }, (_, n) => year + n * hour).filter(
      (at) => shift(at) !== shift(at - hour),
    );
    const midnights = Array.from({ length: 12 }, () => {
      const day = year + random(365) * 24 * hour;
      return day - shift(day);
    });
    return [...changes.flatMap((at) => [at, at, at, at]), ...midnights];
  };

  beforeAll(async () => {
    const businessId = await insertBusiness(world.sql, {
      name: timeZone,
      time_zone: timeZone,
      currency: "EUR",
    });
    const rows = await world.sql<{ location_id: number }[]>`
      INSERT INTO location (business_id, name)
      SELECT ${businessId}, 'L' || n FROM generate_series(1, 3) AS n RETURNING location_id`;
    locations = rows.map(({ location_id }) => location_id);
    const business = { businessId } as Business;
    everywhere = await world.integration(business);
    limited = await world.integration(business, { locationIds: locations.slice(0, 2) });
    const hot = instants();
    entries = Array.from({ length: 400 }, (_, index) => {
      const near = pick(hot) + (random(6) - 3) * hour + pick([0, 0, 1, -1, 1000, -1000, random(hour)]);
      return {
        entry_no: index + 1,
        at: random(3) > 0 ? near : Date.UTC(2025, 0, 1) + random(365 * 24 * hour),
        event_type: pick(eventTypeNames),
        contact_id: pick(contacts),
        location_id: pick([null, ...locations]),
        amount: 1 + random(1000),
        balance_after: random(1000),
        reference_id: `R-${index}`,
      };
    });
    await world.sql`
      INSERT INTO ledger_entry (business_id, entry_no, contact_id, account, event_type, amount, balance_after,
        location_id, reference_id, created_at)
      SELECT ${businessId}, e.entry_no, e.contact_id, e.account, e.event_type, e.amount, e.balance_after,
        e.location_id, e.reference_id, to_timestamp(e.at / 1000.0)
      FROM unnest(${entries.map((e) => e.entry_no)}::bigint[], ${entries.map((e) => e.contact_id)}::bigint[],
        ${entries.map((e) => eventTypes[e.event_type].account)}::account_name[],
        ${entries.map((e) => e.event_type)}::event_type[], ${entries.map((e) => e.amount)}::bigint[],
        ${entries.map((e) => e.balance_after)}::bigint[], ${entries.map((e) => e.location_id) as number[]}::bigint[],
        ${entries.map((e) => e.reference_id)}::text[], ${entries.map((e) => e.at)}::numeric[])
        AS e (entry_no, contact_id, account, event_type, amount, balance_after, location_id, reference_id, at)`;
    await world.sql.begin(async (tx) => {
      // The accounts have no members, so foreign keys are not checked.
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`
        INSERT INTO account (business_id, contact_id, account, entries)
        SELECT business_id, contact_id, account, count(*) FROM ledger_entry WHERE business_id = ${businessId}
        GROUP BY business_id, contact_id, account`;
    });
    // Half of the time zones are counted in blocks, the others read as they are.
    if (random(2) === 0) await world.sql.begin((tx) => recountLedger(tx, businessId));
  });

  interface Filter {
    location_id?: number;
    contact_id?: number;
    event_types?: EventType[];
    start_date?: string;
    end_date?: string;
    per_page?: number;
    page?: number;
  }

  /** The naive reading: look at every entry, then sort, then cut. */
  function expected(filter: Filter, mayUse: (locationId: number | null) => boolean) {
    const { page = 1, per_page = 15, start_date = "0000", end_date = "9999" } = filter;
    const matching = entries.filter((entry) => {
      const day = wallClockAt(entry.at, timeZone).slice(0, 10);
      return (
        mayUse(entry.location_id) &&
        day >= start_date &&
        day <= end_date &&
        (filter.location_id === undefined || entry.location_id === filter.location_id) &&
        (filter.contact_id === undefined || entry.contact_id === filter.contact_id) &&
        (filter.event_types === undefined || filter.event_types.includes(entry.event_type))
      );
    });
    matching.sort((a, b) => b.at - a.at || b.entry_no - a.entry_no);
    const shown = matching.map(({ entry_no: _, at, location_id: __, ...entry }) => ({
      ...entry,
      created_at: wallClockAt(at, timeZone),
    }));
    return expectedOf(shown, page, per_page);
  }

  const ask = (filter: Filter, credentials: Credentials) =>
    listed("/sp/transactions/list", filter, credentials);
  const dayNear = (entry: Entry) =>
    wallClockAt(entry.at + (random(3) - 1) * 24 * hour, timeZone).slice(0, 10);

  function randomFilter(): Filter {
    const days = [dayNear(pick(entries)), dayNear(pick(entries))].sort() as [string, string];
    const oneDay = random(2) === 0;
    const perPage = pick([1, 2, 15, 40, 100]);
    return {
      ...(random(3) === 0 ? { location_id: pick(locations) } : {}),
      ...(random(3) === 0 ? { contact_id: pick([...contacts, 999]) } : {}),
      ...(random(3) === 0
        ? { event_types: Array.from({ length: 1 + random(6) }, () => pick(eventTypeNames)) }
        : {}),
      ...(random(2) === 0 ? { start_date: days[0] } : {}),
      ...(random(2) === 0 ? { end_date: oneDay ? days[0] : days[1] } : {}),
      ...(random(4) === 0 ? {} : { per_page: perPage, page: 1 + random(Math.ceil(500 / perPage)) }),
    };
  }

  it("applies each filter alone", async () => {
    const [location_id] = locations as [number];
    const filters: Filter[] = [
      {},
      { location_id },
      { contact_id: 11 },
      { event_types: ["wallet_adjustment"] },
      { start_date: "2025-06-01" },
      { end_date: "2025-06-01" },
      { page: 3, per_page: 7 },
      { page: Number.MAX_SAFE_INTEGER, per_page: 100 },
    ];
    for (const filter of filters) {
      expect([filter, await ask(filter, everywhere)]).toEqual([filter, expected(filter, () => true)]);
    }
  });

  it("applies any filters and pages together", async () => {
    for (let round = 0; round < 60; round++) {
      const filter = randomFilter();
      expect([filter, await ask(filter, everywhere)]).toEqual([filter, expected(filter, () => true)]);
    }
  });

  it("finds each day on which the clock changes, and the days beside it, by the days that it shows", async () => {
    for (const at of new Set(instants().slice(0, 8))) {
      for (const shift of [-24, 0, 24]) {
        const day = wallClockAt(at + shift * hour, timeZone).slice(0, 10);
        const filter = { start_date: day, end_date: day, per_page: 100 };
        const response = await ask(filter, everywhere);
        expect([filter, response]).toEqual([filter, expected(filter, () => true)]);
        expect(
          response.data.every(({ created_at }: { created_at: string }) => created_at.startsWith(day)),
        ).toBe(true);
      }
    }
  });

  it("shows an integration limited to some locations those and what has none", async () => {
    const mayUse = (locationId: number | null) => locationId === null || locationId !== locations[2];
    for (let round = 0; round < 30; round++) {
      const filter = randomFilter();
      if (filter.location_id === locations[2]) {
        const reply = await world.ask("/sp/transactions/list", filter, limited);
        expect([reply.status, reply.body.error.code]).toEqual([403, "sp_location_not_allowed"]);
      } else expect([filter, await ask(filter, limited)]).toEqual([filter, expected(filter, mayUse)]);
    }
  });
});

describe("members/list", () => {
  interface Person {
    readonly member_id: number;
    readonly contact_id: number;
    readonly first_name: string;
    readonly last_name: string;
    readonly phone_number: string;
    readonly email: string | null;
    readonly active: boolean;
  }
  const { below: random, pick } = randomFrom(4711);
  let people: Person[];

  beforeAll(async () => {
    people = [];
    const firstNames = ["Ana", "José", "Zoë", "Ñuria", "100%", "a_b", "back\\slash", "Ángel María", "李"];
    const lastNames = ["López", "O'Brien", "Müller", "Sánchez-García", "Ōtani", "Ana", "%%", "Σταύρος"];
    for (let index = 0; index < 60; index++) {
      const person = {
        ...newPerson(),
        first_name: pick(firstNames),
        last_name: pick(lastNames),
        ...(random(2) === 0 ? { email: `${pick(["ana", "Jose", "x_y"])}.${index}@Example.com` } : {}),
      };
      const { data } = (await world.write("/sp/members/create", person)).body;
      const active = random(4) > 0;
      if (!active) await world.deactivate(data.contact_id);
      people.push({ ...data, active });
    }
  });

  const folded = (text: string) =>
    text
      .normalize("NFD")
      .replace(/[\u0300-\u036f]/g, "")
      .toLowerCase();

  /** A number that begins with 0 is the beginning of a number, or the last few digits of a phone number. */
  function contains(text: string, word: string): boolean {
    if (!/^0\d*$/.test(word)) return text.includes(word);
    const isEnd = word.length <= 6 && text.startsWith("+") && text.endsWith(word);
    return isEnd || new RegExp(`(?<!\\d)${word}`).test(text);
  }

  function expected({
    search,
    include_inactive = false,
    page = 1,
    per_page = 15,
  }: Record<string, never | string | boolean | number>) {
    const matching = people
      .filter(({ first_name, last_name, phone_number, email, active }) => {
        const texts = [`${first_name} ${last_name}`, phone_number, email ?? ""].map(folded);
        const words = folded(String(search ?? "")).split(/\s+/);
        const found = words.every((word) => texts.some((text) => contains(text, word)));
        return found && (active || include_inactive === true);
      })
      .sort((a, b) => b.member_id - a.member_id);
    const shown = matching.map(({ email: _, active: __, ...member }) => member);
    return expectedOf(shown, Number(page), Number(per_page));
  }

  it("finds for any search, standing and page", async () => {
    for (let round = 0; round < 200; round++) {
      const { first_name, last_name, phone_number, email } = pick(people);
      const text = pick([
        `${first_name} ${last_name}`,
        phone_number,
        email ?? "nobody",
        "%",
        "_",
        "\\",
        "n a",
        "ana lopez",
        "ana",
      ]);
      const start = random(text.length);
      const part = [...text.slice(start, start + 1 + random(8))].join("").trim();
      const search = pick([part, part.toUpperCase(), folded(part)]);
      const perPage = pick([1, 3, 15, 100]);
      const filter = {
        ...(random(4) > 0 && search !== "" ? { search } : {}),
        ...(random(2) === 0 ? { include_inactive: random(2) === 0 } : {}),
        ...(random(3) === 0 ? {} : { per_page: perPage, page: 1 + random(Math.ceil(80 / perPage)) }),
      };
      expect([filter, await listed("/sp/members/list", filter)]).toEqual([filter, expected(filter)]);
    }
  });

  it("never shows the members of another business", async () => {
    const elsewhere = await world.member({ last_name: "Forastero" }, world.away.everywhere);
    expect((await world.ask("/sp/members/list", { search: "forastero" })).body.meta.pagination.total).toBe(0);
    const { body } = await world.ask("/sp/members/list", { include_inactive: true }, world.away.everywhere);
    expect(body.data.map(({ contact_id }: Person) => contact_id)).toEqual([elsewhere]);
  });
});
