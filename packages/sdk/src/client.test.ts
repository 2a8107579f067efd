import { describe, expect, it } from "vitest";
import { LoyaltyClient, type LoyaltyOptions } from "./index.ts";

const sound = { baseUrl: "http://127.0.0.1:9/api", clientId: "loy_1", clientSecret: "loysec_1" };

/** Fails if anything is sent. */
const fetch = () => {
  throw new Error("it was sent");
};

function rejectionOf(options: unknown): unknown {
  try {
    return new LoyaltyClient(options as LoyaltyOptions);
  } catch (error) {
    return error;
  }
}

describe("a client", () => {
  const url =
    "baseUrl must be an http or https URL such as https://loyalty.example.com/api, without credentials";
  it.each<[unknown, string]>([
    [undefined, "LoyaltyClient needs its settings: { baseUrl, clientId, clientSecret }"],
    [{ ...sound, baseUrl: undefined }, `${url}, query and fragment; got undefined`],
    [{ ...sound, baseUrl: "" }, `${url}, query and fragment; got an empty one`],
    [{ ...sound, baseUrl: "127.0.0.1:8080/api" }, url],
    [{ ...sound, baseUrl: "localhost:8080/api" }, url],
    [{ ...sound, clientId: "" }, "clientId must be a string that is not empty; got an empty one"],
    [{ ...sound, clientId: undefined }, "clientId must be a string that is not empty; got undefined"],
    [{ ...sound, clientSecret: " " }, "clientSecret must be a string that is not empty"],
    [{ ...sound, clientSecret: undefined }, "clientSecret must be a string that is not empty; got undefined"],
    [{ ...sound, accessToken: "" }, "the access token must be a string that is not empty; got an empty one"],
    [
      { ...sound, accessToken: undefined },
      "the access token must be a string that is not empty; got undefined",
    ],
  ])("is not made of settings that can't work: %j", (options, says) => {
    const rejection = rejectionOf(options);
    expect(rejection).toBeInstanceOf(TypeError);
    expect((rejection as Error).message).toContain(says);
  });

  it("does not repeat what may be a secret in the wrong place", () => {
    for (const options of [
      { ...sound, baseUrl: "loysec_1" },
      { ...sound, baseUrl: "http://loy_1:loysec_1@127.0.0.1/api" },
    ]) {
      expect(String(rejectionOf(options))).not.toContain("loysec_1");
    }
  });

  it("says which operation was called without its fields", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: as JavaScript calls it
    const client = new LoyaltyClient({ ...sound, fetch }) as any;
    const says = "/sp/members/create needs its fields, as an object; got undefined";
    await expect(client.members.create()).rejects.toThrow(new TypeError(says));
    await expect(client.members.create().withResponse()).rejects.toThrow(new TypeError(says));
    await expect(client.vouchers.get()).rejects.toThrow("/sp/vouchers/get needs its fields");
    expect(() => client.members.list(null)).toThrow(
      new TypeError("/sp/members/list needs its fields, as an object; got null"),
    );
  });

  it("sends no token that is none", async () => {
    const accessToken = (async () => undefined) as never;
    const client = new LoyaltyClient({ baseUrl: sound.baseUrl, accessToken, fetch });
    await expect(client.memberTiers.list()).rejects.toThrow("the access token must be a string");
  });
});
