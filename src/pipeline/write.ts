/** One write that is not a posting: its key, its effect and its response in one transaction. */
import { isDeepStrictEqual } from "node:util";
import { fail, Refusal } from "../contract/errors.ts";
import type { AuditedChange, Caller, Services, WriteOperation } from "../contract/operation.ts";
import type { ServiceKeys } from "../credentials/keys.ts";
import { insertAuditEntries } from "../database/access/audit.ts";
import type { Database, Session } from "../database/connection.ts";
import { faultOf } from "../database/faults.ts";
import {
  claimKey,
  findKeptResponse,
  type KeyOwner,
  keepResponse,
} from "../database/ledger/idempotency-keys.ts";
import { mayUseLocation } from "../domain/access.ts";
import { decideKeyUse } from "../domain/idempotency.ts";
import { createKeyedMutex } from "../domain/keyed-mutex.ts";
import type { Outcome } from "./posting-group.ts";
import { successBody } from "./request.ts";

export interface WriteParts {
  readonly sql: Database;
  readonly services: Services;
  readonly keys: ServiceKeys;
}

export interface WriteCommand {
  readonly operation: WriteOperation;
  readonly caller: Caller;
  readonly keyOwner: KeyOwner;
  readonly key: string;
  readonly fingerprint: string;
  readonly input: Record<string, unknown>;
}

const tries = 5;

/** Writes under one key take one connection, and prepare once: those that come meanwhile find its response. */
const underKeys = createKeyedMutex();

/**
 * Performs a write, or replays the response kept under its key.
 * @returns the outcome, durable when it is a response
 * @throws when the transaction failed or its outcome is unknown
 */
export function performWrite(parts: WriteParts, command: WriteCommand): Promise<Outcome> {
  return underKeys.run(placeOf(command), () => performOne(parts, command));
}

async function performOne(parts: WriteParts, command: WriteCommand): Promise<Outcome> {
  const { sql, services } = parts;
  const { operation, input, caller } = command;
  let prepared: unknown;
  if (operation.prepare !== undefined && operation.needsPreparation?.(input) !== false) {
    // A replay must not wait for what only a first use needs.
    const known = await findReplay(parts, command);
    if (known !== undefined) return known;
    prepared = await operation.prepare({ input, caller, sql, services, fail });
    if (prepared instanceof Refusal) {
      // The same request may have been done meanwhile in another process, and be what stands in the way.
      return (await findReplay(parts, command)) ?? prepared;
    }
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(parts, command, prepared);
    } catch (error) {
      const fault = faultOf(error);
      // A unique violation is a record that another transaction made since ours looked: look again.
      if (attempt >= tries || (fault !== "retry" && fault !== "conflict")) throw error;
    }
  }
}

/**
 * The response kept under the command's key, if any. A replay acknowledges the write again: in a transaction that locks
 * the key, it waits for a synchronous standby, as the first response did.
 */
function findReplay({ sql, keys }: WriteParts, command: WriteCommand): Promise<Outcome | undefined> {
  const { keyOwner, key } = command;
  return sql.begin(async (tx) => replayOf(await findKeptResponse(tx, keyOwner, key), command, keys));
}

/** One transaction in three round trips: begin and look up the key; claim it and write; keep the response and commit. */
async function transact(parts: WriteParts, command: WriteCommand, prepared: unknown): Promise<Outcome> {
  const session = await parts.sql.reserve();
  try {
    const known = await lookUp(session, parts, command);
    if (known !== undefined) {
      await session.commit();
      return known;
    }
    const written = await write(session, parts, command, prepared);
    if (written instanceof Refusal) {
      await session.rollBack();
      return written;
    }
    const committed = session.commit();
    // When a save fails, so does the commit; the save says why.
    committed.catch(() => undefined);
    await written.saved;
    await committed;
    return { status: command.operation.status, body: written.body, replayed: false };
  } catch (error) {
    await session.rollBack();
    throw error;
  } finally {
    session.release();
  }
}

/** Begins, and reads only: should BEGIN fail, the statements sent with it run by themselves. */
async function lookUp(
  tx: Session,
  { sql, services, keys }: WriteParts,
  command: WriteCommand,
): Promise<Outcome | undefined> {
  const { operation, caller, keyOwner, key, input } = command;
  const [, place, kept] = await Promise.all([
    tx.begin(),
    operation.findLocation?.({ input, caller, sql, tx, services, fail }),
    findKeptResponse(tx, keyOwner, key),
  ]);
  if (place !== undefined && !mayUseLocation(caller.locations, place.location_id)) {
    return fail("sp_location_not_allowed", { location_id: place.location_id });
  }
  return replayOf(kept, command, keys);
}

/** Claims the key and writes at once. @returns the response, and the end of the statements that save it */
async function write(
  tx: Session,
  { sql, services, keys }: WriteParts,
  command: WriteCommand,
  prepared: unknown,
): Promise<{ readonly body: string; readonly saved: Promise<unknown> } | Refusal> {
  const { operation, caller, keyOwner, key, fingerprint, input } = command;
  const changes: AuditedChange[] = [];
  const isOperators = operation.scope === "operator";
  const audit = (change: AuditedChange) => void (isOperators && changes.push(change));
  const [isOurs, result] = await Promise.all([
    claimKey(tx, keyOwner, key, fingerprint),
    operation.write({ input, caller, sql, tx, services, prepared, audit, fail }),
  ]);
  // Another process has used the key since it was looked up: its response is there now.
  if (!isOurs) throw Object.assign(new Error("the key was used meanwhile"), { code: "40001" });
  if (result instanceof Refusal) return result;
  if (changes.length === 0 && isOperators) {
    throw new Error(`${operation.path} left no trace in the audit log`);
  }
  // The audit log leaves out writes that left a record as it was, and dry runs.
  const changed = changes.filter(({ before, after }) => !isDeepStrictEqual(before, after));
  const audited = changed.map(({ businessId, before, after }) => {
    const business_id = businessId ?? (caller.businessId === 0 ? null : caller.businessId);
    return { business_id, actor: caller.actor, event: operation.path, before, after };
  });
  const body = successBody(operation.message, result);
  const kept = operation.confidential === true ? keys.seal(body, placeOf(command)) : body;
  const saved = Promise.all([
    audited.length > 0 && insertAuditEntries(tx, audited),
    keepResponse(tx, keyOwner, key, operation.status, kept),
  ]);
  saved.catch(() => undefined);
  return { body, saved };
}

function replayOf(
  kept: Awaited<ReturnType<typeof findKeptResponse>>,
  command: WriteCommand,
  keys: ServiceKeys,
): Outcome | undefined {
  const use = decideKeyUse(kept, command.fingerprint);
  if (use === "reused_with_different_payload") return fail("idempotency_key_reused_with_different_payload");
  if (kept === undefined) return undefined;
  const confidential = command.operation.confidential === true;
  const body = confidential ? keys.unseal(kept.body, placeOf(command)) : kept.body;
  return { status: kept.status, body, replayed: true };
}

/** Where a kept response belongs: moved to another key, a sealed one can't be read. */
function placeOf({ keyOwner, key }: WriteCommand): string {
  return JSON.stringify([keyOwner.businessId, keyOwner.integrationId, key]);
}
