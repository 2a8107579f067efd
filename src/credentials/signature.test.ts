import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { signaturesOf } from "./signature.ts";

const newSecret = () => `whsec_${randomBytes(24).toString("base64")}`;

it("signs as the library of Standard Webhooks does", () => {
  const timestamp = Math.floor(Date.now() / 1000);
  fc.assert(
    fc.property(fc.string(), fc.json(), (id, body) => {
      const [first, second] = [newSecret(), newSecret()];
      const signature = signaturesOf([first, second], { id, timestamp, body });
      const own = new Webhook(first).sign(id, new Date(timestamp * 1000), body);
      expect(signature).toBe(`${own} ${new Webhook(second).sign(id, new Date(timestamp * 1000), body)}`);
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signature,
      };
      // Each receiver knows one of the two during a rotation.
      if (id !== "")
        for (const secret of [first, second])
          expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
    }),
  );
});
