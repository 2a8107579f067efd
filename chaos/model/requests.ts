/** Makes of a draft the request that is sent. */
import { contract } from "./contract.ts";
import {
  type CallerName,
  callers,
  type DayAway,
  type Draft,
  type Flaw,
  type Reference,
  type TokenState,
} from "./drafts.ts";
import { clockOf } from "./expectation.ts";
import type { Setting, Side } from "./homes.ts";
import type { Business } from "./state.ts";

export type Body = Readonly<Record<string, unknown>>;

export interface Request {
  readonly path: string;
  readonly method: string;
  readonly query: string;
  readonly contentType: string;
  readonly token: TokenState;
  readonly caller: CallerName;
  /** What the body says; undefined when it says nothing. */
  readonly body: Body | undefined;
  readonly text: string;
}

export const bytesTaken = 64 * 1024;
const absent = 9_007_199_254_000_000;
const dayMilliseconds = 24 * 60 * 60 * 1000;

export interface Moment {
  readonly setting: Setting;
  /** As they are, or may be, when the request is sent. */
  readonly businesses: Readonly<Record<Side, Business>>;
  /** When the sequence began, in milliseconds. */
  readonly beganAt: number;
  readonly nextKey: () => string;
}

export function requestOf(draft: Draft, moment: Moment): Request {
  const operation = contract[draft.path];
  const body: Record<string, unknown> = {};
  if (operation?.writes === true) {
    body.idempotency_key = draft.key === "new" ? moment.nextKey() : `shared-${draft.key}`;
  }
  for (const [name, value] of Object.entries(draft.body)) body[name] = resolve(value, draft.caller, moment);
  const sound: Request = {
    path: draft.path,
    method: "POST",
    query: "",
    contentType: "application/json",
    token: "sound",
    caller: draft.caller,
    body,
    text: "",
  };
  return draft.flaws.reduce(spoil, { ...sound, text: JSON.stringify(body) });
}

function resolve(value: unknown, caller: CallerName, { setting, businesses, beganAt }: Moment): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { side } = setting.integrations[caller];
  if ("days" in value) {
    const at = beganAt + (value as DayAway).days * dayMilliseconds;
    return clockOf(at, businesses[side].timeZone).slice(0, 10);
  }
  if ("client" in value) return clientOf(setting, value.client)?.client_id ?? "loy_nobody";
  if ("secret" in value) return clientOf(setting, value.secret)?.client_secret ?? "loysec_wrong";
  const { to, nth } = value as Reference;
  if (nth === "of nothing") return absent;
  if (nth === "of the other business")
    return knownIds(businesses[side === "home" ? "away" : "home"], setting)[to][0] ?? absent;
  const own = knownIds(businesses[side], setting)[to];
  return own[nth % own.length] ?? absent;
}

function clientOf({ integrations }: Setting, nth: unknown) {
  const name = callers[nth as number];
  return name === undefined ? undefined : integrations[name];
}

function knownIds(
  { businessId, locationIds, members, benefits, programs, vouchers }: Business,
  { businesses }: Setting,
): Readonly<Record<Reference["to"], readonly number[]>> {
  const atFirst = Object.values(businesses).find((business) => business.businessId === businessId);
  return {
    contact: members.map((member) => member.contact_id),
    benefit: benefits.map((benefit) => benefit.benefit_id),
    // Deleted ones, too.
    tier: atFirst?.tiers.map((tier) => tier.tier_id) ?? [],
    program: programs.map((program) => program.program_id),
    voucher: vouchers.map((voucher) => voucher.voucher_id),
    location: locationIds,
  };
}

function spoil(request: Request, flaw: Flaw): Request {
  const { path, body, text } = request;
  const withBody = (changes: Body): Request => {
    // What is no JSON object any more, or too large, stays so.
    if (body === undefined || text.length > bytesTaken) return request;
    const changed = Object.fromEntries(
      Object.entries({ ...body, ...changes }).filter(([, value]) => value !== undefined),
    );
    return { ...request, body: changed, text: JSON.stringify(changed) };
  };
  const operation = contract[path];
  switch (flaw.kind) {
    case "path":
      return { ...request, path: `${path}/` };
    case "method":
      return { ...request, method: "PUT" };
    case "query":
      return { ...request, query: "?page=1" };
    case "content type":
      return { ...request, contentType: "text/plain" };
    case "token":
      return { ...request, token: flaw.is };
    case "large":
      return { ...request, text: text + " ".repeat(bytesTaken) };
    case "json":
      return { ...request, body: undefined, text: broken(text, flaw.is) };
    case "legacy field":
      return withBody({ [flaw.name]: 1 });
    case "unknown field":
      return withBody({ nonsense: 1 });
    case "no key":
      return withBody({ idempotency_key: undefined });
    case "bad key":
      return operation?.writes === true ? withBody({ idempotency_key: flaw.value }) : request;
    case "missing field": {
      const required = operation?.required ?? [];
      const name = required[flaw.nth % required.length];
      return name === undefined ? request : withBody({ [name]: undefined });
    }
    case "bad field": {
      const fields = Object.entries(operation?.fields ?? {}).filter(([name]) => name !== "idempotency_key");
      const [name, field] = fields[flaw.nth % fields.length] ?? [];
      if (name === undefined || field === undefined) return request;
      return withBody({ [name]: field.bad[flaw.value % field.bad.length] });
    }
  }
}

function broken(text: string, is: "cut" | "array" | "twice"): string {
  if (is === "cut") return text.slice(0, -1);
  if (is === "array") return `[${text}]`;
  const rest = text.slice(1);
  return `{"twice":1,"twice":1${rest === "}" ? "" : ","}${rest}`;
}

/** The same body, its members in another order and with white space between them. */
export function respelled(request: Request): Request {
  if (request.body === undefined || request.text.length > bytesTaken) return request;
  const body = Object.fromEntries(Object.entries(request.body).reverse());
  return { ...request, text: JSON.stringify(body, null, 2) };
}
