/** Members: what is unique, what stays, who is inactive, and how they are found. */
import { beforeAll, describe, expect, it } from "vitest";
import { insertMember } from "../../src/database/members/members.ts";
import { isPhoneNumber } from "../../src/domain/text.ts";
import { type Business, newPerson, nothingElse, type Reply, useWorld } from "../support/world.ts";

const world = useWorld();

let emails = 0;
function newEmail(): string {
  emails += 1;
  return `Somebody.${emails}@example.com`;
}
let cards = 0;
function newCard(): string {
  cards += 1;
  return `Card/${cards}`;
}

async function stored(contactId: number) {
  const [row] = await world.sql`
    SELECT first_name, last_name, phone_number, email, date_of_birth, external_ref, password_hash, active
    FROM member WHERE contact_id = ${contactId}`;
  return row!;
}

function expectTaken(reply: Reply, ...fields: readonly ("phone_number" | "email" | "external_ref")[]): void {
  expect(reply.status).toBe(409);
  expect(reply.body.error).toEqual({ code: "member_already_exists", details: { field: fields[0], fields } });
}

describe("a new member", () => {
  it("needs a name and a phone number, and has nothing else then", async () => {
    const person = newPerson();
    const { body } = await world.write("/sp/members/create", person);
    expect(body.data).toMatchObject({ ...person, email: null });
    const row = await stored(body.data.contact_id);
    expect(row).toMatchObject({ email: null, date_of_birth: null, password_hash: null, active: true });
  });

  it("is stored as it was sent", async () => {
    const person = {
      ...newPerson(),
      first_name: " Ana  María ",
      email: newEmail(),
      date_of_birth: "2000-02-29",
    };
    const contactId = await world.member(person);
    expect(await stored(contactId)).toMatchObject(person);
  });

  it("has four empty accounts", async () => {
    const contactId = await world.member();
    const accounts = await world.sql`
      SELECT account, balance FROM account WHERE contact_id = ${contactId} ORDER BY account`;
    expect([...accounts]).toEqual(
      ["wallet", "points", "vouchers", "sales"].map((account) => ({ account, balance: 0 })),
    );
  });

  it("is made once when many make it at the same time", async () => {
    const person = newPerson();
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => world.write("/sp/members/create", person)),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 201)) expectTaken(reply, "phone_number");
  });

  it("has a phone number that no other has", async () => {
    const person = newPerson();
    await world.member(person);
    const again = { ...newPerson(), phone_number: person.phone_number };
    expectTaken(await world.write("/sp/members/create", again), "phone_number");
  });

  it("has an e-mail address that no other has, in capitals or not", async () => {
    const email = newEmail();
    await world.member({ email });
    for (const same of [email, email.toLowerCase(), email.toUpperCase()]) {
      expectTaken(await world.write("/sp/members/create", { ...newPerson(), email: same }), "email");
    }
  });

  it("is told of both when both are taken, the phone number first", async () => {
    const person = { ...newPerson(), email: newEmail() };
    await world.member({ ...newPerson(), email: person.email });
    await world.member({ ...newPerson(), phone_number: person.phone_number });
    expectTaken(await world.write("/sp/members/create", person), "phone_number", "email");
    // A password is hashed only when nothing is taken.
    const withPassword = { ...person, password: "correct horse battery staple" };
    expectTaken(await world.write("/sp/members/create", withPassword), "phone_number", "email");
    const contact_id = await world.member();
    const { phone_number, email } = person;
    const profile = { contact_id, phone_number, email };
    expectTaken(await world.write("/sp/members/profile/update", profile), "phone_number", "email");
  });

  it("can have a card number, by which the list finds it, and which its response does not show", async () => {
    const external_ref = "AURORA 0042-xyz";
    const { body } = await world.write("/sp/members/create", { ...newPerson(), external_ref });
    expect(Object.keys(body.data)).toEqual([
      ...["member_id", "contact_id", "first_name", "last_name", "phone_number", "email"],
    ]);
    const { contact_id } = body.data;
    const found = async (search: string) => (await world.ask("/sp/members/list", { search })).body.data;
    for (const search of ["aurora 0042-XYZ", "0042-xyz", "42‑xyz", "xyz aurora"]) {
      expect([search, await found(search)]).toMatchObject([search, [{ contact_id }]]);
    }
    expect(Object.keys((await found("0042-xyz"))[0])).toEqual([
      ...["member_id", "contact_id", "first_name", "last_name", "phone_number"],
    ]);
    await world.write("/sp/members/profile/update", { contact_id, external_ref: "Aurora 7-uvw" });
    expect(await found("0042-xyz")).toEqual([]);
    await world.write("/sp/members/update", { contact_id, last_name: "Changed" });
    expect(await found("7-uvw")).toMatchObject([{ contact_id, last_name: "Changed" }]);
  });

  it("may be a member of another business as well", async () => {
    const person = { ...newPerson(), email: newEmail(), external_ref: newCard() };
    await world.member(person);
    await world.member(person, world.away.everywhere);
  });

  it("keeps its phone number and e-mail address from others while it is inactive", async () => {
    const person = { ...newPerson(), email: newEmail() };
    await world.deactivate(await world.member(person));
    const { phone_number, email } = person;
    expectTaken(await world.write("/sp/members/create", { ...newPerson(), phone_number }), "phone_number");
    expectTaken(await world.write("/sp/members/create", { ...newPerson(), email }), "email");
  });

  it("is made once when many ask at the same time", async () => {
    const person = { ...newPerson(), email: newEmail() };
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => world.write("/sp/members/create", person)),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });
});

