/** What the load generator sends; described in data, so that it can be handed to another process. */
import { requestText } from "../../test/support/http-connection.ts";
import { randomFrom } from "../../test/support/random.ts";

/** An integration of one business, and the members it moves. */
export interface Caller {
  readonly authorization: string;
  readonly firstContactId: number;
  readonly members: number;
  readonly locationIds: readonly number[];
}

export type Traffic =
  /** Wallet adjustments or sales with a key of their own each, of members at random; the callers take turns. */
  | {
      readonly kind: "adjustments";
      readonly path: string;
      readonly callers: readonly Caller[];
      /** The JSON that follows the amount; that of an adjustment by default. */
      readonly rest?: string;
      /** Sends a sequence that can be sent again. By default every load sends other requests. */
      readonly sequence?: Sequence;
    }
  /** Bodies in turn. */
  | {
      readonly kind: "fixed";
      readonly path: string;
      readonly authorization?: string;
      readonly bodies: readonly object[];
    };

/** The first requests that come of a seed, over and over. */
export interface Sequence {
  readonly seed: number;
  /** By default without end. */
  readonly length?: number;
}

/** @returns a function that makes the next request's text */
export function requestsOf(traffic: Traffic): () => string {
  return traffic.kind === "adjustments"
    ? adjustments(traffic.path, traffic.callers, traffic)
    : inTurn(
        traffic.bodies.map((body) => requestText(traffic.path, JSON.stringify(body), traffic.authorization)),
      );
}

const ofAdjustment = `,"adjustment_type":"credit","reason":"Goodwill after a late delivery"`;

function adjustments(
  path: string,
  callers: readonly Caller[],
  { sequence, rest = ofAdjustment }: { readonly sequence?: Sequence; readonly rest?: string },
): () => string {
  const heads = callers.map(({ authorization }) =>
    requestText(path, "", authorization).replace(/0\r\n\r\n$/, ""),
  );
  const start = () => (sequence === undefined ? Math.random : randomFrom(sequence.seed).next);
  let random = start();
  /** A whole number from 0 to below the limit. */
  const upTo = (limit: number) => Math.floor(random() * limit);
  // In two parts: a seeded number has 32 bits, too few for keys that must differ.
  const key = () => upTo(2 ** 21) * 2 ** 32 + upTo(2 ** 32);
  let turn = 0;
  return () => {
    if (turn === sequence?.length) {
      turn = 0;
      random = start();
    }
    const index = turn++ % callers.length;
    const { firstContactId, members, locationIds } = callers[index] as Caller;
    const body =
      `{"idempotency_key":"receipt-${key()}","contact_id":${firstContactId + upTo(members)},` +
      `"location_id":${locationIds[upTo(locationIds.length)]},"amount":${1000 + upTo(100_000)}${rest}}`;
    return `${heads[index]}${body.length}\r\n\r\n${body}`;
  };
}

function inTurn(requests: readonly string[]): () => string {
  let turn = 0;
  return () => requests[turn++ % requests.length] as string;
}
