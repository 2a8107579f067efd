/** The table of all tables (src/database/tables.ts) says something about every table and every column of members in the catalog. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { personalFieldsOf } from "../../src/contract/personal.ts";
import type { Connection } from "../../src/database/connection.ts";
import type { VerifiedPart } from "../../src/database/engine/kinds.ts";
import { personalNames } from "../../src/database/personal.ts";
import { type SqlValue, statementOf } from "../../src/database/sql.ts";
import { memberTables, tables } from "../../src/database/tables.ts";
import { verifyEntryCounts, verifyMemberCounts } from "../../src/database/verify/counts.ts";
import {
  type VerifySlice,
  verifyAccounts,
  verifyEntries,
  verifyPoints,
} from "../../src/database/verify/ledger.ts";
import { verifyReports } from "../../src/database/verify/reports.ts";
import { eventSchemas } from "../../src/operations/events/event-data.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { eraseMemberOperation } from "../../src/operations/operator/members/erase.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const place = "src/database/tables.ts";

interface Catalog {
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly string[];
  /** The tables to which its foreign keys refer. */
  readonly refers: readonly string[];
}

/** All tables of a migrated database, except the one of migrations. */
const readCatalog = () => database.sql<Catalog[]>`
  SELECT relname::text AS name,
    ARRAY(SELECT attname::text FROM pg_attribute
      WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns,
    ARRAY(SELECT DISTINCT confrelid::regclass::text FROM pg_constraint WHERE conrelid = t.oid AND contype = 'f') AS refers
  FROM pg_class t WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname <> 'migration'
  ORDER BY 1`;

const ownerOf = (table: string) => tables[table]?.owner;

it("has every table, and no other", async () => {
  const names = (await readCatalog()).map(({ name }) => name);
  const problems = [
    ...names
      .filter((name) => !(name in tables))
      .map(
        (name) =>
          `${name} is not in ${place}: say whose rows it has, and what is done with them when a member is erased, ` +
          "merged or exported, and when a business is moved, deleted or verified.",
      ),
    ...Object.keys(tables)
      .filter((name) => !names.includes(name))
      .map((name) => `${name} is in ${place}, but no migration makes it.`),
  ];
  expect(problems).toEqual([]);
});

it("says whose rows each table has", async () => {
  const problems = (await readCatalog()).flatMap(({ name, columns, refers }) => {
    const owner = ownerOf(name);
    const isOfBusiness = columns.includes("business_id");
    const contacts = columns.filter((column) => column.includes("contact_id"));
    const toMembers = refers.filter((table) => ownerOf(table) === "member");
    return [
      ...(isOfBusiness === (owner === "installation")
        ? [`${name} ${isOfBusiness ? "has" : "lacks"} business_id, and its owner in ${place} is ${owner}.`]
        : []),
      ...(owner === "member" ? [] : contacts).map(
        (column) => `${name}.${column} names members, and its owner in ${place} is ${owner}, not member.`,
      ),
      ...(owner === "member" ? [] : toMembers).map(
        (table) => `${name} refers to ${table}, and its owner in ${place} is ${owner}, not member.`,
      ),
    ];
  });
  expect(problems).toEqual([]);
});

it("says of every column of members whether it is personal", async () => {
  const catalog = await readCatalog();
  const problems = memberTables.flatMap(({ name, columns, erased }) => {
    const stored = catalog.find((table) => table.name === name)?.columns ?? [];
    const known = [...columns, ...Object.keys(erased)];
    const twice = known.filter((column, index) => known.indexOf(column) !== index);
    return [
      ...stored
        .filter((column) => !known.includes(column))
        .map(
          (column) =>
            `${name}.${column} is not in ${place}: add it to "erased" if it has personal data, or else to "columns".`,
        ),
      ...known
        .filter((column) => !stored.includes(column))
        .map((column) => `${name}.${column} is in ${place}, but no migration makes it.`),
      ...twice.map((column) => `${name}.${column} is in ${place} twice.`),
    ];
  });
  expect(problems).toEqual([]);
});

it("finds the rows of a member in each table that an erasure or a merge changes", () => {
  const changed = memberTables.filter(
    ({ erased, merging }) => merging === "moves" || Object.keys(erased).length > 0,
  );
  expect(changed.filter(({ columns }) => !columns.includes("contact_id"))).toEqual([]);
});

it("is in an order in which rows can be deleted", async () => {
  const order = Object.keys(tables);
  const problems = (await readCatalog()).flatMap(({ name, refers }) =>
    refers
      .filter((table) => table !== name && order.indexOf(table) < order.indexOf(name))
      .map((table) => `${name} refers to ${table}, so it must precede it in ${place}.`),
  );
  expect(problems).toEqual([]);
});

