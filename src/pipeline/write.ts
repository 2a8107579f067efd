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
  const { operation, context, use, keys } = command;
  const tx = await context.sql.reserve();
  try {
    // Only reads go with BEGIN: should it fail, the statements sent with it run by themselves.
    const [, place, kept] = await Promise.all([
      tx.begin(),
      operation.findLocation?.({ ...context, tx }),
      findKeptResponse(tx, use.owner, use.key),
    ]);
    const isElsewhere = place !== undefined && !mayUseLocation(context.caller.locations, place.location_id);
    const known = isElsewhere
      ? fail("sp_location_not_allowed", { location_id: place.location_id })
      : unsealed(kept, command);
    if (known !== undefined) {
      await tx.commit();
      return known;
    }
    const changes: AuditedChange[] = [];
    const [isOurs, result] = await Promise.all([
      claimKey(tx, use.owner, use.key, use.fingerprint),
      operation.write({ ...context, tx, prepared, audit: (change) => void changes.push(change) }),
    ]);
    // Another process has used the key since it was looked up: its response is there now.
    if (!isOurs) throw Object.assign(new Error("the key was used meanwhile"), { code: "40001" });
    if (result instanceof Refusal) {
      await tx.rollBack();
      return result;
    }
    const body = successBody(operation.message, result);
    const sealed = operation.confidential === true ? keys.seal(body, placeOf(use)) : body;
    const saved = Promise.all([
      insertAudited(tx, command, changes),
      keepResponse(tx, use.owner, use.key, operation.status, sealed),
    ]);
    const committed = tx.commit();
    // When a save fails, so does the commit; the save says why.
    committed.catch(() => undefined);
    await saved;
    await committed;
    return { status: operation.status, body, replayed: false };
  } catch (error) {
    await tx.rollBack();
    throw error;
  } finally {
    tx.release();
  }
}

/**
 * Records what an operator's write changed, without records that it left as they were, and dry runs.
 * @throws before anything is sent, so that nothing is committed, when the write named no change
 */
function insertAudited(
  tx: Session,
  { operation, context: { caller } }: WriteCommand,
  changes: readonly AuditedChange[],
): Promise<unknown> | undefined {
  if (operation.scope !== "operator") return undefined;
  if (changes.length === 0) throw new Error(`${operation.path} left no trace in the audit log`);
  const entries = changes
    .filter(({ before, after }) => !isDeepStrictEqual(before, after))
    .map(({ businessId, before, after }) => {
      const business_id = businessId ?? (caller.businessId === 0 ? null : caller.businessId);
      return { business_id, actor: caller.actor, event: operation.path, before, after };
    });
  return entries.length === 0 ? undefined : insertAuditEntries(tx, entries);
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