const newValues = {
  first_name: () => "Berta",
  last_name: () => "Gómez",
  email: newEmail,
  phone_number: () => newPerson().phone_number,
  date_of_birth: () => "1971-03-31",
  external_ref: newCard,
};
type Changeable = keyof typeof newValues;
const updates = [
  { path: "/sp/members/update", fields: ["first_name", "last_name", "email"] },
  { path: "/sp/members/profile/update", fields: Object.keys(newValues) as Changeable[] },
] as const;

describe.each(updates)("$path", ({ path, fields }) => {
  it.each(fields)("changes %s and leaves the rest as it was", async (field) => {
    const contact_id = await world.member({
      email: newEmail(),
      date_of_birth: "1990-04-17",
      external_ref: newCard(),
      password: "correct horse battery staple",
    });
    const before = await stored(contact_id);
    const change = { [field]: newValues[field]() };
    const { status, body } = await world.write(path, { contact_id, ...change });
    expect(status).toBe(200);
    expect(await stored(contact_id)).toEqual({ ...before, ...change });
    const { first_name, last_name, email } = { ...before, ...change } as typeof before;
    expect(body.data).toEqual({ member_id: expect.any(Number), contact_id, first_name, last_name, email });
  });

  it("returns null for the e-mail address of a member that has none", async () => {
    const contact_id = await world.member();
    const { body } = await world.write(path, { contact_id, first_name: "Berta" });
    expect(body.data.email).toBeNull();
  });

  it("rejects the e-mail address of another member, in capitals or not, and changes nothing", async () => {
    const taken = newEmail();
    await world.member({ email: taken });
    const contact_id = await world.member({ email: newEmail() });
    const before = await stored(contact_id);
    for (const email of [taken, taken.toLowerCase()]) {
      expectTaken(await world.write(path, { contact_id, email, first_name: "Changed" }), "email");
    }
    expect(await stored(contact_id)).toEqual(before);
  });

  it("accepts the member's own e-mail address, also to write it differently", async () => {
    const email = newEmail();
    const contact_id = await world.member({ email });
    for (const own of [email, email.toLowerCase()]) {
      const reply = await world.write(path, { contact_id, email: own });
      expect(reply.body.data.email).toBe(own);
    }
  });

  it("lets one of many take an e-mail address", async () => {
    const email = newEmail();
    const members = await Promise.all(Array.from({ length: 5 }, () => world.member()));
    const replies = await Promise.all(members.map((contact_id) => world.write(path, { contact_id, email })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  it("is seen by the next search", async () => {
    // Letters alone: a number may be part of another member's phone number.
    const name = `Filomena ${path.includes("profile") ? "Perfilada" : "Cambiada"}`;
    const contact_id = await world.member({ first_name: `Nobody${path.length}` });
    await world.write(path, { contact_id, first_name: name });
    expect((await world.ask("/sp/members/list", { search: name })).body.data).toMatchObject([{ contact_id }]);
    const before = await world.ask("/sp/members/list", { search: `Nobody${path.length}` });
    expect(before.body.data).toEqual([]);
  });
});

describe("/sp/members/profile/update", () => {
  const path = "/sp/members/profile/update";

  it("rejects the phone number of another member, and accepts the member's own", async () => {
    const person = newPerson();
    const contact_id = await world.member(person);
    const other = newPerson();
    await world.member(other);
    const { phone_number } = other;
    expectTaken(await world.write(path, { contact_id, phone_number }), "phone_number");
    const own = await world.write(path, { contact_id, phone_number: person.phone_number });
    expect(own.status).toBe(200);
  });

  it("attaches a card, which no other member can have, and detaches it", async () => {
    const [contact_id, other] = [await world.member(), await world.member()];
    const external_ref = newCard();
    const attached = await world.write(path, { contact_id, external_ref });
    expect(Object.keys(attached.body.data)).toEqual([
      ...["member_id", "contact_id", "first_name", "last_name", "email"],
    ]);
    for (const [call, body] of [
      ["/sp/members/find", { external_ref }],
      ["/sp/members/get", { contact_id }],
    ] as const) {
      expect((await world.ask(call, body)).body.data).toMatchObject({ contact_id, external_ref });
    }
    expectTaken(await world.write(path, { contact_id: other, external_ref }), "external_ref");
    expectTaken(await world.write("/sp/members/create", { ...newPerson(), external_ref }), "external_ref");
    expect((await world.write(path, { contact_id, external_ref })).status).toBe(200);
    expect((await world.write(path, { contact_id, external_ref: null })).status).toBe(200);
    expect((await world.ask("/sp/members/find", { external_ref })).status).toBe(404);
    expect((await world.write(path, { contact_id: other, external_ref })).status).toBe(200);
    expect((await world.ask("/sp/members/find", { external_ref })).body.data.contact_id).toBe(other);
  });

  it("frees the phone number that a member had", async () => {
    const person = newPerson();
    const contact_id = await world.member(person);
    await world.write(path, { contact_id, phone_number: newPerson().phone_number });
    await world.member(person);
  });
});

describe("an inactive member", () => {
  let contact_id: number;
  beforeAll(async () => {
    contact_id = await world.member({ first_name: "Inactive", email: newEmail() });
    await world.deactivate(contact_id);
  });

  it.each([
    ["/sp/wallet/adjust", { amount: 5, adjustment_type: "credit" }],
    ["/sp/reward-points/adjust", { points: 5, adjustment_type: "credit" }],
  ])("is left alone by %s", async (path, fields) => {
    const before = await stored(contact_id);
    const location = path === "/sp/wallet/adjust" ? { location_id: world.home.locationIds[0] } : {};
    const { status, body } = await world.write(path, { contact_id, ...location, ...fields });
    expect(status).toBe(409);
    expect(body.error).toEqual({ code: "member_inactive", details: {} });
    expect(await stored(contact_id)).toEqual(before);
  });

  it("is updated, and stays inactive", async () => {
    const phone_number = newPerson().phone_number;
    const updates = [
      ["/sp/members/update", { last_name: "Updated" }],
      ["/sp/members/profile/update", { phone_number }],
      ["/sp/members/password/change", { new_password: "correct horse battery staple" }],
    ] as const;
    for (const [path, fields] of updates) {
      expect((await world.write(path, { contact_id, ...fields })).status).toBe(200);
    }
    const after = await stored(contact_id);
    expect(after).toMatchObject({ last_name: "Updated", phone_number, active: false });
    expect(after.password_hash).toMatch(/^\$argon2id\$/);
  });

  it("is listed only when asked for", async () => {
    const found = async (fields: object) => {
      const { body } = await world.ask("/sp/members/list", { search: "Inactive", ...fields });
      expect(body.meta.pagination.total).toBe(body.data.length);
      return body.data.map((member: { contact_id: number }) => member.contact_id);
    };
    expect(await found({})).toEqual([]);
    expect(await found({ include_inactive: false })).toEqual([]);
    expect(await found({ include_inactive: true })).toEqual([contact_id]);
  });
});

describe("the list", () => {
  let business: Business;
  const people = [
    ["José María", "Núñez-O'Brien", "+34600111001", "Jose.M@Example.com"],
    ["Zoë", "van der Berg", "+34600111002", null],
    ["100%", "Sure_Thing", "+4930123456", "percent@example.org"],
    ["Back\\slash", "Ångström", "+4930123457", "a_b@example.org"],
    ["Łukasz", "Straße", "+48600111222", null],
    ["ΣΊΣΥΦΟΣ", "محمد 李", "+30600111222", null],
  ] as const;

  beforeAll(async () => {
    business = await world.business("Searched", "UTC");
    for (const [first_name, last_name, phone_number, email] of people) {
      expect(isPhoneNumber(phone_number)).toBe(true);
      const person = { first_name, last_name, phone_number, ...nothingElse, email };
      await world.sql.begin((tx) => insertMember(tx, business.businessId, person));
    }
  });

  const list = (fields: object) => world.ask("/sp/members/list", fields, business.everywhere);
  const firstNames = ({ body }: Reply): string[] =>
    body.data.map(({ first_name }: { first_name: string }) => first_name);

  it("has the newest first", async () => {
    const reply = await list({});
    expect(firstNames(reply)).toEqual(people.map(([name]) => name).reverse());
    expect(reply.body.meta.pagination).toEqual({
      total: 6,
      per_page: 15,
      current_page: 1,
      last_page: 1,
      from: 1,
      to: 6,
    });
  });

  const searches: [search: string, found: string[]][] = [
    ["jose", ["José María"]],
    ["JOSÉ", ["José María"]],
    ["jose\u0301", ["José María"]],
    ["maria nunez", ["José María"]],
    ["María Núñez-o'b", ["José María"]],
    ["nunez-", ["José María"]],
    ["ñ", ["Back\\slash", "100%", "Zoë", "José María"]],
    ["zoe v", ["Zoë"]],
    ["VAN DER", ["Zoë"]],
    ["angstrom", ["Back\\slash"]],
    ["łuk", ["Łukasz"]],
    ["straße", ["Łukasz"]],
    ["STRASSE", ["Łukasz"]],
    ["lukasz", ["Łukasz"]],
    ["o'brien josé", ["José María"]],
    ["  berg   zoë ", ["Zoë"]],
    ["garcia josé", []],
    ["0034600111001", ["José María"]],
    ["+34 600 111 001", ["Zoë", "José María"]],
    ["0034 600-111-001", ["José María"]],
    ["(600) 111.001", ["José María"]],
    ["34600111001", ["José María"]],
    ["111002 600", ["Zoë"]],
    ["maria +34 600 111", ["José María"]],
    ["σίσ", ["ΣΊΣΥΦΟΣ"]],
    ["محمد", ["ΣΊΣΥΦΟΣ"]],
    ["李", ["ΣΊΣΥΦΟΣ"]],
    ["+346001110", ["Zoë", "José María"]],
    ["600111", ["ΣΊΣΥΦΟΣ", "Łukasz", "Zoë", "José María"]],
    ["+4930123457", ["Back\\slash"]],
    ["m@example.com", ["José María"]],
    ["EXAMPLE.ORG", ["Back\\slash", "100%"]],
    ["%", ["100%"]],
    ["0%", ["100%"]],
    ["%%", []],
    ["_", ["Back\\slash", "100%"]],
    ["e_t", ["100%"]],
    ["a_b@", ["Back\\slash"]],
    ["z_e", []],
    ["\\", ["Back\\slash"]],
    ["\\s", ["Back\\slash"]],
    ["\\%", []],
    ["'", ["José María"]],
    ["z", ["Łukasz", "Zoë", "José María"]],
    ["o'brien+34", []],
    ["o'brien +34", ["José María"]],
    ["o'brien +49", []],
    ["berg ", ["Zoë"]],
    ["nobody", []],
  ];
  it.each(searches)("finds by %j", async (search, found) => {
    const reply = await list({ search });
    expect(firstNames(reply)).toEqual(found);
    expect(reply.body.meta.pagination.total).toBe(found.length);
  });

  it("comes in pages", async () => {
    const page = async (number: number) => {
      const reply = await list({ per_page: 4, page: number });
      const { total, per_page, current_page, last_page, from, to } = reply.body.meta.pagination;
      expect([total, per_page, current_page, last_page]).toEqual([6, 4, number, 2]);
      return { names: firstNames(reply), from, to };
    };
    const newest = people.map(([name]) => name).reverse();
    expect(await page(1)).toEqual({ names: newest.slice(0, 4), from: 1, to: 4 });
    expect(await page(2)).toEqual({ names: newest.slice(4), from: 5, to: 6 });
    expect(await page(3)).toEqual({ names: [], from: 0, to: 0 });
  });

  it("rejects a search of accents alone, which every name would match", async () => {
    const reply = await list({ search: "\u0301\u0308" });
    expect(reply.status).toBe(422);
    expect(reply.body.error.details.errors).toMatchObject([{ field: "search", code: "too_short" }]);
  });

  it("describes an empty page", async () => {
    const { body } = await list({ search: "nobody" });
    expect(body.data).toEqual([]);
    expect(body.meta.pagination).toEqual({
      total: 0,
      per_page: 15,
      current_page: 1,
      last_page: 1,
      from: 0,
      to: 0,
    });
  });
});

describe("a search", () => {
  let business: Business;
  const people = [
    ["Siobhán", "O\u2019Brien", "+353209100401"],
    ["Jacobus", "van \u2019t Hoff", "+31612345678"],
    ["Ka\u02bbiulani", "Nu\u02bbu", "+18085550101"],
    ["Anne\u2011Marie", "Col\u00b7lell", "+34600111333"],
    ["Mia\u00ad\u00a0Lou", "Smith\u2013Jones", "+442079460018"],
    ["D`Arcy", "O\u00b4Hara", "+390612345678"],
    ["Plain", "O'Neil-Ford", "+33612340678"],
    ["太郎", "山田", "+81312345678"],
  ] as const;

  beforeAll(async () => {
    business = await world.business("Typed", "UTC");
    for (const [first_name, last_name, phone_number] of people) {
      const person = { first_name, last_name, phone_number, ...nothingElse };
      await world.sql.begin((tx) => insertMember(tx, business.businessId, person));
    }
  });

  const found = async (search: string) => {
    const { body } = await world.ask("/sp/members/list", { search }, business.everywhere);
    return body.data.map(({ last_name }: { last_name: string }) => last_name);
  };

  it.each([
    ["O'Brien", "O\u2019Brien"],
    ["O\u2018Brien", "O\u2019Brien"],
    ["o\u02bcbrien", "O\u2019Brien"],
    ["van 't Hoff", "van \u2019t Hoff"],
    ["\u2018t hoff", "van \u2019t Hoff"],
    ["Nu'u", "Nu\u02bbu"],
    ["ka`iulani nu\u2018u", "Nu\u02bbu"],
    ["anne-marie", "Col\u00b7lell"],
    ["Anne\u2013Marie", "Col\u00b7lell"],
    ["col.lell", "Col\u00b7lell"],
    ["mia lou", "Smith\u2013Jones"],
    ["smith-jones", "Smith\u2013Jones"],
    ["d'arcy o'hara", "O\u00b4Hara"],
    ["o\u2019neil\u2011ford", "O'Neil-Ford"],
    ["+44 (0)20 7946 0018", "Smith\u2013Jones"],
    ["+44 (0)20 7946", "Smith\u2013Jones"],
    ["+44\u00a020\u20117946 0018", "Smith\u2013Jones"],
    ["0678", "O'Neil-Ford"],
    ["plain 0678", "O'Neil-Ford"],
    ["O'Neil-Ford, Plain", "O'Neil-Ford"],
    ["山田太郎", "山田"],
    ["山田　太郎", "山田"],
  ])("for %j finds %j", async (search, name) => {
    expect(await found(search)).toEqual([name]);
  });

  it.each(["06 12 34 56 78", "0612345678", "06-12-34", "061234", "00 612"])(
    "for %j does not find the middle of another number",
    async (search) => {
      expect(await found(search)).toEqual([]);
    },
  );

  it.each(["+353 20 910 0401", "00353-20-9100401", "+353 (0)20 910.0401"])(
    "by the phone number %j finds one member",
    async (phone_number) => {
      const { body } = await world.ask("/sp/members/find", { phone_number }, business.everywhere);
      expect(body.data).toMatchObject({ last_name: "O\u2019Brien" });
    },
  );
});
