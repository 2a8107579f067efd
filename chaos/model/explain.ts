/** Finds orders of a volley in which the model gives the answers that came. */
import { admit, type Refusal } from "./admission.ts";
import { type Answer, type Expectation, meets, parse, someText } from "./expectation.ts";
import type { Setting, Side } from "./homes.ts";
import { issueToken, reads } from "./reads.ts";
import type { Body, Request } from "./requests.ts";
import type { Business, Entry, Member } from "./state.ts";
import { record, type Span, type Success, withMember, writes } from "./writes.ts";

/** One way in which everything may be. */
export type World = Readonly<Record<Side, Business>>;

/** What was sent: a partner's request, or what an operator did to the business at home. */
export type Sent =
  | { readonly request: Request }
  | { readonly contactId: number; readonly active: boolean }
  | { readonly sale: Omit<Entry, "balance_after"> };

export interface Exchange {
  readonly sent: Sent;
  readonly answer: Answer;
}

interface Step {
  readonly expectation: Expectation;
  /** The world after this answer; undefined where the answer can't be. */
  readonly next: (answer: Answer) => World | undefined;
}

/** What the model says to one request in a world. */
export function stepOf(world: World, sent: Sent, setting: Setting, span: Span): Step {
  if ("request" in sent) return requestStep(world, sent.request, setting, span);
  const { home } = world;
  const change = (data: unknown, changed: Business): Step => ({
    expectation: { status: 200, envelope: successEnvelope(data) },
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
  const unchanged = () => world;
  const admitted = admit(request, integration);
  if ("code" in admitted) return { expectation: refusalOf(admitted), next: unchanged };
  const { operation, body } = admitted;
  const business = world[integration.side];
  if (!operation.writes) {
    const outcome =
      reads[request.path]?.({ business, integration, body, span }) ?? issueToken(setting, body, span);
    return { expectation: expectationOf(outcome), next: unchanged };
  }
  const key = `${request.caller} ${body.idempotency_key}`;
  const payload = payloadOf(request.path, request.body as Body);
  const before = business.written[key];
  if (before?.payload === payload) {
    const { status, body: replays } = before;
    return { expectation: { status, envelope: JSON.parse(replays), replays }, next: unchanged };
  }
  if (before !== undefined) {
    const reused = { status: 422, code: "idempotency_key_reused_with_different_payload" };
    return { expectation: refusalOf(reused), next: unchanged };
  }
  const { locationIds } = integration;
  const outcome = writes[request.path]?.({ business, body, locationIds, span }) as Refusal | Success;
  if ("code" in outcome) return { expectation: refusalOf(outcome), next: unchanged };
  return {
    expectation: expectationOf(outcome),
    next: (answer) => {
      const { data } = parse(answer.body) as { data: Body };
      const changed = outcome.next === undefined ? business : outcome.next(data);
      if (changed === undefined) return undefined;
      const written = { ...business.written, [key]: { payload, status: answer.status, body: answer.body } };
      return { ...world, [integration.side]: { ...changed, written } };
    },
  };
}

/** What a key is bound to: the operation and the fields, in whatever order they came. */
function payloadOf(path: string, { idempotency_key: _, ...fields }: Body): string {
  return `${path} ${JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

function successEnvelope(data: unknown, meta: unknown = {}): object {
  return { success: true, message: someText, data, meta };
}

function expectationOf(outcome: Refusal | Success): Expectation {
  if ("code" in outcome) return refusalOf(outcome);
  return { status: outcome.status, envelope: successEnvelope(outcome.data, outcome.meta) };
}

function refusalOf({ status, code, details = {} }: Refusal): Expectation {
  return { status, envelope: { success: false, message: someText, error: { code, details } } };
}

/**
 * @param worlds those that may have been before the volley
 * @returns those that may be after it; none when no order explains the answers
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
      if (!meets(exchange.answer, expectation)) continue;
      const after = next(exchange.answer);
      if (after === undefined) continue;
      const others = left.filter((each) => each !== exchange);
      search(after, others);
      // What changes nothing may as well come at once: whatever an order of the others allows, it allows here, too.
      if (after === world) return;
    }
  };
  for (const world of worlds) search(world, exchanges);
  return [...found.values()];
}
