/**
 * The order of checks, as a table by descending precedence. For every operation and every check that it has,
 * a request that fails this check and all that come after it gets this one's error.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { bodyOf, errorsOf, type Operation } from "../../src/contract/operation.ts";
import { deriveKeys } from "../../src/credentials/keys.ts";
import { claimKey } from "../../src/database/ledger/idempotency-keys.ts";
import { allScopes, type Scope } from "../../src/domain/access/access.ts";
import { type Body, engineOperations, type Records } from "../support/engine-requests.ts";
import { isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { signToken, testSecret, useWorld } from "../support/world.ts";

// The least that can be set, so that a bucket is soon empty and stays so for the length of a test.
const world = useWorld({
  LOYALTY_RATE_LIMIT: "1",
  LOYALTY_FAILED_TOKEN_LIMIT: "1",
  LOYALTY_TRUSTED_PROXIES: "127.0.0.1",
});

/** A request in the making: all that a check looks at. */
interface Draft {
  readonly path: string;
  readonly query: string;
  readonly method: string;
  readonly contentType: string;
  readonly tokenAgeHours: number;
  readonly tokenBusinessId: number;
  readonly tokenScopes: readonly Scope[];
  /** The integration's scopes as they are now. */
  readonly grantedScopes: readonly Scope[];
  /** Whether the integration, or for tokens the address, has used up what it may send. */
  readonly limitReached: boolean;
  readonly body: Body;
  /** What follows the body's last character but one: its closing brace, when it is sound. */
  readonly ending: string;
  /** The fingerprint of what the integration wrote under the key before. */
  readonly usedFor: string | undefined;
}

interface Check {
  readonly error: ErrorCode;
  /** The operations that have it; absent: all. */
  readonly of?: (operation: Operation) => boolean;
  /** What makes a request fail it. */
  readonly spoil: (draft: Draft) => Partial<Draft>;
}

const bearing = (operation: Operation) => operation.kind !== "token";
const issuing = (operation: Operation) => operation.kind === "token";
const naming = (field: string) => (operation: Operation) => field in bodyOf(operation).properties;
const having = (code: ErrorCode) => (operation: Operation) => operation.errors.includes(code);
const memberNamed = (code: ErrorCode) => (operation: Operation) =>
  having(code)(operation) && naming("contact_id")(operation);
const inBody =
  (fields: Body) =>
  ({ body }: Draft) => ({ body: { ...body, ...fields } });
const absent = 9_007_199_254_740_000;

