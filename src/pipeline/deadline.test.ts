import { expect, it } from "vitest";
import { faultOf } from "../database/faults.ts";
import { within } from "./deadline.ts";

it("gives what the work gives, or fails as it does", async () => {
  expect(await within(10_000, Promise.resolve("done"))).toBe("done");
  await expect(within(10_000, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("fails as something unavailable when the work takes longer", async () => {
  const endless = new Promise(() => undefined);
  await expect(within(5, endless)).rejects.toSatisfy((error) => faultOf(error) === "unavailable");
});