it("names for each table a part of the verification that reads it", async () => {
  const parts: Record<VerifiedPart, VerifySlice> = {
    accounts: verifyAccounts,
    points: verifyPoints,
    entries: verifyEntries,
    entry_counts: verifyEntryCounts,
    member_counts: verifyMemberCounts,
    reports: verifyReports,
  };
  const problems: string[] = [];
  for (const [part, verify] of Object.entries(parts)) {
    const texts: string[] = [];
    await database.sql.begin(async (tx) => {
      const tag = (strings: TemplateStringsArray, ...values: readonly SqlValue[]) => {
        texts.push(statementOf(strings, values).text);
        return tx(strings, ...values);
      };
      await verify(Object.assign(tag, { query: tx.query }) as Connection, 1, 0, 1);
    });
    for (const [name, table] of Object.entries(tables)) {
      if (table.owner === "installation" || table.verified !== part) continue;
      if (!texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
        problems.push(`${place} says that the part ${part} verifies ${name}, but it does not read it.`);
    }
  }
  expect(problems).toEqual([]);
});

/** What one name can mean: the fields of a schema, also inside, and whether each is personal. */
function fieldsOf(schema: object, where: string): { name: string; where: string; isPersonal: boolean }[] {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as Partial<Record<"items", object>> & {
    properties?: Record<string, object>;
    anyOf?: object[];
  };
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    where: `the field ${name} of ${where}`,
    isPersonal: personalFieldsOf({ properties: { [name]: field } }).has(name),
  }));
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf];
  return [...own, ...inner.flatMap((part) => fieldsOf(part, where))];
}

// The audit log and events leave personal fields out by their names (src/database/personal.ts).
it("gives no name to something personal and to something else", async () => {
  const catalog = await readCatalog();
  const isPersonal = (table: string, column: string) =>
    memberTables.some(({ name, erased }) => name === table && column in erased);
  const columns = catalog.flatMap(({ name, columns }) =>
    columns.map((column) => ({
      name: column,
      where: `the column ${name}.${column} in ${place}`,
      // Hashes of operators are never in a log either.
      isPersonal: column === "password_hash" || isPersonal(name, column),
    })),
  );
  const operations = [...partnerOperations, ...operatorOperations];
  const fields = operations.flatMap(({ path, input, output }) => [
    ...fieldsOf(input, `the input of ${path}`),
    ...fieldsOf(output, `the output of ${path}`),
  ]);
  // Events are never erased, so a mark does not help there.
  const ofEvents = eventSchemas
    .flatMap(({ type, data }) => fieldsOf(data, `the event ${type}`))
    .map((field) => ({ ...field, isPersonal: false }));
  const named = [...columns, ...fields, ...ofEvents];
  const personal = new Map(named.filter((one) => one.isPersonal).map(({ name, where }) => [name, where]));
  const problems = named
    .filter((one) => !one.isPersonal && personal.has(one.name))
    .map(
      ({ name, where }) =>
        `${personal.get(name)} is personal, and ${where} is not. The audit log decides by the name: mark both ` +
        `(fields.personal, or "erased" in ${place}), or rename one.`,
    );
  expect([...new Set(problems)]).toEqual([]);
});

it("has each personal field as a column, so that the audit log and events leave it out", () => {
  const problems = [...partnerOperations, ...operatorOperations].flatMap(({ path, input, output }) =>
    [input, output]
      .flatMap((schema) => [...personalFieldsOf(schema)])
      .filter((name) => !personalNames.has(name))
      .map(
        (name) =>
          `${name} of ${path} is personal, and no column of that name is: add the column to "erased" in ${place}, or call ` +
          "the field as its column. If it is not stored, add it to src/database/personal.ts.",
      ),
  );
  expect(problems).toEqual([]);
});

it("marks the field of each personal column", () => {
  const schemas = [...partnerOperations, ...operatorOperations].flatMap(({ input, output }) => [
    input,
    output,
  ]);
  const fields = new Set(schemas.flatMap((schema) => [...personalFieldsOf(schema)]));
  // The hashes are of the passwords, and of the page_path. Searches and retries have nothing else than the fields.
  const ofOthers = ["password_hash", "token_hash", "searchable_text", "response"];
  const problems = memberTables.flatMap(({ name, erased }) =>
    Object.keys(erased)
      .filter((column) => !fields.has(column) && !ofOthers.includes(column))
      .map(
        (column) =>
          `${name}.${column} is personal in ${place}, and no field of that name is marked with fields.personal. If no ` +
          "operation has it, add it to ofOthers in this test.",
      ),
  );
  expect(problems).toEqual([]);
});

it("has each personal column in the texts about an erasure", () => {
  const words: Readonly<Record<string, string>> = {
    first_name: "name",
    last_name: "name",
    phone_number: "phone number",
    email: "e-mail address",
    date_of_birth: "date of birth",
    password_hash: "password",
    external_ref: "external reference",
    card_code: "card",
    token_hash: "page",
    referral_code: "referral code",
    remarks: "remarks",
    searchable_text: "name",
    receipt_lines: "articles",
    response: "responses",
  };
  const operating = readFileSync(new URL("../../docs/OPERATING.md", import.meta.url), "utf8");
  const [told = ""] = /^`erase` can't be undone\.[\s\S]*?\n\n/m.exec(operating) ?? [];
  const texts = { "docs/OPERATING.md": told, "members/erase.ts": eraseMemberOperation.description ?? "" };
  const columns = memberTables.flatMap(({ name, erased }) =>
    Object.keys(erased).map((column) => ({ name, column })),
  );
  const problems = columns.flatMap(({ name, column }) => {
    const word = words[column];
    if (word === undefined)
      return [`Add the word for ${name}.${column} in the texts about an erasure to this test.`];
    return Object.entries(texts)
      .filter(([, text]) => !text.includes(word) && !text.includes(`${word}s`))
      .map(
        ([place, text]) =>
          `An erasure deletes ${name}.${column}, and ${place} does not say "${word}": ${text}`,
      );
  });
  expect(problems).toEqual([]);
});
