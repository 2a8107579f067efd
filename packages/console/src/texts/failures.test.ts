import { beforeAll, expect, it, vi } from "vitest";

let [texts, client]: [typeof import("./failures.ts"), typeof import("../api/client.ts")] = [] as never;

beforeAll(async () => {
  // The page says where it is served.
  vi.stubGlobal("document", { getElementById: () => ({ dataset: { basePath: "/api" } }) });
  vi.stubGlobal("location", { origin: "http://127.0.0.1" });
  texts = await import("./failures.ts");
  client = await import("../api/client.ts");
});

const problem = (field: string, rest: string) => ({
  ...{ field, code: "out_of_range" },
  message: `${field} ${rest}.`,
});

it("writes a limit as an amount, if the field is one", () => {
  const limit = problem("limit_amount", "must be at most your own, 2000");
  expect(texts.problemText(limit, 2)).toBe("Most money to correct in a day must be at most your own, 20.00.");
  expect(texts.problemText(problem("limit_points", "must be at most your own, 2000"))).toBe(
    "Most points to correct in a day must be at most your own, 2000.",
  );
});

it("leaves the other numbers of a message as they are", () => {
  const taken = problem("tiers.0.qualifying_sales", "must differ from that of Level 2");
  expect(texts.problemText(taken, 2)).toBe("Tiers 1, qualifying sales must differ from that of Level 2.");
  expect(texts.problemText(problem("coupon_value", "must be 0 with kind percent"), 2)).toContain(
    "must be 0 with",
  );
});

it("names the part of a field", () => {
  expect(texts.problemText(problem("headers.0.name", "must not be there twice"))).toBe(
    "Headers 1, name must not be there twice.",
  );
  expect(
    texts.problemText({ field: "", code: "required", message: "The request must have one of points_price." }),
  ).toBe("The request must have one of “Price in points”.");
});

/** The text of a response with an error. */
function failure(code: string, details: object): string {
  const error = { code, details };
  const response = new Response(null, { status: 409 });
  const rejection = new client.Rejection("/op/reward-points/redeem", response, {
    message: "",
    error,
  } as never);
  return texts.failureText(rejection, String);
}

it("writes times and counts as people read them", () => {
  const limit = { unit: "points", limit: 12_345, left: 1, resets_at: "2026-07-18 00:00:00" };
  expect(failure("limit_exceeded", limit)).toContain(
    "Left until 18 Jul 2026, 00:00: 1 point of 12,345 points.",
  );
  expect(failure("insufficient_balance", { balance: 1 })).toBe(
    "The balance is too low for this: it is 1 point.",
  );
  expect(failure("clock_step_too_large", { to: "2026-07-18 00:00:00" })).toContain("18 Jul 2026, 00:00");
});
