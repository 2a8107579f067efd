/** Performs a write that is not a posting. Its key, its effect and its response are in one transaction. */
import { isDeepStrictEqual } from "node:util";
import { Rejection } from "../contract/errors.ts";
import type { AuditedChange, Context, EmittedEvent, WriteOperation } from "../contract/operation.ts";
import { afterErasure, hasPersonalData } from "../contract/personal.ts";
import type { ServiceKeys } from "../credentials/keys.ts";
import { insertAuditEntries } from "../database/access/audit.ts";
import type { Session } from "../database/connection.ts";
import { insertEvents } from "../database/events.ts";
import { faultOf, takenBy } from "../database/faults.ts";
import {
  claimKey,
  findStoredResponse,
  type PersonalResponse,
  storeResponse,
} from "../database/ledger/idempotency-keys.ts";
import { withoutPersonalData } from "../database/personal.ts";
import { checkLocation } from "../domain/access/access.ts";
import { rejectWhileMoving } from "../domain/moving.ts";
import { eventsToRecord } from "./postings/group-events.ts";
import { type IdempotencyKey, type Outcome, replayOf, successBody } from "./postings/outcome.ts";

export interface WriteCommand {
  readonly operation: WriteOperation;
  readonly context: Context;
  readonly idempotencyKey: IdempotencyKey;
  /** Encrypt the stored responses of confidential operations. */
  readonly keys: ServiceKeys;
  /** Called after the commit of events. */
  readonly eventsRecorded: (businessId: number) => void;
}

const maximumAttempts = 5;
/** Of a write of many records, which can meet another record in each attempt. */
const maximumConflicts = 100;

/** The latest write under each key. Writes under one key wait for each other here, so they use only one connection. */
const latest = new Map<string, Promise<unknown>>();

/**
 * Performs a write, or replays the response stored under its key.
 * @returns the outcome; a response is committed
 * @throws when the transaction failed or its outcome is unknown
 */
export async function performWrite(command: WriteCommand): Promise<Outcome> {
  const key = keyTextOf(command.idempotencyKey);
  const perform = () => performOne(command);
  const mine = latest.get(key)?.then(perform, perform) ?? perform();
  latest.set(key, mine);
  try {
    return await mine;
  } finally {
    if (latest.get(key) === mine) latest.delete(key);
  }
}

async function performOne(command: WriteCommand): Promise<Outcome> {
  const { operation, context } = command;
  let prepared: unknown;
  if (operation.prepare !== undefined && operation.needsPreparation?.(context.input) !== false) {
    // A replay needs no preparation, which may take long.
    const known = await findReplay(command);
    if (known !== undefined) return known;
    prepared = await operation.prepare(context);
    // Another process may have performed the same request meanwhile, which can be the cause of this rejection.
    if (prepared instanceof Rejection) return (await findReplay(command)) ?? prepared;
  }
  let conflict: string | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await command.context.sql.use((tx) => transact(tx, command, prepared));
    } catch (error) {
      const fault = faultOf(error);
      // After a unique violation, the next attempt finds the record that another transaction has made.
      const isAnother = fault === "conflict" && takenBy(error) !== conflict;
      const most = isAnother ? maximumConflicts : maximumAttempts;
      if (attempt >= most || (fault !== "retry" && fault !== "conflict")) throw error;
      conflict = takenBy(error);
    }
  }
}

/**
 * Finds the response stored under the command's key. The transaction locks the key, so its commit waits for a synchronous
 * standby, as the commit of the first response did.
 */
function findReplay(command: WriteCommand): Promise<Outcome | undefined> {
  const { owner, key } = command.idempotencyKey;
  return command.context.sql.begin(async (tx) => unsealed(await findStoredResponse(tx, owner, key), command));
}

