/** One write that is not a posting: its key, its effect and its answer in one transaction. */
import { type ErrorCode, fail, Refusal } from "../contract/errors.ts";
import type { AuditedChange, Caller, WriteOperation } from "../contract/operation.ts";
import type { Services } from "../contract/services.ts";
import type { ServiceKeys } from "../credentials/keys.ts";
import { insertAuditEntry } from "../database/access/audit.ts";
import type { Connection, Database } from "../database/connection.ts";
import { faultOf } from "../database/faults.ts";
import { claimKey, findKeptAnswer, type KeyOwner, keepAnswer } from "../database/ledger/idempotency-keys.ts";
import { mayUseLocation } from "../domain/access.ts";
import { decideKeyUse } from "../domain/idempotency.ts";
import { createKeyedMutex } from "../domain/keyed-mutex.ts";
import { successBody } from "./envelope.ts";
import type { WriteOutcome } from "./posting-group.ts";

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

/** Thrown to roll a transaction back for a refusal, which is a value everywhere else. */
class RolledBack extends Error {
  readonly refusal: Refusal<ErrorCode>;
  constructor(refusal: Refusal<ErrorCode>) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

const tries = 5;

/**
 * Performs a write, or replays the answer kept under its key.
 * @returns the outcome, durable when it is an answer
 * @throws when the transaction failed or its outcome is unknown
 */
export function performWrite(parts: WriteParts, command: WriteCommand): Promise<WriteOutcome> {
  return underKeys.run(placeOf(command), () => performOne(parts, command));
}

/** Writes under one key take one connection, and prepare once: those that come meanwhile find its response. */
const underKeys = createKeyedMutex();

async function performOne(parts: WriteParts, command: WriteCommand): Promise<WriteOutcome> {
  const { sql, services } = parts;
  const { operation, input } = command;
  // A replay must not pay for, nor wait behind, what only a first use needs prepared.
  if (operation.prepare !== undefined) {
    const known = await findReplay(parts, command);
    if (known !== undefined) return known;
  }
  const preparation = await operation.prepare?.({ input, caller: command.caller, sql, services, fail });
  if (preparation instanceof Refusal) {
    // What stands in the way may be what this very request has done meanwhile, in another process: that came with its key.
    return (await findReplay(parts, command)) ?? preparation;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await sql.begin((tx) => writeIn(tx, parts, command, preparation));
    } catch (error) {
      if (error instanceof RolledBack) return error.refusal;
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
async function findReplay(
  { sql, keys }: WriteParts,
  command: WriteCommand,
): Promise<WriteOutcome | undefined> {
  const { keyOwner, key } = command;
  if ((await findKeptAnswer(sql, keyOwner, key)) === undefined) return undefined;
  return sql.begin(async (tx) => replayOf(await findKeptAnswer(tx, keyOwner, key), command, keys));
}

async function writeIn(
  tx: Connection,
  { sql, services, keys }: WriteParts,
  command: WriteCommand,
  prepared: unknown,
): Promise<WriteOutcome> {
  const { operation, caller, keyOwner, key, fingerprint, input } = command;
  const place = await operation.findLocation?.({ input, caller, sql, tx, services, fail });
  if (place !== undefined && !mayUseLocation(caller.locations, place.location_id)) {
    throw new RolledBack(fail("sp_location_not_allowed", { location_id: place.location_id }));
  }
  if (!(await claimKey(tx, keyOwner, key, fingerprint))) {
    const known = replayOf(await findKeptAnswer(tx, keyOwner, key), command, keys);
    // Swept between the two statements: another try claims it.
    if (known === undefined) throw Object.assign(new Error("the key was swept"), { code: "40001" });
    return known;
  }
  const changes: AuditedChange[] = [];
  const audit = (change: AuditedChange) => void changes.push(change);
  const result = await operation.write({ input, caller, sql, tx, services, prepared, audit, fail });
  if (result instanceof Refusal) throw new RolledBack(result);
  if (changes.length === 0 && operation.scope === "operator") {
    throw new Error(`${operation.path} left no trace in the audit log`);
  }
  for (const change of changes) {
    await insertAuditEntry(tx, {
      business_id: change.businessId ?? (caller.businessId === 0 ? null : caller.businessId),
      actor: caller.actor,
      event: operation.path,
      before: change.before,
      after: change.after,
    });
  }
  const body = successBody(operation.message, result);
  const kept = operation.confidential === true ? keys.seal(body, placeOf(command)) : body;
  await keepAnswer(tx, keyOwner, key, operation.status, kept);
  return { status: operation.status, body, replayed: false };
}

function replayOf(
  kept: Awaited<ReturnType<typeof findKeptAnswer>>,
  command: WriteCommand,
  keys: ServiceKeys,
): WriteOutcome | undefined {
  const use = decideKeyUse(kept, command.fingerprint);
  if (use === "reused_with_different_payload") return fail("idempotency_key_reused_with_different_payload");
  if (kept === undefined) return undefined;
  const confidential = command.operation.confidential === true;
  const body = confidential ? keys.unseal(kept.body, placeOf(command)) : kept.body;
  return { status: kept.status, body, replayed: true };
}

/** Where a kept answer belongs: moved to another key, a sealed one can't be read. */
function placeOf({ keyOwner, key }: WriteCommand): string {
  return JSON.stringify([keyOwner.businessId, keyOwner.integrationId, key]);
}
