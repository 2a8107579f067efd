/** The limit that holds unless it is configured, and none at all. */
import { connect } from "node:net";
import { expect, it } from "vitest";
import { holdsOnce } from "../support/measurements.ts";
import { type Reply, startService, untilServed, useWorld } from "../support/world.ts";

const usual = useWorld({ LOYALTY_RATE_LIMIT: "", LOYALTY_FAILED_TOKEN_LIMIT: "" });
const unlimited = useWorld({ LOYALTY_RATE_LIMIT: "0", LOYALTY_FAILED_TOKEN_LIMIT: "0" });
const waiting = useWorld({ LOYALTY_UNAUTHENTICATED_LIMIT: "1", LOYALTY_TRUSTED_PROXIES: "127.0.0.1" });

const tiers = async (world: typeof usual, count: number) => {
  const token = await world.token(await world.integration(world.home));
  const call = () => untilServed(() => world.call("/sp/member-tiers/list", {}, { token }));
  return Promise.all(Array.from({ length: count }, call));
};

it("is a hundred requests a second with bursts of two hundred", async () => {
  const startedAt = performance.now();
  const replies = await tiers(usual, 300);
  const seconds = (performance.now() - startedAt) / 1000;
  const passed = replies.filter(({ status }) => status === 200).length;
  const limited = replies.filter(({ status }) => status === 429);
  expect(passed + limited.length).toBe(300);
  expect(passed).toBeGreaterThanOrEqual(200);
  expect(passed).toBeLessThanOrEqual(200 + 100 * seconds + 1);
  for (const { headers } of replies) {
    expect(headers.get("ratelimit-policy")).toBe('"default";q=200;w=2');
    expect(headers.get("ratelimit")).toMatch(/^"default";r=(1?\d?\d);t=[01]$/);
  }
  for (const { headers, body } of limited) {
    expect([headers.get("retry-after"), headers.get("ratelimit")]).toEqual(["1", '"default";r=0;t=1']);
    expect(body.error.code).toBe("rate_limited");
  }
});

it("is ten wrong credentials a minute, also when they come at the same time", async () => {
  const { client_id } = await usual.integration(usual.home);
  const wrong = () => usual.call("/sp/auth/token", { client_id, client_secret: "wrong" });
  const startedAt = performance.now();
  const codes = (await Promise.all(Array.from({ length: 40 }, wrong))).map(({ body }) => body.error.code);
  const minutes = (performance.now() - startedAt) / 60_000;
  const rejected = codes.filter((code) => code === "invalid_client_credentials").length;
  expect(new Set(codes)).toEqual(new Set(["invalid_client_credentials", "rate_limited"]));
  expect(rejected).toBeGreaterThanOrEqual(10);
  expect(rejected).toBeLessThanOrEqual(10 + 10 * minutes + 1);
});

/** The longest of requests that are sent at once. A crowd waits for its limit, unless they take ten seconds to arrive. */
async function longestOfCrowd(call: () => Promise<unknown>): Promise<number> {
  const seconds = Array.from({ length: 16 }, async () => {
    const startedAt = performance.now();
    await call();
    return (performance.now() - startedAt) / 1000;
  });
  return Math.max(...(await Promise.all(seconds)));
}

it("makes requests without valid credentials wait, and no others", async () => {
  const headers = { "x-forwarded-for": "192.0.2.1" };
  const wrong = async () => {
    const { status } = await waiting.call("/sp/member-tiers/list", {}, { token: "wrong", headers });
    expect(status).toBe(401);
  };
  expect(await longestOfCrowd(wrong)).toBeGreaterThanOrEqual(0.99);
  const page = () => fetch(`${waiting.baseUrl}/openapi.json`, { headers });
  expect(await longestOfCrowd(page)).toBeGreaterThanOrEqual(0.99);
  const token = await waiting.token();
  const valid = () => waiting.call("/sp/member-tiers/list", {}, { token, headers });
  expect(await holdsOnce(async () => (await longestOfCrowd(valid)) < 0.9)).toBe(true);
  let number = 0;
  const elsewhere = () =>
    waiting.call(
      "/sp/member-tiers/list",
      {},
      { token: "wrong", headers: { "x-forwarded-for": `198.51.100.${++number % 250}` } },
    );
  expect(await holdsOnce(async () => (await longestOfCrowd(elsewhere)) < 0.9)).toBe(true);
});

it("makes requests without the scope wait, which the limit of an integration does not count", async () => {
  const token = await waiting.token(await waiting.integration(waiting.home, { scopes: [] }));
  const options = { token, headers: { "x-forwarded-for": "192.0.2.6" } };
  const rejected = async () => {
    const { body } = await waiting.call("/sp/member-tiers/list", {}, options);
    expect(body.error.code).toBe("sp_scope_not_granted");
  };
  expect(await longestOfCrowd(rejected)).toBeGreaterThanOrEqual(0.99);
});