/** Makes three round trips: begin and look up the key; claim it and write; store the response and commit. */
async function transact(tx: Session, command: WriteCommand, prepared: unknown): Promise<Outcome> {
  const { operation, context, idempotencyKey, keys } = command;
  // A dry run changes nothing, so its response need not be stored.
  const isStored = !isDryRun(command);
  try {
    // If BEGIN fails, the statements behind it run without a transaction. So only reads are sent with it.
    const [, location, stored] = await Promise.all([
      tx.begin(),
      operation.findLocation?.({ ...context, tx }),
      findStoredResponse(tx, idempotencyKey.owner, idempotencyKey.key),
    ]);
    const elsewhere = location && checkLocation(context.caller.locations, location.location_id);
    const known = elsewhere ?? unsealed(stored, command);
    if (known !== undefined) {
      await tx.commit();
      return known;
    }
    const changes: AuditedChange[] = [];
    const emitted: EmittedEvent[] = [];
    const { businessId } = context.caller;
    const [claimed, result] = await Promise.all([
      isStored ? claimKey(tx, idempotencyKey.owner, { ...idempotencyKey, businessId }) : noEvents,
      operation.write({
        ...context,
        tx,
        prepared,
        audit: (change) => void changes.push(change),
        emit: (event) => void emitted.push(event),
      }),
    ]);
    // Another process has used the key since it was looked up. The next attempt finds its response.
    if (claimed === undefined)
      throw Object.assign(new Error("the key was used meanwhile"), { code: "40001" });
    const rejected = rejectWhileMoving(claimed.move_state, true, Math.random()) ?? result;
    if (rejected instanceof Rejection) {
      await tx.rollBack();
      return rejected;
    }
    const body = successBody(isStored ? operation.message : "Dry run: nothing was changed.", result);
    const seal = (text: string) =>
      operation.confidential === true ? keys.seal(text, keyTextOf(idempotencyKey)) : text;
    const personal = personalPart(operation, result, seal);
    const response = { status: operation.status, body: seal(body), personal };
    const events = isStored
      ? eventsToRecord(tx, operation, { businessId, emitted, isEnabled: claimed.events_enabled === true })
      : [];
    const saved = Promise.all([
      insertAudited(tx, command, changes),
      isStored && storeResponse(tx, idempotencyKey.owner, idempotencyKey.key, response),
      events.length > 0 && insertEvents(tx, events),
    ]);
    const committed = tx.commit();
    // If a save fails, the commit fails, too, and is not awaited. An unhandled rejection would end the process.
    committed.catch(() => undefined);
    await saved;
    await committed;
    if (events.length > 0) command.eventsRecorded(businessId);
    return { status: operation.status, body, replayed: false };
  } catch (error) {
    await tx.rollBack();
    throw error;
  }
}

/** The member whose personal data a response has, and the response as an erasure leaves it; undefined without such data. */
function personalPart(
  { output, message }: WriteOperation,
  data: unknown,
  seal: (body: string) => string,
): PersonalResponse | undefined {
  if (!hasPersonalData(output)) return undefined;
  const { contact_id } = data as { contact_id: number };
  return { contact_id, erased_response: seal(successBody(message, afterErasure(output, data))) };
}

const isDryRun = ({ context }: WriteCommand) => (context.input as { dry_run?: boolean }).dry_run === true;

const noEvents = { events_enabled: false, move_state: null };

/**
 * Inserts audit entries for the records that a write with an event changed. A dry run changes none.
 * @throws when the write did not call `audit`. Nothing is sent then, so nothing is committed.
 */
function insertAudited(
  tx: Session,
  { operation, context: { caller } }: WriteCommand,
  changes: readonly AuditedChange[],
): Promise<unknown> | undefined {
  const { scope, event } = operation;
  if (changes.length === 0 && (scope === "operator" || event !== undefined)) {
    throw new Error(`${operation.path} left no trace in the audit log`);
  }
  if (event === undefined) return undefined;
  const entries = withoutPersonalData(changes)
    .filter(({ before, after }) => !isDeepStrictEqual(before, after))
    .map(({ businessId, before, after }) => {
      const business_id = businessId ?? (caller.businessId === 0 ? null : caller.businessId);
      return { business_id, actor: caller.actor, event, ...changedParts(before, after) };
    });
  return entries.length === 0 ? undefined : insertAuditEntries(tx, entries);
}

/** The fields of a changed record that tell what changed, and the ids that tell which record it is. */
function changedParts(before: object | null, after: object | null) {
  if (before === null || after === null) return { before, after };
  const [old, current] = [before, after] as Readonly<Record<string, unknown>>[];
  const isChanged = (name: string) => !isDeepStrictEqual(old?.[name], current?.[name]);
  const isTold = (name: string) => name.endsWith("_id") || [name, ...periodWith(name)].some(isChanged);
  const partOf = (record: object) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => isTold(name)));
  return { before: partOf(before), after: partOf(after) };
}

/** A period is a number and its unit, which say nothing without each other. */
const periodWith = (name: string) => [
  `${name}_period`,
  `${name}_type`,
  name.replace(/_(?:period|type)$/, ""),
];

function unsealed(
  stored: Awaited<ReturnType<typeof findStoredResponse>>,
  { operation, idempotencyKey, keys }: WriteCommand,
): Outcome | undefined {
  const known = replayOf(stored, idempotencyKey);
  if (known === undefined || known instanceof Rejection || operation.confidential !== true) return known;
  return { ...known, body: keys.unseal(known.body, keyTextOf(idempotencyKey)) };
}

/** Identifies a key. An encrypted response can be decrypted only with the key under which it was stored. */
function keyTextOf({ owner, key }: IdempotencyKey): string {
  return JSON.stringify([owner.businessId, owner.integrationId, key]);
}
