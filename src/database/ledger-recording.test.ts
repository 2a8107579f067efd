import { expect, it } from "vitest";
import { useWorld } from "../../test/support/world.ts";
import { readLedger } from "./ledger-reads.ts";
import { type EntryRow, type Recording, recordBatch, recordBatches } from "./ledger-recording.ts";

const world = useWorld();

const texts = ['{"a":"b,c"}', "NULL", "{}", "''", "\\", " ", "ü€😀", "null"];

/** A recording of as many entries as there are contacts, that goes on from the ledger as it stands. */
async function recordingFor(contactIds: readonly number[]) {
  const { head } = await readLedger(world.sql, {
    businessId: world.home.businessId,
    contactIds: [],
    accounts: [],
    neighbours: false,
  });
  if (head === undefined) throw new Error("there is no such ledger");
  const entries = contactIds.map((contact_id, index): EntryRow => {
    const text = texts[index % texts.length] as string;
    return {
      entry_no: head.last_entry_no + index + 1,
      contact_id,
      account: "wallet",
      event_type: "wallet_adjustment",
      amount: index + 1,
      balance_after: index + 1,
      location_id: index % 2 === 0 ? null : (world.home.locationIds[0] as number),
      integration_id: world.home.everywhere.integrationId,
      reference_id: text,
      reason: index % 3 === 0 ? null : text,
    };
  });
  const recording: Recording = {
    head,
    version: head.version + 1,
    entries,
    balances: entries.map(({ contact_id, account, balance_after }) => ({
      contact_id,
      account,
      balance: balance_after,
    })),
    keys: entries.map((entry, index) => ({
      integration_id: world.home.everywhere.integrationId,
      idempotency_key: `${entry.entry_no} ${texts[index % texts.length]}`,
      fingerprint: "0f".repeat(32),
      status: 200,
      body: texts[index % texts.length] as string,
    })),
  };
  return { businessId: world.home.businessId, recording };
}

/** What there is of a recording, in its own terms. */
async function recorded({ entries, keys }: Recording) {
  const contactIds = entries.map((entry) => entry.contact_id);
  const found = await world.sql<EntryRow[]>`
    SELECT entry_no, contact_id, account, event_type, amount, balance_after, location_id, integration_id, reference_id,
      reason
    FROM ledger_entry WHERE contact_id = ANY (${contactIds}) ORDER BY entry_no`;
  const balances = await world.sql`
    SELECT contact_id, account, balance FROM account
    WHERE contact_id = ANY (${contactIds}) AND account = 'wallet' AND balance <> 0
    ORDER BY array_position(${contactIds}, contact_id)`;
  const kept = await world.sql`
    SELECT integration_id, idempotency_key, encode(fingerprint, 'hex') AS fingerprint, status, answer AS body
    FROM idempotency_key WHERE idempotency_key = ANY (${keys.map((key) => key.idempotency_key)})
    ORDER BY array_position(${keys.map((key) => key.idempotency_key)}, idempotency_key)`;
  return { entries: [...found], balances: [...balances], keys: [...kept] };
}

const members = (count: number) => Promise.all(Array.from({ length: count }, () => world.member()));

const nothing = { entries: [], balances: [], keys: [] };

it("records many entries as they are", async () => {
  const { businessId, recording } = await recordingFor(await members(texts.length * 3));
  expect(await recordBatch(world.sql, businessId, recording)).toBeTypeOf("number");
  const { entries, balances, keys } = recording;
  expect(await recorded(recording)).toEqual({ entries, balances, keys });
});

it("records one entry as it is, whatever its texts", async () => {
  const contactIds = await members(texts.length * 3);
  for (const index of contactIds.keys()) {
    const all = await recordingFor(contactIds);
    const entry_no = all.recording.head.last_entry_no + 1;
    const entries = all.recording.entries.slice(index, index + 1).map((entry) => ({ ...entry, entry_no }));
    const balances = all.recording.balances.slice(index, index + 1);
    const keys = all.recording.keys.slice(index, index + 1);
    const recording = { ...all.recording, entries, balances, keys };
    expect(await recordBatch(world.sql, all.businessId, recording)).toBeTypeOf("number");
    expect(await recorded(recording)).toEqual({ entries, balances, keys });
  }
});

it("records one beside many in one transaction", async () => {
  const contactIds = await members(3);
  const several = await recordingFor(contactIds.slice(1));
  const { head, version } = several.recording;
  const one = await recordingFor(contactIds.slice(0, 1));
  const after = { last_entry_no: head.last_entry_no + 2, version };
  const then: Recording = {
    ...one.recording,
    head: after,
    version: version + 1,
    entries: one.recording.entries.map((entry) => ({ ...entry, entry_no: after.last_entry_no + 1 })),
    keys: one.recording.keys.map((key) => ({ ...key, idempotency_key: "the one after" })),
  };
  const results = await recordBatches(world.sql, [several, { businessId: one.businessId, recording: then }]);
  expect(results.map((through) => typeof through)).toEqual(["number", "number"]);
  for (const recording of [several.recording, then]) {
    const { entries, balances, keys } = recording;
    expect(await recorded(recording)).toEqual({ entries, balances, keys });
  }
});

it("records nothing of one entry with two keys", async () => {
  const { businessId, recording } = await recordingFor(await members(1));
  const [key] = recording.keys;
  const keys = [key, { ...key, idempotency_key: "another" }] as Recording["keys"];
  const odd = { ...recording, keys };
  await expect(recordBatch(world.sql, businessId, odd)).rejects.toThrow();
  expect(await recorded(odd)).toEqual(nothing);
});

it.each([1, 2])("records nothing of %i for whom there is no account", async (count) => {
  const nobody = Array.from({ length: count }, (_, index) => 900_000_000 + index);
  const { businessId, recording } = await recordingFor(nobody);
  await expect(recordBatch(world.sql, businessId, recording)).rejects.toMatchObject({ code: "22012" });
  expect(await recorded(recording)).toEqual(nothing);
});

it.each([1, 2])("records nothing of %i once the ledger is another one, or is locked", async (count) => {
  const contactIds = await members(count);
  const { businessId, recording } = await recordingFor(contactIds);
  const stale = { ...recording, head: { ...recording.head, version: recording.head.version - 1 } };
  expect(await recordBatch(world.sql, businessId, stale)).toBeUndefined();
  await world.sql.begin(async (tx) => {
    await tx`SELECT FROM ledger WHERE business_id = ${businessId} FOR UPDATE`;
    expect(await recordBatch(world.sql, businessId, recording)).toBeUndefined();
  });
  expect(await recorded(recording)).toEqual(nothing);
});
