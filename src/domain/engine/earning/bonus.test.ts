import fc from "fast-check";
import { expect, it } from "vitest";
import { bonusIn } from "./bonus.ts";

it("takes the share of bonuses in all that was added, rounded down", () => {
  expect(bonusIn({ wallet: 4000, wallet_added: 6000, bonuses_added: 1000 })).toBe(666);
  expect(bonusIn({ wallet: 0, wallet_added: 0, bonuses_added: 0 })).toBe(0);
  expect(bonusIn({ wallet: 30, wallet_added: 30, bonuses_added: 50 })).toBe(30);
  const largest = Number.MAX_SAFE_INTEGER;
  expect(bonusIn({ wallet: largest - 1, wallet_added: largest, bonuses_added: largest - 1 })).toBe(
    largest - 2,
  );
});

it("never exceeds the wallets, and is 0 without bonuses", () => {
  const amount = fc.maxSafeNat();
  fc.assert(
    fc.property(amount, amount, amount, (one, other, bonuses_added) => {
      const [wallet, wallet_added] = [Math.min(one, other), Math.max(one, other)];
      const bonus = bonusIn({ wallet, wallet_added, bonuses_added });
      expect(bonus >= 0 && bonus <= wallet).toBe(true);
      if (wallet_added > 0) expect(bonusIn({ wallet, wallet_added, bonuses_added: 0 })).toBe(0);
    }),
  );
});