it("rejects at last, and counts that once", async () => {
  const text = async () => (await waiting.service.metrics()).split("\n");
  const count = async (series: RegExp) =>
    (await text())
      .filter((line) => series.test(line))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  const rejections = () => count(/^loyalty_errors_total\{code="rate_limited"\}/);
  const unrouted = () => count(/^loyalty_unrouted_requests_total\{/);
  const before = [await rejections(), await unrouted()] as const;
  const wrong = () =>
    waiting.call(
      "/sp/member-tiers/list",
      {},
      { token: "wrong", headers: { "x-forwarded-for": "192.0.2.9" } },
    );
  const replies = await Promise.all(Array.from({ length: 100 }, wrong));
  const limited = replies.filter(({ status }) => status === 429).length;
  expect(limited).toBeGreaterThan(0);
  expect([await rejections(), await unrouted()]).toEqual([before[0] + limited, before[1]]);
});

it("counts pipelined requests and those with doubled headers, too", async () => {
  const statuses = (text: string) => (text.match(/HTTP\/1\.1 \d+/g) ?? []).map((line) => line.slice(-3));
  const send = (count: number, headers: string) => {
    const request = `POST /api/sp/member-tiers/list HTTP/1.1\r\nhost: x\r\n${headers}content-length: 2\r\n\r\n{}`;
    return new Promise<string>((resolve, reject) => {
      let text = "";
      const socket = connect(Number(new URL(waiting.baseUrl).port), "127.0.0.1").on("error", reject);
      socket.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
        // The burst is over: from now on, each has to wait.
        if (statuses(text).length >= 4) setTimeout(() => socket.destroy(), 1500);
      });
      socket.on("close", () => resolve(text));
      socket.write(request.repeat(count));
    });
  };
  const token = "authorization: Bearer wrong\r\ncontent-type: application/json\r\n";
  const startedAt = performance.now();
  const pipelined = statuses(await send(300, `x-forwarded-for: 192.0.2.3\r\n${token}`));
  const seconds = (performance.now() - startedAt) / 1000;
  // The burst of four, one in each second that has waited, and one in each second that the bucket let in.
  expect(pipelined.length).toBeGreaterThanOrEqual(4);
  expect(pipelined.length).toBeLessThanOrEqual(4 + 2 * (seconds + 1));
  expect(new Set(pipelined)).toEqual(new Set(["401"]));
  // The connection is closed after the first.
  expect(statuses(await send(3, `x-forwarded-for: 192.0.2.4\r\nHost: y\r\n${token}`))).toEqual(["400"]);
});

it("rejects requests without valid credentials when many of their address wait already", async () => {
  const wrong = () =>
    waiting.call(
      "/sp/member-tiers/list",
      {},
      { token: "wrong", headers: { "x-forwarded-for": "192.0.2.5" } },
    );
  const replies = await Promise.all(Array.from({ length: 100 }, wrong));
  const limited = replies.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  expect(limited[0]?.headers.get("retry-after")).toBe("1");
  expect(replies.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(20);
});

it("holds over several processes together, as documented", async () => {
  const others = await Promise.all([0, 1, 2].map(() => startService(usual, { processes: 3 })));
  try {
    const token = await usual.token(await usual.integration(usual.home));
    const { client_id } = await usual.integration(usual.home);
    const over = (count: number, call: (baseUrl: string) => Promise<Reply>) =>
      Promise.all(
        Array.from({ length: count }, (_, nth) => call((others[nth % 3] as { baseUrl: string }).baseUrl)),
      );
    const startedAt = performance.now();
    const replies = await over(450, (baseUrl) => usual.call("/sp/member-tiers/list", {}, { token, baseUrl }));
    const seconds = (performance.now() - startedAt) / 1000;
    const passed = replies.filter(({ status }) => status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(0.9 * 200);
    expect(passed).toBeLessThanOrEqual(1.1 * (200 + 100 * seconds));
    expect(replies[0]?.headers.get("ratelimit-policy")).toBe('"default";q=200;w=2');

    const wrong = { client_id, client_secret: "wrong" };
    const beganAt = performance.now();
    const guesses = await over(36, (baseUrl) => usual.call("/sp/auth/token", wrong, { baseUrl }));
    const minutes = (performance.now() - beganAt) / 60_000;
    const tried = guesses.filter(({ body }) => body.error.code === "invalid_client_credentials").length;
    expect(tried).toBeGreaterThanOrEqual(9);
    expect(tried).toBeLessThanOrEqual(1.1 * (10 + 10 * minutes));
  } finally {
    for (const service of others) await service.close();
  }
});

it("is off at 0: no header, no rejection, however many", async () => {
  const replies = await tiers(unlimited, 250);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  for (const name of ["ratelimit-policy", "ratelimit", "retry-after"]) {
    expect(replies.some(({ headers }) => headers.has(name))).toBe(false);
  }
  const { client_id } = await unlimited.integration(unlimited.home);
  for (let count = 0; count < 30; count++) {
    const reply = await unlimited.call("/sp/auth/token", { client_id, client_secret: "wrong" });
    expect(reply.status).toBe(401);
  }
});
