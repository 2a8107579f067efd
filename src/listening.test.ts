import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { serveMetrics } from "./listening.ts";

const metricsAddress = { host: "127.0.0.1", port: 0, isChosen: true };
let undo: (() => Promise<unknown>)[] = [];
let warnings: string[] = [];
const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
const start = async (text: () => Promise<string>) => {
  [undo, warnings] = [[], []];
  return (await serveMetrics({ metricsAddress }, text, undo, log as never)) as string;
};
afterEach(() => Promise.all(undo.map((stop) => stop())));

it("serves the exposition, and nothing else", async () => {
  const url = await start(async () => "loyalty_starts_total 1\n");
  const reply = await fetch(url);
  expect([reply.status, await reply.text()]).toEqual([200, "loyalty_starts_total 1\n"]);
  expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect((await fetch(url, { method: "POST" })).status).toBe(404);
  expect((await fetch(new URL("/", url))).status).toBe(404);
});

it("collects once for scrapes at the same time", async () => {
  const scrapes = 10;
  let [collected, arrived] = [0, 0];
  const onRequest = () => {
    arrived += 1;
  };
  subscribe("http.server.request.start", onRequest);
  onTestFinished(() => void unsubscribe("http.server.request.start", onRequest));
  const url = await start(async () => {
    collected += 1;
    await expect.poll(() => arrived).toBe(scrapes);
    return "";
  });
  const replies = await Promise.all(Array.from({ length: scrapes }, () => fetch(url)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(collected).toBe(1);
});

it("returns 503 while they can't be collected", async () => {
  const url = await start(async () => {
    throw new Error("not now");
  });
  expect((await fetch(url)).status).toBe(503);
  expect(warnings).toEqual(["the metrics can't be collected"]);
});

it("does without a default address that is in use, and fails at a chosen one", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const serveAt = (isChosen: boolean) => {
    [undo, warnings] = [[], []];
    const address = { ...metricsAddress, port, isChosen };
    return serveMetrics({ metricsAddress: address }, async () => "", undo, log as never);
  };
  const fault =
    `The address of the metrics, 127.0.0.1 port ${port}, is in use: set LOYALTY_METRICS_ADDRESS to another one, ` +
    "such as 127.0.0.1:9465, or to off.";
  await expect(serveAt(true)).rejects.toThrow(fault);
  expect(await serveAt(false)).toBeUndefined();
  expect(warnings).toEqual([`The metrics are not served. ${fault}`]);
  other.close();
});
