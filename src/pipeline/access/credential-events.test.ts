/** Credential events on their way to the audit log: none lost that needn't be, and never in silence. */
import { type Logger, pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import type { NewAuditEntry } from "../../database/access/audit.ts";
import type { Credentials } from "../request.ts";
import { createCredentialEvents } from "./credential-events.ts";

const settings = { capacity: 1000, atOnce: 100, pauseMilliseconds: 1, finishMilliseconds: 1000 };
const request = { id: "a request", address: "192.0.2.1" } as Credentials;
const away = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
const clientId = (n: number) => `loy_${String(n).padStart(16, "0")}`;
const holder = { business_id: 1, integration_id: 2 };

let logged: { msg: string; events?: number }[];
let log: Logger;

function withResolvers() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

beforeEach(() => {
  logged = [];
  log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
});

const lostEvents = () =>
  logged.filter(({ msg }) => msg.includes("lost")).reduce((sum, { events = 0 }) => sum + events, 0);

describe("credential events", () => {
  it("are written in their order, and together when many come at once", async () => {
    const written: (readonly NewAuditEntry[])[] = [];
    const events = createCredentialEvents(async (entries) => void written.push(entries), log, settings);
    for (let n = 0; n < 250; n += 1) events.clientCredentialsRejected(request, clientId(n));
    await events.finish();
    expect(written.flat().map(({ after }) => after)).toEqual(
      Array.from({ length: 250 }, (_, n) => ({ client_id: clientId(n) })),
    );
    expect(written.length).toBeLessThanOrEqual(4);
    expect(logged).toEqual([]);
  });

  it("keep no text that is no client_id, because it may be a secret", async () => {
    const written: NewAuditEntry[] = [];
    const events = createCredentialEvents(async (entries) => void written.push(...entries), log, settings);
    for (const id of ["loysec_something", `${clientId(1)}x`, "\0"])
      events.clientCredentialsRejected(request, id);
    await events.finish();
    expect(written.map(({ after }) => after)).toEqual([{}, {}, {}]);
  });

  it("wait while the database is away", async () => {
    const written: NewAuditEntry[] = [];
    let failures = 3;
    const insert = async (entries: readonly NewAuditEntry[]) => {
      if (failures-- > 0) throw away;
      written.push(...entries);
    };
    const events = createCredentialEvents(insert, log, settings);
    for (let n = 0; n < 5; n += 1) events.tokenIssued(request, holder);
    await events.finish();
    expect(written).toHaveLength(5);
    expect(logged.map(({ msg }) => msg)).toEqual(Array(3).fill("the audit log can't be written"));
  });

  it("are counted in the log when there are more than can wait", async () => {
    const { promise: back, resolve: comeBack } = withResolvers();
    const written: NewAuditEntry[] = [];
    const insert = async (entries: readonly NewAuditEntry[]) => {
      await back;
      written.push(...entries);
    };
    const events = createCredentialEvents(insert, log, settings);
    for (let n = 0; n < 1200; n += 1) events.operatorKeyRejected(request);
    comeBack();
    await events.finish();
    expect(written).toHaveLength(1000);
    expect(lostEvents()).toBe(200);
  });

  it("that can't be written keep no other back", async () => {
    const written: NewAuditEntry[] = [];
    const insert = async (entries: readonly NewAuditEntry[]) => {
      if (entries.some(({ event }) => event === "operator_key.rejected")) throw new Error("no such text");
      written.push(...entries);
    };
    const events = createCredentialEvents(insert, log, settings);
    events.tokenIssued(request, holder);
    events.tokenIssued(request, holder);
    events.operatorKeyRejected(request);
    events.tokenIssued(request, holder);
    await events.finish();
    expect(written).toHaveLength(3);
    expect(lostEvents()).toBe(1);
  });

  it("hold up no stop for long when the database stays away", async () => {
    const insert = async () => {
      throw away;
    };
    const events = createCredentialEvents(insert, log, { ...settings, finishMilliseconds: 20 });
    events.tokenIssued(request, holder);
    await events.finish();
    expect(lostEvents()).toBe(1);
  });
});