const checks: readonly Check[] = [
  { error: "operation_not_found", spoil: ({ path }) => ({ path: `${path}/` }) },
  { error: "method_not_allowed", spoil: () => ({ method: "PUT" }) },
  { error: "query_parameters_not_allowed", spoil: () => ({ query: "?page=1" }) },
  { error: "invalid_content_type", spoil: () => ({ contentType: "text/plain" }) },
  { error: "unauthorized", of: bearing, spoil: () => ({ tokenAgeHours: 2 }) },
  {
    error: "sp_integration_not_found",
    of: bearing,
    spoil: () => ({ tokenBusinessId: world.away.businessId }),
  },
  {
    error: "sp_scope_not_granted",
    of: bearing,
    spoil: ({ path }) => ({ grantedScopes: [otherScope(path)], tokenScopes: [otherScope(path)] }),
  },
  {
    error: "sp_token_scope_missing",
    of: bearing,
    spoil: ({ path }) => ({ tokenScopes: [otherScope(path)] }),
  },
  { error: "rate_limited", of: bearing, spoil: () => ({ limitReached: true }) },
  { error: "payload_too_large", spoil: ({ ending }) => ({ ending: ending + " ".repeat(64 * 1024) }) },
  { error: "malformed_json", spoil: () => ({ ending: "" }) },
  { error: "legacy_field_not_allowed", spoil: inBody({ member_id: 1 }) },
  { error: "idempotency_key_required", of: isWrite, spoil: inBody({ idempotency_key: undefined }) },
  { error: "validation_failed", spoil: inBody({ nonsense: 1 }) },
  // Only failed credentials are counted, so that the limit is looked at when they have failed.
  { error: "rate_limited", of: issuing, spoil: () => ({ limitReached: true }) },
  {
    error: "invalid_client_credentials",
    of: issuing,
    spoil: (draft) => inBody({ client_id: nextAddress() })(draft),
  },
  {
    error: "sp_location_not_allowed",
    of: naming("location_id"),
    spoil: (draft) => inBody({ location_id: world.away.locationIds[0] })(draft),
  },
  {
    error: "idempotency_key_reused_with_different_payload",
    of: isWrite,
    spoil: () => ({ usedFor: deriveKeys(testSecret).fingerprint("another payload") }),
  },
  {
    error: "idempotency_key_of_another_secret",
    of: isWrite,
    spoil: () => ({ usedFor: deriveKeys(`${testSecret} another`).fingerprint("another payload") }),
  },
  { error: "member_not_found", of: memberNamed("member_not_found"), spoil: inBody({ contact_id: absent }) },
  {
    error: "voucher_not_found",
    of: having("voucher_not_found"),
    // Points can be named instead.
    spoil: inBody({ voucher_id: absent, points: undefined }),
  },
  {
    error: "benefit_not_found",
    of: having("benefit_not_found"),
    // An amount can be named instead.
    spoil: ({ path, body }) => ({
      body: {
        ...body,
        benefit_id: absent,
        ...(["/sp/wallet/topup", "/sp/cards/issue"].includes(path) && { amount: undefined }),
      },
    }),
  },
  { error: "program_not_found", of: having("program_not_found"), spoil: inBody({ program_id: absent }) },
  { error: "tier_not_found", of: having("tier_not_found"), spoil: inBody({ tier_id: absent }) },
  {
    error: "member_inactive",
    of: memberNamed("member_inactive"),
    spoil: (draft) => inBody({ contact_id: inactiveContactId })(draft),
  },
  {
    error: "gift_card_money_only",
    // The others name something else first.
    of: (operation) => having("gift_card_money_only")(operation) && naming("adjustment_type")(operation),
    spoil: (draft) => inBody({ contact_id: records.gift_contact_id, adjustment_type: "credit" })(draft),
  },
  {
    error: "member_already_exists",
    of: having("member_already_exists"),
    spoil: (draft) => inBody({ email: takenEmail })(draft),
  },
  {
    error: "insufficient_balance",
    of: naming("adjustment_type"),
    spoil: inBody({ adjustment_type: "debit" }),
  },
];

let records: Records;
let inactiveContactId: number;
let takenEmail: string;

beforeAll(async () => {
  records = await makeRecords(world, world.home);
  ({ contact_id: inactiveContactId } = await makeRecords(world, world.home));
  // A member that was merged is inactive for all operations.
  const remaining = await makeRecords(world, world.home);
  const merge = { from_contact_id: inactiveContactId, contact_id: remaining.contact_id };
  await world.write("/sp/members/merge", merge);
  takenEmail = "taken@example.com";
  await world.member({ email: takenEmail });
});

