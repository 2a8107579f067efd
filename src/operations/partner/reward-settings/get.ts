import { readOperation } from "../../../contract/declare.ts";
import { findCurrentRules } from "../../../database/engine/rules.ts";
import { pick } from "../../records.ts";
import { applyingSettings } from "../../rules/settings.ts";

export const getRewardSettings = readOperation({
  path: "/sp/reward-settings/get",
  scope: "wa.rewards.read",
  summary: "Get the reward settings",
  message: "Reward settings found.",
  description:
    "Returns the reward settings of the business, such as the name of the points, with what sales of today earn and what points are " +
    "worth, so that a till can explain it. Members whose tier has a program earn by that: a quote has the program that applies.",
  operator: {
    role: "viewer",
    description: "Returns the reward settings of a business. Every business has them from the start.",
    concernsEarning: true,
  },
  input: {},
  output: applyingSettings,
  async read({ services, caller }) {
    const { program, ...rules } = await findCurrentRules(services.lookUps, caller.businessId);
    return pick({ ...rules, default_program: program }, applyingSettings);
  },
});
