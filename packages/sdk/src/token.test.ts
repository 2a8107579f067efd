import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renewedBearer } from "./token.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const minute = 60_000;

/** A service that issues t1, t2, … each a second after it is asked, as long as it is not down. */
function issuer(lifetimeSeconds = 7200) {
  const state = { asked: 0, atOnce: 0, mostAtOnce: 0, down: false };
  const issue = async () => {
    state.asked += 1;
    const token = `t${state.asked}`;
    state.atOnce += 1;
    state.mostAtOnce = Math.max(state.mostAtOnce, state.atOnce);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    state.atOnce -= 1;
    if (state.down) throw new Error("down");
    return { access_token: token, expires_in: lifetimeSeconds };
  };
  return { state, bearer: renewedBearer(issue) };
}

async function soon<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  await vi.advanceTimersByTimeAsync(1000);
  return promise;
}

describe("a token", () => {
  it("is asked for once, however many wait for it, and kept", async () => {
    const { state, bearer } = issuer();
    const waiting = Promise.all(Array.from({ length: 50 }, () => bearer.get(undefined)));
    expect(new Set(await soon(waiting))).toEqual(new Set(["t1"]));
    await vi.advanceTimersByTimeAsync(100 * minute);
    expect(await bearer.get(undefined)).toBe("t1");
    expect(state.asked).toBe(1);
  });

  it("is renewed before it ends, once, while calls go on with the old one", async () => {
    const { state, bearer } = issuer();
    await soon(bearer.get(undefined));
    await vi.advanceTimersByTimeAsync(116 * minute);
    for (let call = 0; call < 10; call += 1) expect(await bearer.get(undefined)).toBe("t1");
    await vi.advanceTimersByTimeAsync(1000);
    expect(await bearer.get(undefined)).toBe("t2");
    expect(state).toMatchObject({ asked: 2, mostAtOnce: 1 });
  });

  it("serves to its end when it can't be renewed, and is asked for again then", async () => {
    const { state, bearer } = issuer();
    await soon(bearer.get(undefined));
    state.down = true;
    await vi.advanceTimersByTimeAsync(117 * minute);
    expect(await bearer.get(undefined)).toBe("t1");
    await vi.advanceTimersByTimeAsync(4 * minute);
    await expect(soon(bearer.get(undefined))).rejects.toThrow("down");
    state.down = false;
    expect(await soon(bearer.get(undefined))).toBe(`t${state.asked}`);
  });

  it("is not used past its end, counted from before it was asked for", async () => {
    const { bearer } = issuer(100);
    await soon(bearer.get(undefined));
    await vi.advanceTimersByTimeAsync(98_999);
    expect(await bearer.get(undefined)).toBe("t1");
    await vi.advanceTimersByTimeAsync(1);
    // The renewal that the last call began is under way.
    expect(await soon(bearer.get(undefined))).toBe("t2");
  });

  it("is asked for anew when it was rejected, but not when an older one was", async () => {
    const { state, bearer } = issuer();
    await soon(bearer.get(undefined));
    expect(bearer.rejected("t1")).toBe(true);
    expect(await soon(bearer.get(undefined))).toBe("t2");
    bearer.rejected("t1");
    expect(await bearer.get(undefined)).toBe("t2");
    expect(state.asked).toBe(2);
  });

  it("is still for the others when one of those who wait gives up", async () => {
    const { state, bearer } = issuer();
    const controller = new AbortController();
    const impatient = bearer.get(controller.signal);
    const patient = bearer.get(undefined);
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(impatient).rejects.toBe(reason);
    expect(await soon(patient)).toBe("t1");
    expect(state.asked).toBe(1);
  });
});
