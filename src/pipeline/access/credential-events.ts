import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { SessionChange } from "../../contract/operation.ts";
import { type NewAuditEntry, ownActor } from "../../database/access/audit.ts";
import { describeFault, isTransient } from "../../database/faults.ts";
import { isClientId } from "../../domain/access/access.ts";
import type { ServiceEvent } from "../../domain/audit-events.ts";
import type { Credentials } from "../request.ts";

/** The integration for which an access token was issued. */
export interface TokenHolder {
  readonly business_id: number;
  readonly integration_id: number;
}

/** Who sent wrong credentials. The entry is the service's own. */
const unknown = { kind: "service", id: null, name: "unknown" } as const;

const usualSettings = {
  /** The most events that wait for the database, about 5 MB. Further ones are dropped, and the log says how many. */
  capacity: 10_000,
  atOnce: 500,
  pauseMilliseconds: 500,
  /** How long `finish` waits for a database that does not respond. */
  finishMilliseconds: 2000,
};

/**
 * Writes each use of credentials to the audit log, accepted or rejected. The caller does not wait. Events that arrive during a
 * statement are written by the next one, so many tokens at once need few statements.
 */
export function createCredentialEvents(
  insert: (entries: readonly NewAuditEntry[]) => Promise<void>,
  log: Logger,
  { capacity, atOnce, pauseMilliseconds, finishMilliseconds } = usualSettings,
) {
  const waiting: NewAuditEntry[] = [];
  let lost = 0;
  let finishBefore = Number.POSITIVE_INFINITY;
  let writing: Promise<void> | undefined;

  const logLost = () => {
    if (lost > 0) log.error({ events: lost }, "credential events are lost to the audit log");
    lost = 0;
  };
  const writeAll = async () => {
    let size = atOnce;
    while (waiting.length > 0) {
      const entries = waiting.slice(0, size);
      try {
        await insert(entries);
        waiting.splice(0, entries.length);
        logLost();
      } catch (error) {
        if (!isTransient(error)) {
          // One event can't be written. The events are written one by one, so that the others are not lost.
          if (size === 1) lost += waiting.splice(0, 1).length;
          size = size === 1 ? atOnce : 1;
          continue;
        }
        log.warn({ fault: describeFault(error), events: waiting.length }, "the audit log can't be written");
        if (performance.now() + pauseMilliseconds > finishBefore) return;
        await sleep(pauseMilliseconds);
      }
    }
  };
  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const add = (
    { id, address }: Credentials,
    by: Pick<NewAuditEntry["actor"], "kind" | "id" | "name">,
    entry: { event: ServiceEvent; after: object; business_id?: number },
  ) => {
    const actor = { ...by, note: null, address, requestId: id };
    const recorded_at = new Date().toISOString();
    if (waiting.length >= capacity) lost += 1;
    else waiting.push({ business_id: null, before: null, recorded_at, actor, ...entry });
    void write();
  };
  return {
    operatorKeyRejected(credentials: Credentials) {
      add(credentials, unknown, { event: "operator_key.rejected", after: {} });
    },
    clientCredentialsRejected(credentials: Credentials, clientId: string) {
      // Another text may be a secret in the wrong field.
      const after = isClientId(clientId) ? { client_id: clientId } : {};
      add(credentials, unknown, { event: "client_credentials.rejected", after });
    },
    tokenIssued(credentials: Credentials, { business_id, integration_id }: TokenHolder) {
      const after = { integration_id };
      const by = { kind: "integration", id: integration_id, name: `integration ${integration_id}` } as const;
      add(credentials, by, { event: "token.issued", after, business_id });
    },
    /** @param name of an account that exists */
    signInRejected(credentials: Credentials, name: string | undefined) {
      const after = name === undefined ? {} : { name };
      add(credentials, unknown, { event: "operator_session.rejected", after });
    },
    sessionChanged(
      credentials: Credentials,
      { event, operator }: Pick<SessionChange<unknown>, "event" | "operator">,
    ) {
      const { operator_id, name } = operator;
      add(credentials, { kind: "account", id: operator_id, name }, { event, after: { operator_id } });
    },
    /** Resolves when the events that wait are written, or after a while if the database does not accept them. */
    async finish() {
      finishBefore = performance.now() + finishMilliseconds;
      await Promise.race([write(), sleep(finishMilliseconds, undefined, { ref: false })]);
      lost += waiting.splice(0).length;
      logLost();
    },
  };
}

/** The entry about a new operator key. The process that first used it adds the entry. */
export const rootKeyReplaced = (): NewAuditEntry => ({
  business_id: null,
  actor: ownActor("service", randomUUID()),
  event: "operator_key.replaced",
  before: null,
  after: {},
});

export type CredentialEvents = ReturnType<typeof createCredentialEvents>;
