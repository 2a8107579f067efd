/** Random sequences of requests, valid and invalid. What they name is known when they are sent. */
import fc from "fast-check";
import type { Business } from "./business.ts";
import { type Body, bodyOf, contract, legacyFields, type Reference } from "./contract.ts";
import { clockOf } from "./expectation.ts";
import { type CallerName, callers, type Setting } from "./setting.ts";

export type TokenState = "valid" | "missing" | "of another scheme" | "malformed" | "forged" | "expired";

export interface Request {
  readonly path: string;
  readonly method: string;
  readonly query: string;
  readonly contentType: string;
  readonly token: TokenState;
  readonly caller: CallerName;
  /** The JSON object; undefined if the text is none. */
  readonly body: Body | undefined;
  readonly text: string;
}

/** Makes a request invalid. The name is for the report of a failure. */
interface Flaw {
  readonly flaw: string;
  readonly spoil: (request: Request) => Request;
}

interface Draft {
  readonly path: string;
  readonly body: Body;
  readonly caller: CallerName;
  /** New, or one of a few that all requests share. */
  readonly key: "new" | number;
  readonly flaws: readonly Flaw[];
}

/** An earlier request again, counted back; or the same fields in another spelling. */
interface Repetition {
  readonly again: number;
  readonly respelled: boolean;
}

/** What operators do: make a member inactive or active, or import a sale of an earlier day. */
export type OperatorDraft =
  | { readonly operator: "deactivate" | "activate"; readonly member: number }
  | {
      readonly operator: "sale";
      readonly member: number;
      readonly daysAgo: number;
      readonly amount: number;
      readonly location: number | undefined;
      readonly reference: string | undefined;
    };

export type Command = Draft | Repetition | OperatorDraft;
/** Sent at the same time, each on a connection of its own. */
export type Volley = readonly Command[];

export const bytesTaken = 64 * 1024;

/** Changes the body, unless it is no JSON object any more, or too large. */
function withBody(request: Request, changes: Body): Request {
  if (request.body === undefined || request.text.length > bytesTaken) return request;
  const all = Object.entries({ ...request.body, ...changes });
  const body = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  return { ...request, body, text: JSON.stringify(body) };
}

/** Changes one of the fields of the operation, counted round. */
function withField(request: Request, nth: number, value: unknown, onlyRequired = false): Request {
  const fields = Object.entries(contract[request.path]?.fields ?? {});
  const names = fields.filter(([, { required }]) => required || !onlyRequired).map(([name]) => name);
  const name = names[nth % names.length];
  return name === undefined ? request : withBody(request, { [name]: value });
}

function withKey(request: Request, value: unknown): Request {
  const writes = contract[request.path] !== undefined && contract[request.path]?.kind !== "read";
  return writes ? withBody(request, { idempotency_key: value }) : request;
}

/** A member twice: valid for most parsers, and rejected by the service. */
function twice(text: string): string {
  return `{"twice":1,"twice":1${text === "{}" ? "" : ","}${text.slice(1)}`;
}

