/** The client against the real service, with a bad network between them: whatever is lost, one effect. */
import {
  AuthenticationError,
  ConnectionError,
  LoyaltyClient,
  type LoyaltyError,
  type LoyaltyOptions,
  ServiceUnavailableError,
  TimeoutError,
} from "loyalty-sdk";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Fate,
  type FaultyProxy,
  type ProxiedRequest,
  startFaultyProxy,
} from "../support/faulty-proxy.ts";
import { isWrite, makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { type Credentials, useWorld, type World } from "../support/world.ts";

const token = "/sp/auth/token";
let proxy: FaultyProxy | undefined;
afterEach(() => proxy?.close());

interface Through {
  readonly world: World;
  readonly decide?: (request: ProxiedRequest) => Fate | Promise<Fate>;
  readonly credentials?: Credentials;
}

/** A client whose requests go through a proxy that decides what becomes of them. */
async function clientThrough({ world, decide, credentials }: Through, options: Partial<LoyaltyOptions> = {}) {
  proxy = await startFaultyProxy(world.baseUrl, decide);
  const { client_id: clientId, client_secret: clientSecret } = credentials ?? world.home.everywhere;
  return new LoyaltyClient({ baseUrl: proxy.baseUrl, clientId, clientSecret, ...options });
}

/** Does this to the first request of any operation, and lets everything else pass. */
function first(fate: Fate): (request: ProxiedRequest) => Fate {
  let done = false;
  return ({ path }) => {
    if (path === token || done) return "pass";
    done = true;
    return fate;
  };
}

describe("with a bad network", () => {
  const world = useWorld();

  async function pointsOf(contactId: number) {
    const { body } = await world.ask("/sp/transactions/list", { contact_id: contactId, per_page: 100 });
    return { entries: body.meta.pagination.total, balance: body.data[0]?.balance_after ?? 0 };
  }

  const credit = (contact_id: number) => ({ contact_id, points: 1, adjustment_type: "credit" }) as const;

  it.each(operationsInRealTime.filter(isWrite))(
    "$path is done once, though its first response is lost after the commit",
    async (operation) => {
      const { idempotency_key: _, ...body } = validBody(
        operation,
        world.home,
        await makeRecords(world, world.home),
      );
      const client = await clientThrough({ world, decide: first("lose_response") });
      const names = operation.path
        .split("/")
        .slice(2)
        .map((segment) => segment.replace(/-./g, (letters) => letters.charAt(1).toUpperCase()));
      // biome-ignore lint/suspicious/noExplicitAny: the way down to any method
      let at: any = client;
      for (const name of names.slice(0, -1)) at = at[name];
      const response = await at[names.at(-1)!](body).withResponse();
      // The key of the second request was the first one's: the service gave its first response again.
      expect(response).toMatchObject({
        replayed: true,
        idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      });
      expect(proxy?.requests.filter(({ path }) => path === operation.path)).toHaveLength(2);
    },
  );

  it.each([
    ["lose_request", 2, false],
    ["lose_response", 2, true],
    ["cut_response", 2, true],
    ["hold_response", 2, true],
    [{ status: 502, body: "<html>Bad gateway</html>" }, 2, false],
    [{ status: 429, headers: { "retry-after": "1" }, body: "" }, 2, false],
  ] as const)("credits once after %j", async (fate, requests, replayed) => {
    const contactId = await world.member();
    // On a busy machine, another request may take seconds.
    const client = await clientThrough({ world, decide: first(fate) }, { timeoutMilliseconds: 8000 });
    const response = await client.rewardPoints.adjust(credit(contactId)).withResponse();
    expect(response).toMatchObject({ data: { balance_after: 1 }, replayed });
    expect(proxy?.requests.filter(({ path }) => path !== token)).toHaveLength(requests);
    expect(await pointsOf(contactId)).toEqual({ entries: 1, balance: 1 });
  });

  it("credits each of many once, though half of the requests come to grief", async () => {
    const contactId = await world.member();
    const fates: Fate[] = ["lose_response", "lose_request", "cut_response", { status: 503, body: "" }];
    const decide = ({ index }: ProxiedRequest) =>
      index % 2 === 0 ? "pass" : fates[(index >> 1) % fates.length]!;
    const client = await clientThrough({ world, decide }, { maxRetries: 20 });
    const credits = Array.from({ length: 40 }, () => client.rewardPoints.adjust(credit(contactId)));
    const balances = (await Promise.all(credits)).map(({ balance_after }) => balance_after);
    expect(balances.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(await pointsOf(contactId)).toEqual({ entries: 40, balance: 40 });
  });

  it("goes on with the key of the error, when it had given up", async () => {
    const contactId = await world.member();
    let down = true;
    const decide = ({ path }: ProxiedRequest) => (down && path !== token ? "lose_response" : "pass");
    const client = await clientThrough({ world, decide }, { maxRetries: 1 });
    const error = await client.rewardPoints.adjust(credit(contactId)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    down = false;
    const idempotency_key = (error as ConnectionError).idempotencyKey;
    const again = await client.rewardPoints.adjust({ ...credit(contactId), idempotency_key }).withResponse();
    expect(again.replayed).toBe(true);
    expect(await pointsOf(contactId)).toEqual({ entries: 1, balance: 1 });
  });

  it.each<[Fate, typeof LoyaltyError]>([
    ["lose_request", ConnectionError],
    ["hold_response", TimeoutError],
    [{ status: 503, body: "" }, ServiceUnavailableError],
  ])("gives up on %j after the retries that it was allowed", async (fate, type) => {
    const decide = ({ path }: ProxiedRequest) => (path === token ? "pass" : fate);
    const client = await clientThrough({ world, decide }, { maxRetries: 2, timeoutMilliseconds: 6000 });
    await expect(client.memberTiers.list()).rejects.toThrow(type);
    expect(proxy?.requests.filter(({ path }) => path !== token)).toHaveLength(3);
  });

  it("ends at once when it is aborted", async () => {
    const client = await clientThrough({
      world,
      decide: ({ path }) => (path === token ? "pass" : "hold_response"),
    });
    const reason = new Error("the shop closes");
    const controller = new AbortController();
    const call = client.memberTiers.list({ signal: controller.signal });
    call.catch(() => {});
    await expect.poll(() => proxy?.requests.length).toBe(2);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it("asks for one token at a time, again when it is rejected, and no more than once a call", async () => {
    let tokens = 0;
    let accepted: string | undefined = "Bearer t2";
    const response = (status: number, body: object): Fate => ({ status, body: JSON.stringify(body) });
    const client = await clientThrough({
      world,
      decide: ({ path, authorization }) => {
        // Real tokens of one second are alike; these are not.
        const data = path === token ? { access_token: `t${++tokens}`, expires_in: 7200 } : [];
        if (path === token || authorization === accepted) return response(200, { success: true, data });
        return response(401, { success: false, error: { code: "unauthorized" } });
      },
    });
    await Promise.all(Array.from({ length: 10 }, () => client.memberTiers.list()));
    // Ten calls share one token, are all rejected, and share the next.
    expect(tokens).toBe(2);
    expect(proxy?.requests).toHaveLength(2 + 20);
    accepted = undefined;
    await expect(client.memberTiers.list()).rejects.toThrow(AuthenticationError);
    expect(tokens).toBe(3);
    expect(proxy?.requests).toHaveLength(2 + 20 + 3);
  });

  it("gets its token through a bad network too", async () => {
    const client = await clientThrough({
      world,
      decide: ({ index }) => (index < 2 ? "lose_response" : "pass"),
    });
    expect(await client.memberTiers.list()).not.toEqual([]);
  });

  it("does not repeat a token request with wrong credentials", async () => {
    const client = await clientThrough({ world }, { clientSecret: "guessed" });
    await expect(client.memberTiers.list()).rejects.toMatchObject({
      name: "AuthenticationError",
      code: "invalid_client_credentials",
      path: token,
    });
    expect(proxy?.requests).toHaveLength(1);
  });
});

describe("with a service that limits the rate", () => {
  const world = useWorld({ LOYALTY_RATE_LIMIT: "5" });

  it("waits as long as it is told, and gets all through", async () => {
    const client = await clientThrough({ world }, { maxRetries: 30 });
    // Ten may come at once: a slow machine would need four seconds for the others, not to be told to wait.
    const lists = await Promise.all(Array.from({ length: 30 }, () => client.memberTiers.list()));
    expect(lists).toHaveLength(30);
    expect(proxy?.responded(429)).toBeGreaterThan(0);
  });
});