describe.each(operationsInRealTime)("$path", (operation) => {
  const own = checks.filter(({ of }) => of === undefined || of(operation));

  it.each(own.map(({ error }, index) => ({ error, from: own.slice(index) })))(
    "returns $error before all that follow",
    async ({ error, from }) => {
      let draft = sound();
      // From the last to the first: where two spoil the same thing, the one that comes first must be seen.
      for (const { spoil } of from.toReversed()) draft = { ...draft, ...spoil(draft) };
      const code = async () => (await send(draft)).body.error.code;
      // The limit is over a second later, which a slow machine may need to reach it.
      if (error === "rate_limited") await expect.poll(code).toBe(error);
      else expect(await code()).toBe(error);
    },
  );

  it("succeeds when nothing is spoiled", async () => {
    expect((await send(sound())).body).toMatchObject({ success: true });
  });

  it("has a check for every error", () => {
    const listed = new Set(own.map(({ error }) => error));
    expect(errorsOf(operation).filter((code) => !listed.has(code) && !outside(code))).toEqual([]);
  });

  /** The errors of an operation that have no place in the order. */
  function outside(code: ErrorCode): boolean {
    if (code === "internal_error" || code === "service_unavailable") return true;
    // A balance can't be too low and too high at once: neither comes before the other.
    if (code === "balance_limit_exceeded") return true;
    // Beyond the contract, an operation has rules of its own, which come last.
    if (operation.path in engineOperations && operation.errors.includes(code)) return true;
    // What is named by its own id has a location only once it is found: it can't be absent as well.
    return code === "sp_location_not_allowed" && !naming("location_id")(operation);
  }

  function sound(): Draft {
    return {
      path: operation.path,
      query: "",
      method: "POST",
      contentType: "application/json",
      tokenAgeHours: 0,
      tokenBusinessId: world.home.businessId,
      tokenScopes: allScopes,
      grantedScopes: allScopes,
      limitReached: false,
      body: validBody(operation, world.home, records),
      ending: "}",
      usedFor: undefined,
    };
  }

  /** Sends a draft as an integration and from an address that nobody used before. */
  async function send(draft: Draft) {
    const { businessId } = world.home;
    const { integrationId } = await world.integration(world.home, { scopes: draft.grantedScopes });
    if ("endpoint_id" in draft.body) {
      await world.sql`
        UPDATE webhook_endpoint SET integration_id = ${integrationId} WHERE endpoint_id = ${records.endpoint_id}`;
    }
    const headers = { "content-type": draft.contentType, "x-forwarded-for": nextAddress() };
    const claims = { integrationId, businessId: draft.tokenBusinessId, generation: 1 };
    const issuedAt = Date.now() - draft.tokenAgeHours * 60 * 60 * 1000;
    const token = await signToken({ ...claims, scopes: draft.tokenScopes }, { issuedAt });
    if (draft.usedFor !== undefined) {
      const key = String(draft.body.idempotency_key);
      await claimKey(
        world.sql,
        { businessId, integrationId },
        { key, fingerprint: draft.usedFor, businessId },
      );
    }
    if (draft.limitReached && operation.kind === "token") {
      await world.call(operation.path, { client_id: "somebody", client_secret: "wrong" }, { headers });
    } else if (draft.limitReached) {
      await reachLimit(integrationId);
    }
    const text = JSON.stringify(draft.body).slice(0, -1) + draft.ending;
    return world.call(draft.path + draft.query, text, {
      method: draft.method,
      headers,
      token: operation.kind === "token" ? undefined : token,
    });
  }

  /** Uses up what an integration may send at once, on an operation that its scopes open in any case. */
  async function reachLimit(integrationId: number): Promise<void> {
    const scope = otherScope(operation.path);
    const { businessId } = world.home;
    const token = await signToken({ integrationId, businessId, scopes: [scope], generation: 1 });
    for (let left = 2; left > 0; left--) {
      const { body } = await world.call(otherOperation[scope], "", { token });
      expect(body.error.code).toBe("malformed_json");
    }
  }
});

const otherOperation = {
  "wa.tiers.read": "/sp/member-tiers/list",
  "wa.vouchers.read": "/sp/vouchers/get",
} as const;

/** A scope that does not open the operation. */
function otherScope(path: string): keyof typeof otherOperation {
  return path.startsWith("/sp/vouchers/") ? "wa.tiers.read" : "wa.vouchers.read";
}

let addresses = 0;

function nextAddress(): string {
  addresses += 1;
  return `10.0.${addresses >> 8}.${addresses & 255}`;
}
