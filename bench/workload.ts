/** What a load sends. */
import { requestText } from "../test/support/http-connection.ts";
import { randomFrom } from "../test/support/random.ts";

/** An integration of a business, and the members whose accounts it moves. */
export interface Caller {
  readonly authorization: string;
  readonly firstContactId: number;
  readonly members: number;
  readonly locationIds: readonly number[];
}

export type Workload =
  /** Adjustments or sales of random members, each with its own key. The callers take turns. */
  | {
      readonly kind: "adjustments";
      readonly path: string;
      readonly callers: readonly Caller[];
      /** The JSON after the amount; that of an adjustment by default. */
      readonly rest?: string;
      /** How many lines the receipt of a sale has; none by default. */
      readonly lines?: number;
      /** The requests of a seed, over and over. By default every load sends other requests. */
      readonly sequence?: { readonly seed: number; readonly length?: number };
    }
  /** Bodies in turn. */
  | {
      readonly kind: "fixed";
      readonly path: string;
      readonly authorization: string;
      readonly bodies: readonly object[];
    };

/** Makes the function that returns the next request, as bytes in text. */
export function requestsOf(workload: Workload): () => string {
  if (workload.kind === "adjustments") return adjustments(workload);
  const { path, authorization } = workload;
  const requests = workload.bodies.map((body) => requestText(path, JSON.stringify(body), authorization));
  let turn = 0;
  return () => requests[turn++ % requests.length] as string;
}

const ofAdjustment = `,"adjustment_type":"credit","reason":"Goodwill after a late delivery"`;

function adjustments(workload: Extract<Workload, { kind: "adjustments" }>): () => string {
  const { path, callers, sequence, rest = ofAdjustment, lines = 0 } = workload;
  const start = () => (sequence === undefined ? Math.random : randomFrom(sequence.seed).next);
  let random = start();
  /** A whole number from 0 to below the limit. */
  const upTo = (limit: number) => Math.floor(random() * limit);
  // In two parts, because a seeded number has 32 bits, too few for keys that must differ.
  const key = () => upTo(2 ** 21) * 2 ** 32 + upTo(2 ** 32);
  let turn = 0;
  return () => {
    if (turn === sequence?.length) {
      turn = 0;
      random = start();
    }
    const { authorization, firstContactId, members, locationIds } = callers[
      turn++ % callers.length
    ] as Caller;
    const amount = 1000 + upTo(100_000);
    const body =
      `{"idempotency_key":"receipt-${key()}","contact_id":${firstContactId + upTo(members)},` +
      `"location_id":${locationIds[upTo(locationIds.length)]},"amount":${amount}${rest}${linesOf(amount, lines)}}`;
    return requestText(path, body, authorization);
  };
}

/** Lines of an amount, of articles and categories in turn. */
function linesOf(amount: number, count: number): string {
  if (count === 0) return "";
  const each = Math.floor(amount / count);
  const lines = Array.from({ length: count }, (_, nth) => ({
    sku: `SKU-${nth}`,
    category: nth % 2 === 0 ? "coffee" : "cake",
    amount: nth === 0 ? amount - each * (count - 1) : each,
  }));
  return `,"lines":${JSON.stringify(lines)}`;
}
