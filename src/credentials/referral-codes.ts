/** Random codes by which members bring others. */
import { randomInt } from "node:crypto";
import { referralAlphabet, referralCodeLength } from "../domain/engine/referrals.ts";

/** Makes a code of 8 characters, such as 7KQ2M0XR. */
export const newReferralCode = () =>
  Array.from({ length: referralCodeLength }, () => referralAlphabet[randomInt(referralAlphabet.length)]).join(
    "",
  );
