/** Finds the orders of a volley in which the model gives the responses that came. */
import { admit } from "./admission.ts";
import {
  type Business,
  type Entry,
  type Member,
  record,
  rejectLocation,
  type Span,
  type Success,
  withMember,
  writes,
} from "./business.ts";
import type { Body } from "./contract.ts";
import {
  type Expectation,
  type ExpectedResponse,
  meets,
  parse,
  type Rejection,
  someDetails,
  someText,
} from "./expectation.ts";
import { reads } from "./reads.ts";
import type { Request } from "./requests.ts";
import type { Setting } from "./setting.ts";

/** One state in which everything may be. */
export type World = Setting["businesses"];

/** A partner's request, or what an operator did to the business at home. */
export type Sent =
  | { readonly request: Request }
  | { readonly contactId: number; readonly active: boolean }
  | { readonly sale: Omit<Entry, "balance_after"> };

export interface Exchange {
  readonly sent: Sent;
  readonly response: ExpectedResponse;
}

interface Step {
  readonly expectation: Expectation;
  /** The world after this response; undefined if the response can't be. */
  readonly next: (response: ExpectedResponse) => World | undefined;
}

/** What the model expects of one request in a world. */
export function stepOf(world: World, sent: Sent, setting: Setting, span: Span): Step {
  if ("request" in sent) return requestStep(world, sent.request, setting, span);
  const { home } = world;
  const change = (data: unknown, changed: Business): Step => ({
    expectation: expectationOf({ status: 200, data }),
    next: () => ({ ...world, home: changed }),
  });
  if ("sale" in sent) return change({ imported: 1, skipped: 0, rejected: [] }, record(home, sent.sale));
  const member = home.members.find(({ contact_id }) => contact_id === sent.contactId) as Member;
  const { member_id, contact_id } = member;
  const changed = withMember(home, { ...member, active: sent.active });
  return change({ member_id, contact_id, active: sent.active, tier_id: null }, changed);
}

function requestStep(world: World, request: Request, setting: Setting, span: Span): Step {
  const integration = setting.integrations[request.caller];
  const { side, locationIds } = integration;
  const unchanged = (outcome: Rejection | Success): Step => ({
    expectation: expectationOf(outcome),
    next: () => world,
  });
  const admitted = admit(request, integration);
  if ("code" in admitted) return unchanged(admitted);
  const { body } = admitted;
  const business = world[side];
  const read = reads[request.path];
  if (read !== undefined) return unchanged(read({ business, integration, setting, body, span }));
  const elsewhere = rejectLocation(request.path, { business, body, locationIds });
  if (elsewhere !== undefined) return unchanged(elsewhere);
  const key = `${request.caller} ${body.idempotency_key}`;
  const payload = payloadOf(request.path, request.body as Body);
  const before = business.written[key];
  if (before?.payload === payload) {
    const { status, body: replays } = before;
    return { expectation: { status, envelope: JSON.parse(replays), replays }, next: () => world };
  }
  if (before !== undefined) {
    return unchanged({ status: 422, code: "idempotency_key_reused_with_different_payload" });
  }
  const outcome = writes[request.path]?.({ business, body, locationIds, span }) as Rejection | Success;
  if ("code" in outcome) return unchanged(outcome);
  return {
    expectation: expectationOf(outcome),
    next: (response) => {
      const { data } = parse(response.body) as { data: Body };
      const changed = outcome.next === undefined ? business : outcome.next(data);
      if (changed === undefined) return undefined;
      const written = {
        ...business.written,
        [key]: { payload, status: response.status, body: response.body },
      };
      return { ...world, [side]: { ...changed, written } };
    },
  };
}

/** What a key is bound to: the operation and the fields in any order. */
function payloadOf(path: string, { idempotency_key: _, ...fields }: Body): string {
  return `${path} ${JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

function expectationOf(outcome: Rejection | Success): Expectation {
  const { status } = outcome;
  if ("code" in outcome) {
    const { code } = outcome;
    // The place in malformed JSON has tests of its own.
    const details = code === "malformed_json" ? someDetails : (outcome.details ?? {});
    return { status, envelope: { success: false, message: someText, error: { code, details } } };
  }
  const { data, meta = {} } = outcome;
  return { status, envelope: { success: true, message: someText, data, meta } };
}

/**
 * @param worlds those that are possible before the volley
 * @returns those that are possible after it; none if no order explains the responses
 */
export function explain(
  worlds: readonly World[],
  exchanges: readonly Exchange[],
  setting: Setting,
  span: Span,
): World[] {
  const found = new Map<string, World>();
  const search = (world: World, left: readonly Exchange[]) => {
    if (left.length === 0) found.set(JSON.stringify(world), world);
    for (const exchange of left) {
      const { expectation, next } = stepOf(world, exchange.sent, setting, span);
      if (!meets(exchange.response, expectation)) continue;
      const after = next(exchange.response);
      if (after === undefined) continue;
      const others = left.filter((each) => each !== exchange);
      search(after, others);
      // A request that changes nothing may come first: any order of the others remains possible.
      if (after === world) return;
    }
  };
  for (const world of worlds) search(world, exchanges);
  return [...found.values()];
}