const flawOf = (flaw: string, spoil: Flaw["spoil"]): Flaw => ({ flaw, spoil });
const one = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
/** One of several, each as often as its weight says. */
function mixed<Value>(...parts: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Value>])[]) {
  return fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const flaw = mixed<Flaw>(
  [
    4,
    one(
      flawOf("path", (request) => ({ ...request, path: `${request.path}/` })),
      flawOf("method", (request) => ({ ...request, method: "PUT" })),
      flawOf("query", (request) => ({ ...request, query: "?page=1" })),
      flawOf("content type", (request) => ({ ...request, contentType: "text/plain" })),
      flawOf("large", (request) => ({ ...request, text: request.text + " ".repeat(bytesTaken) })),
      flawOf("unknown field", (request) => withBody(request, { nonsense: 1 })),
      flawOf("no key", (request) => withBody(request, { idempotency_key: undefined })),
    ),
  ],
  [
    2,
    one<TokenState>("missing", "of another scheme", "malformed", "forged", "expired").map((token) =>
      flawOf(`token ${token}`, (request) => ({ ...request, token })),
    ),
  ],
  [
    2,
    one(
      flawOf("cut", (request) => ({ ...request, body: undefined, text: request.text.slice(0, -1) })),
      flawOf("array", (request) => ({ ...request, body: undefined, text: `[${request.text}]` })),
      flawOf("twice", (request) => ({ ...request, body: undefined, text: twice(request.text) })),
    ),
  ],
  [1, one(...legacyFields).map((name) => flawOf(name, (request) => withBody(request, { [name]: "x" })))],
  [1, one<unknown>("", " ", null, {}).map((key) => flawOf(`key ${key}`, (request) => withKey(request, key)))],
  [
    2,
    fc.nat(3).map((nth) => flawOf(`no field ${nth}`, (request) => withField(request, nth, undefined, true))),
  ],
  [6, fc.nat(9).map((nth) => flawOf(`field ${nth} wrong`, (request) => withField(request, nth, {})))],
);

const draftOf = (path: string): fc.Arbitrary<Draft> =>
  fc.record({
    path: fc.constant(path),
    body: bodyOf(contract[path] as (typeof contract)[string]),
    caller: mixed<CallerName>(
      [16, one("everywhere")],
      [5, one("limited")],
      [2, one("away")],
      [1, one("reader", "late", "disabled")],
    ),
    key: mixed<Draft["key"]>([4, one("new")], [1, fc.nat(2)]),
    flaws: mixed<readonly Flaw[]>(
      [8, fc.constant([])],
      [1, fc.array(flaw, { minLength: 1, maxLength: 1 })],
      [1, fc.array(flaw, { minLength: 2, maxLength: 4 })],
    ),
  });

/** Members and money most often, passwords seldom. */
const weights: Readonly<Record<string, number>> = {
  "/sp/members/create": 18,
  "/sp/wallet/adjust": 16,
  "/sp/reward-points/adjust": 12,
  "/sp/transactions/list": 12,
  "/sp/members/list": 8,
  "/sp/auth/token": 2,
  "/sp/members/password/change": 1,
};

const member = fc.nat(5);
const operatorDraft: fc.Arbitrary<OperatorDraft> = fc.oneof(
  fc.record({ operator: fc.constantFrom("deactivate", "deactivate", "activate"), member }),
  fc.record({
    operator: fc.constantFrom("sale"),
    member,
    daysAgo: fc.integer({ min: 3, max: 5 }),
    amount: fc.integer({ min: 1, max: 50 }),
    location: one(undefined, 0, 2),
    reference: one(undefined, "receipt-1"),
  }),
);
const command = mixed<Command>(
  ...Object.keys(contract).map((path) => [weights[path] ?? 4, draftOf(path)] as const),
  [12, fc.record({ again: fc.nat(5), respelled: fc.boolean() })],
  [8, operatorDraft],
);

/**
 * Most volleys have one command, the others up to four. Shrinking removes the first elements first, so the order is
 * reversed: nothing depends on the last volleys.
 */
export const sequences: fc.Arbitrary<readonly Volley[]> = fc
  .array(
    mixed(
      [3, fc.array(command, { minLength: 1, maxLength: 1 })],
      [2, fc.array(command, { minLength: 2, maxLength: 4 })],
    ),
    { minLength: 1, maxLength: 16, size: "max" },
  )
  .map((volleys) => volleys.toReversed());

/** What is known when a request is sent. */
export interface Moment {
  readonly setting: Setting;
  readonly businesses: Setting["businesses"];
  /** When the sequence began, in milliseconds. */
  readonly beganAt: number;
  readonly nextKey: () => string;
}

export function requestOf(draft: Draft, moment: Moment): Request {
  const key = draft.key === "new" ? moment.nextKey() : `shared-${draft.key}`;
  const fields = Object.entries(draft.body).map(([name, value]) => [
    name,
    resolve(value, draft.caller, moment),
  ]);
  const writes = contract[draft.path]?.kind !== "read";
  const body: Body = { ...(writes && { idempotency_key: key }), ...Object.fromEntries(fields) };
  const request: Request = {
    path: draft.path,
    method: "POST",
    query: "",
    contentType: "application/json",
    token: "valid",
    caller: draft.caller,
    body,
    text: "",
  };
  return draft.flaws.reduce((spoiled, { spoil }) => spoil(spoiled), withBody(request, {}));
}

/** The same fields in another order, with white space. */
export function respelled(request: Request): Request {
  if (request.body === undefined || request.text.length > bytesTaken) return request;
  const body = Object.fromEntries(Object.entries(request.body).reverse());
  return { ...request, text: JSON.stringify(body, null, 2) };
}

const absent = 9_007_199_254_000_000;
export const dayMilliseconds = 24 * 60 * 60 * 1000;

function resolve(value: unknown, caller: CallerName, { setting, businesses, beganAt }: Moment): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { side } = setting.integrations[caller];
  if ("days" in value) {
    const at = beganAt + (value.days as number) * dayMilliseconds;
    return clockOf(at, businesses[side].timeZone).slice(0, 10);
  }
  const clientOf = (nth: unknown) => setting.integrations[callers[nth as number] as CallerName] ?? {};
  if ("client" in value) return clientOf(value.client).client_id ?? "loy_nobody";
  if ("secret" in value) return clientOf(value.secret).client_secret ?? "loysec_wrong";
  const { to, nth } = value as Reference;
  if (nth === "of nothing") return absent;
  if (nth === "of the other business") {
    const other = side === "home" ? "away" : "home";
    return idsOf(businesses[other], setting.businesses[other], to)[0] ?? absent;
  }
  const own = idsOf(businesses[side], setting.businesses[side], to);
  return own[nth % own.length] ?? absent;
}

/** @param atFirst the business at the start, with tiers that were deleted since */
function idsOf(business: Business, atFirst: Business, to: Reference["to"]): readonly unknown[] {
  if (to === "location") return business.locationIds;
  if (to === "contact") return business.members.map(({ contact_id }) => contact_id);
  const rows = to === "tier" ? atFirst.tiers : business[`${to}s`];
  return rows.map((row) => row[`${to}_id`]);
}
