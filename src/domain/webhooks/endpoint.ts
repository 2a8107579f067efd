/** How the status of an endpoint changes. */
import type { Outcome } from "./message.ts";
import { probePause } from "./schedule.ts";

export type EndpointStatus = "enabled" | "failing" | "disabled";
/**
 * Why the service disables an endpoint. `no_success`: it has failed for five days. `gone`: it responded with 410. `copied`: its business
 * is a copy, and the original may still send.
 */
export const ownReasons = ["no_success", "gone", "secret_unreadable", "copied"] as const;
export type DisabledReason = "requested" | (typeof ownReasons)[number];

/** After so many failures in a row, the endpoint is failing. An ordered endpoint stops at the first. */
export const failuresToFailing = 5;
const disabledAfterSeconds = 5 * 24 * 3600;

export interface EndpointState {
  readonly status: EndpointStatus;
  readonly disabledReason: DisabledReason | null;
  /** Of an enabled endpoint: how many failures in a row count. Of a failing one: how many probes have failed. */
  readonly failures: number;
  /** When it is tried next, from now on; null when it waits for nothing. */
  readonly dueSeconds: number | null;
}

const none = { disabledReason: null, failures: 0, dueSeconds: null };

export const enabledWith = (failures: number): EndpointState => ({ ...none, status: "enabled", failures });

export const disabledBy = (disabledReason: DisabledReason): EndpointState => ({
  ...none,
  status: "disabled",
  disabledReason,
});

/** From 0 to 1, at random; and what the receiver asked for. */
type Asked = Parameters<typeof probePause>[1];

/**
 * Chooses the event that a probe sends. What the receiver rejects can be many events of one type, and must not hold up the others. So
 * every second probe is the newest event, and the next ones take turns, first those of different types.
 * @param next at least one
 * @param failures how many probes in a row have failed
 */
export function chooseProbe<Event extends { readonly type?: string }>(
  next: readonly Event[],
  newest: Event | undefined,
  failures: number,
): Event | undefined {
  if (newest !== undefined && failures % 2 === 1) return newest;
  const isFirst = (event: Event, index: number) =>
    next.findIndex(({ type }) => type === event.type) === index;
  const turns = [...next.filter(isFirst), ...next.filter((event, index) => !isFirst(event, index))];
  return turns[Math.floor(failures / 2) % turns.length];
}

/** The state of an endpoint that has just begun to fail. */
export const beginsToFail = (asked: Asked): EndpointState => ({
  ...none,
  status: "failing",
  dueSeconds: probePause(0, asked),
});

/**
 * The state of a failing endpoint after a probe.
 * @param failing how many probes in a row have failed before, and for how long it has been failing
 */
export function afterProbe(
  failing: { readonly failures: number; readonly seconds: number },
  outcome: Outcome,
  asked: Asked,
): EndpointState {
  if (outcome === "delivered") return enabledWith(0);
  if (outcome === "gone") return disabledBy("gone");
  if (failing.seconds >= disabledAfterSeconds) return disabledBy("no_success");
  const failures = failing.failures + 1;
  return { ...none, status: "failing", failures, dueSeconds: probePause(failures, asked) };
}
