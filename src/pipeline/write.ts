/** One write that is not a posting: its key, its effect and its response in one transaction. */
import { isDeepStrictEqual } from "node:util";
import { fail, Refusal } from "../contract/errors.ts";
import type { AuditedChange, Context, WriteOperation } from "../contract/operation.ts";
import type { ServiceKeys } from "../credentials/keys.ts";
import { insertAuditEntries } from "../database/access/audit.ts";
import type { Session } from "../database/connection.ts";
import { faultOf } from "../database/faults.ts";
import { claimKey, findKeptResponse, keepResponse } from "../database/ledger/idempotency-keys.ts";
import { mayUseLocation } from "../domain/access.ts";
import { type CommandKey, type Outcome, replayOf, successBody } from "./request.ts";

export interface WriteCommand {
  readonly operation: WriteOperation;
  readonly context: Context;
  readonly use: CommandKey;
  /** Seal confidential responses. */
  readonly keys: ServiceKeys;
}

const tries = 5;

/** The latest write under each key. A write waits for it, so that they take one connection and prepare once. */
const latest = new Map<string, Promise<unknown>>();

/**
 * Performs a write, or replays the response kept under its key.
 * @returns the outcome, durable when it is a response
 * @throws when the transaction failed or its outcome is unknown
 */
export async function performWrite(command: WriteCommand): Promise<Outcome> {
  const place = placeOf(command.use);
  const perform = () => performOne(command);
  const mine = latest.get(place)?.then(perform, perform) ?? perform();
  latest.set(place, mine);
  try {
    return await mine;
  } finally {
    if (latest.get(place) === mine) latest.delete(place);
  }
}

async function performOne(command: WriteCommand): Promise<Outcome> {
  const { operation, context } = command;
  let prepared: unknown;
  if (operation.prepare !== undefined && operation.needsPreparation?.(context.input) !== false) {
    // A replay must not wait for what only a first use needs.
    const known = await findReplay(command);
    if (known !== undefined) return known;
    prepared = await operation.prepare(context);
    // The same request may have been done meanwhile in another process, and be what stands in the way.
    if (prepared instanceof Refusal) return (await findReplay(command)) ?? prepared;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(command, prepared);
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
function findReplay(command: WriteCommand): Promise<Outcome | undefined> {
  const { owner, key } = command.use;
  return command.context.sql.begin(async (tx) => unsealed(await findKeptResponse(tx, owner, key), command));
}

/** One transaction in three round trips: begin and look up the key; claim it and write; keep the response and commit. */
async function transact(command: WriteCommand, prepared: unknown): Promise<Outcome> {
  const session = await command.context.sql.reserve();
  try {
    const known = await lookUp(session, command);
    if (known !== undefined) {
      await session.commit();
      return known;
    }
    const written = await write(session, command, prepared);
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
async function lookUp(tx: Session, command: WriteCommand): Promise<Outcome | undefined> {
  const { operation, context, use } = command;
  const [, place, kept] = await Promise.all([
    tx.begin(),
    operation.findLocation?.({ ...context, tx }),
    findKeptResponse(tx, use.owner, use.key),
  ]);
  if (place !== undefined && !mayUseLocation(context.caller.locations, place.location_id)) {
    return fail("sp_location_not_allowed", { location_id: place.location_id });
  }
  return unsealed(kept, command);
}

/** Claims the key and writes at once. @returns the response, and the end of the statements that save it */
async function write(
  tx: Session,
  { operation, context, use, keys }: WriteCommand,
  prepared: unknown,
): Promise<{ readonly body: string; readonly saved: Promise<unknown> } | Refusal> {
  const { caller } = context;
  const changes: AuditedChange[] = [];
  const isOperators = operation.scope === "operator";
  const audit = (change: AuditedChange) => void (isOperators && changes.push(change));
  const [isOurs, result] = await Promise.all([
    claimKey(tx, use.owner, use.key, use.fingerprint),
    operation.write({ ...context, tx, prepared, audit }),
  ]);
  // Another process has used the key since it was looked up: its response is there now.
  if (!isOurs) throw Object.assign(new Error("the key was used meanwhile"), { code: "40001" });
  if (result instanceof Refusal) return result;
  if (changes.length === 0 && isOperators)
    throw new Error(`${operation.path} left no trace in the audit log`);
  // The audit log leaves out writes that left a record as it was, and dry runs.
  const changed = changes.filter(({ before, after }) => !isDeepStrictEqual(before, after));
  const audited = changed.map(({ businessId, before, after }) => {
    const business_id = businessId ?? (caller.businessId === 0 ? null : caller.businessId);
    return { business_id, actor: caller.actor, event: operation.path, before, after };
  });
  const body = successBody(operation.message, result);
  const kept = operation.confidential === true ? keys.seal(body, placeOf(use)) : body;
  const saved = Promise.all([
    audited.length > 0 && insertAuditEntries(tx, audited),
    keepResponse(tx, use.owner, use.key, operation.status, kept),
  ]);
  saved.catch(() => undefined);
  return { body, saved };
}

function unsealed(
  kept: Awaited<ReturnType<typeof findKeptResponse>>,
  { operation, use, keys }: WriteCommand,
): Outcome | undefined {
  const known = replayOf(kept, use);
  if (known === undefined || known instanceof Refusal || operation.confidential !== true) return known;
  return { ...known, body: keys.unseal(known.body, placeOf(use)) };
}

/** Where a kept response belongs: moved to another key, a sealed one can't be read. */
function placeOf({ owner, key }: CommandKey): string {
  return JSON.stringify([owner.businessId, owner.integrationId, key]);
}
