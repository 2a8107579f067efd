/** How requests are divided among businesses, with receivers that a test lets respond. */
import { describe, expect, it } from "vitest";
import type { LeasedEndpoint } from "../database/webhooks/leases.ts";
import type { EventDelivery } from "./messages.ts";
import type { Response } from "./request.ts";
import { createSend } from "./sending.ts";

const accepted: Response = { status: 204, error: null, body: "" };
const turn = () => new Promise((done) => setImmediate(done));

function makeSend() {
  /** Requests in flight: the business of each, and how it ends. */
  const inFlight = new Set<{ readonly business: number; readonly end: () => void }>();
  const delivered = new Map<number, number>();
  const send = createSend({
    messages: { messageOf: ({ business_id }) => ({ url: String(business_id), headers: {}, body: "" }) },
    requester: {
      send: ({ url }) =>
        new Promise((resolve) => {
          const one = {
            business: Number(url),
            end: () => {
              inFlight.delete(one);
              resolve(accepted);
            },
          };
          inFlight.add(one);
        }),
    },
    metrics: { webhookSent: () => undefined },
    isBusy: () => false,
  });
  const delivery = { kind: "delivery", recordedAt: 0 } as EventDelivery;
  /** Sends some deliveries of a business. */
  const begin = async (business: number, count: number, isSlow = false) => {
    for (let each = 0; each < count; each += 1) {
      void send({ business_id: business } as LeasedEndpoint, delivery, { isSlow, mayStart: () => true }).then(
        () => delivered.set(business, (delivered.get(business) ?? 0) + 1),
      );
    }
    await turn();
  };
  const of = (business: number) => [...inFlight].filter((one) => one.business === business);
  return { begin, of, delivered, inFlight };
}

describe("a business whose receivers hang", () => {
  it("gets a share of the places, which shrinks as others use some", async () => {
    const { begin, of } = makeSend();
    await begin(1, 1000);
    const alone = of(1).length;
    expect(alone).toBeLessThanOrEqual(1000 / 8);
    expect(alone).toBeGreaterThanOrEqual(32);
    for (let business = 2; business <= 6; business += 1) await begin(business, 1000);
    expect(of(6).length).toBeLessThan(alone);
  });

  it.each([6, 20])("leaves places for another one, though there are %i of it", async (businesses) => {
    const { begin, of, delivered } = makeSend();
    for (let business = 1; business <= businesses; business += 1) await begin(business, 1000);
    const healthy = businesses + 1;
    await begin(healthy, 200);
    // Nobody else's request ends meanwhile.
    for (let rounds = 0; of(healthy).length > 0; rounds += 1) {
      expect(rounds).toBeLessThan(100);
      for (const { end } of of(healthy)) end();
      await turn();
    }
    expect(delivered.get(healthy)).toBe(200);
  });

  it("takes none of the places of others that are quick, if its receivers are known to be slow", async () => {
    const { begin, of, inFlight } = makeSend();
    for (let business = 1; business <= 100; business += 1) await begin(business, 100, true);
    const slow = inFlight.size;
    expect(slow).toBeLessThanOrEqual(500);
    await begin(101, 32);
    expect(of(101)).toHaveLength(32);
  });

  it("gets every delivery in the end", async () => {
    const { begin, delivered, inFlight } = makeSend();
    for (let business = 1; business <= 12; business += 1) await begin(business, 150);
    while (inFlight.size > 0) {
      for (const { end } of [...inFlight]) end();
      await turn();
    }
    expect([...delivered.values()]).toEqual(Array(12).fill(150));
  });
});
