/**
 * A table of which an erasure deletes the rows, with personal texts. The service has no such table, so the test adds one to the
 * database and to the table of all tables.
 */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Type } from "../../src/contract/declare.ts";
import { reject } from "../../src/contract/errors.ts";
import type { AuditedChange, Caller, EmittedEvent, WriteOperation } from "../../src/contract/operation.ts";
import { personalFieldsOf } from "../../src/contract/personal.ts";
import { deriveKeys } from "../../src/credentials/keys.ts";
import type { Connection } from "../../src/database/connection.ts";
import { exportMemberOperation } from "../../src/operations/operator/members/export.ts";
import { performWrite } from "../../src/pipeline/write.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { nextKey, testSecret, useWorld } from "../support/world.ts";

vi.mock("../../src/database/tables.ts", async (importOriginal) => {
  const real = await importOriginal<typeof import("../../src/database/tables.ts")>();
  const name = "member_note";
  const note = {
    owner: "member",
    columns: ["business_id", "note_id", "contact_id", "created_at"],
    erased: { told: real.deletesRow },
    merging: "moves",
    exported: "records",
    verified: null,
  } as const;
  return {
    ...real,
    tables: { [name]: note, ...real.tables },
    memberTables: [{ name, ...note }, ...real.memberTables],
    deletedTables: [name, ...real.deletedTables],
    movedTables: [...real.movedTables, name],
  };
});

const world = useWorld();

beforeAll(
  () => world.sql`
    CREATE TABLE member_note (business_id bigint, note_id bigint, contact_id bigint, told text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (business_id, note_id),
      FOREIGN KEY (business_id, contact_id) REFERENCES member (business_id, contact_id))`,
);
afterAll(() => world.sql`DROP TABLE member_note`);

let notes = 0;
async function makeNote(business_id: number, contact_id: number, told: string): Promise<number> {
  notes += 1;
  await world.sql`
    INSERT INTO member_note (business_id, note_id, contact_id, told) VALUES (${business_id}, ${notes}, ${contact_id}, ${told})`;
  return notes;
}
const notesOf = (business_id: number) =>
  world.sql`SELECT note_id, contact_id, told FROM member_note WHERE business_id = ${business_id} ORDER BY note_id`;

it("are exported with their personal columns, moved by a merge, and deleted by an erasure", async () => {
  const shop = await makeSandbox(world, "2026-01-10");
  const { businessId: business_id } = shop;
  const [from_contact_id, contact_id, other] = [
    await shop.member(),
    await shop.member(),
    await shop.member(),
  ];
  const first = await makeNote(business_id, from_contact_id, "Likes tea");
  const second = await makeNote(business_id, contact_id, "Likes coffee");
  const third = await makeNote(business_id, other, "Likes milk");
  const exported = await asOperator(world, "/op/members/export", { business_id, contact_id });
  expect(exported.body.data.records.member_note).toEqual([
    { note_id: second, contact_id, created_at: expect.any(String), told: "Likes coffee" },
  ]);
  await operatorWrite(world, "/op/members/merge", {
    business_id,
    from_contact_id,
    contact_id,
  });
  expect(await notesOf(business_id)).toEqual([
    { note_id: first, contact_id, told: "Likes tea" },
    { note_id: second, contact_id, told: "Likes coffee" },
    { note_id: third, contact_id: other, told: "Likes milk" },
  ]);
  await operatorWrite(world, "/op/members/erase", { business_id, contact_id });
  expect(await notesOf(business_id)).toEqual([{ note_id: third, contact_id: other, told: "Likes milk" }]);
  await operatorWrite(world, "/op/businesses/delete", { sandbox_business_id: business_id });
  expect(await notesOf(business_id)).toEqual([]);
});

it("are named in the description of the export, with a mark for their personal columns", () => {
  const { description, output } = exportMemberOperation;
  expect(description).toContain("member note");
  expect(personalFieldsOf(output)).toContain("told");
});

it("leave no personal text in the audit log and in events, though the operation declares none", async () => {
  const shop = await makeSandbox(world, "2026-01-10");
  const { businessId } = shop;
  await operatorWrite(world, "/op/businesses/update", { business_id: businessId, events_enabled: true });
  const contact_id = await shop.member();
  const note_id = await makeNote(businessId, contact_id, "Likes tea");
  const key = nextKey();
  const member = { first_name: "Quetzalli", phone_number: "+34699123987", new_password: "Quetzalli 2026" };
  const actor = { kind: "root", id: null, name: "root", note: null, address: "", requestId: key };
  const operation = {
    kind: "write",
    path: "/op/member-notes/delete",
    scope: "operator",
    event: "member.updated",
    emits: "member.updated",
    status: 200,
    message: "Note deleted.",
    input: Type.Object({}),
    output: Type.Object({}),
    async write({
      tx,
      audit,
      emit,
    }: {
      tx: Connection;
      audit: (change: AuditedChange) => void;
      emit: (event: EmittedEvent) => void;
    }) {
      const [before] = await tx<object[]>`
        DELETE FROM member_note WHERE business_id = ${businessId} AND note_id = ${note_id} RETURNING note_id, contact_id, told`;
      audit({ before: { ...before, of: [member] }, after: null });
      emit({ contact_ids: [contact_id], data: { note_id, ...before, of: member } });
      return {};
    },
  } as unknown as WriteOperation;
  const context = {
    input: {},
    caller: { businessId, actor } as unknown as Caller,
    sql: world.sql,
    services: {} as never,
    reject,
  };
  await performWrite({
    operation,
    context,
    idempotencyKey: { owner: { businessId: 0, integrationId: 0 }, key, fingerprint: "00".repeat(32) },
    keys: deriveKeys(testSecret),
    eventsRecorded: () => undefined,
  });
  const [entry] = await world.sql<
    { before: object }[]
  >`SELECT before FROM audit_entry WHERE request_id = ${key}`;
  expect(entry?.before).toEqual({ note_id, contact_id, of: [{}] });
  const [event] = await world.sql<{ data: object }[]>`
    SELECT data FROM event WHERE business_id = ${businessId} ORDER BY event_no DESC LIMIT 1`;
  expect(event?.data).toEqual({ contact_id, note_id, of: {}, entries: [] });
});
